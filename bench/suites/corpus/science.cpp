// SPDX-License-Identifier: Apache-2.0
// Physics and geometry.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Accelerations of bodies by all others, with softening.
/// Shape: x, y, z, m (n) -> ax, ay, az (n)
auto nbody(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"x", float, 1> const x{{n}};
  tensor<"y", float, 1> const y{{n}};
  tensor<"z", float, 1> const z{{n}};
  tensor<"m", float, 1> const m{{n}};
  auto const dx = x(j) - x(i);
  auto const dy = y(j) - y(i);
  auto const dz = z(j) - z(i);
  auto const inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-2);
  auto const pull = m(j) * inverse * inverse * inverse;
  auto const ax = compute<"ax">(i) = sum(over(j), pull * dx);
  auto const ay = compute<"ay">(i) = sum(over(j), pull * dy);
  auto const az = compute<"az">(i) = sum(over(j), pull * dz);
  return op(inputs(x, y, z, m), outputs(ax, ay, az), "nbody");
}

/// Energies of particles in a periodic box, with a cut-off.
/// Shape: x, y, z (n) -> e (n)
auto lennard_jones(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"x", float, 1> const x{{n}};
  tensor<"y", float, 1> const y{{n}};
  tensor<"z", float, 1> const z{{n}};
  auto const nearest = [](auto const& d) { return d - round(d); };
  auto const dx = nearest(x(j) - x(i));
  auto const dy = nearest(y(j) - y(i));
  auto const dz = nearest(z(j) - z(i));
  auto const square = dx * dx + dy * dy + dz * dz;
  auto const s = 0.01 / (square + 1e-3);
  auto const s6 = s * s * s;
  auto const e = compute<"e">(i) = sum(over(j), select(i != j && square < 0.09, 2 * (s6 * s6 - s6), 0));
  return op(inputs(x, y, z), outputs(e), "lennard_jones");
}

/// The potential of charges on a grid (VMD's direct sum).
/// Shape: x, y, q (n) -> V (h, w)
auto coulomb_grid(index h, index w, index n) {
  auto const [r, c, i] = axes<"r", "c", "i">;
  tensor<"x", float, 1> const x{{n}};
  tensor<"y", float, 1> const y{{n}};
  tensor<"q", float, 1> const q{{n}};
  auto const dx = cast<float>(c) * 0.1 - x(i);
  auto const dy = cast<float>(r) * 0.1 - y(i);
  auto const V = compute<"V">(r.in(h), c.in(w)) = sum(over(i), q(i) * rsqrt(dx * dx + dy * dy + 0.5));
  return op(inputs(x, y, q), outputs(V), "coulomb_grid");
}

/// Distances on the Earth between two lists of places.
/// Shape: p1, l1 (m), p2, l2 (n) -> D (m, n)
auto haversine(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"p1", float, 1> const p1{{m}};
  tensor<"l1", float, 1> const l1{{m}};
  tensor<"p2", float, 1> const p2{{n}};
  tensor<"l2", float, 1> const l2{{n}};
  auto const a = sin(0.5 * (p2(j) - p1(i)));
  auto const b = sin(0.5 * (l2(j) - l1(i)));
  auto const h = a * a + cos(p1(i)) * cos(p2(j)) * b * b;
  auto const D = compute<"D">(i, j) = 12742 * sqrt(h);
  return op(inputs(p1, l1, p2, l2), outputs(D), "haversine");
}

/// A step of the wave equation, eighth order in space (Micikevicius 2009).
/// Shape: U (n + 8, n + 8, n + 8), P, V (n, n, n) -> N (n, n, n)
auto wave3d(index n) {
  auto const [z, y, x] = axes<"z", "y", "x">;
  tensor<"U", float, 3> const U{{n + 8, n + 8, n + 8}};
  tensor<"P", float, 3> const P{{n, n, n}};
  tensor<"V", float, 3> const V{{n, n, n}};
  double const c[] = {-2.847222, 1.6, -0.2, 0.02539683, -0.001785714};
  auto const u = [&](int dz, int dy, int dx) { return U(z + 4 + dz, y + 4 + dy, x + 4 + dx); };
  auto laplacian = 3 * c[0] * u(0, 0, 0);
  for (int d = 1; d <= 4; ++d)
    laplacian = laplacian + c[d] * (u(d, 0, 0) + u(-d, 0, 0) + u(0, d, 0) + u(0, -d, 0) + u(0, 0, d) + u(0, 0, -d));
  auto const N = compute<"N">(z, y, x) = 2 * u(0, 0, 0) - P(z, y, x) + V(z, y, x) * laplacian;
  return op(inputs(U, P, V), outputs(N), "wave3d");
}

/// Collision step of the lattice Boltzmann method with nine velocities (BGK).
/// Shape: F (9, h, w) -> O (9, h, w)
auto lattice_boltzmann(index h, index w) {
  auto const [k, y, x] = axes<"k", "y", "x">;
  tensor<"F", float, 3> const F{{9, h, w}};
  table<"cx", float, 1> const cx({9}, {0, 1, 0, -1, 0, 1, -1, -1, 1});
  table<"cy", float, 1> const cy({9}, {0, 0, 1, 0, -1, 1, 1, -1, -1});
  double const a = 1 / 9.0, b = 1 / 36.0;
  table<"weight", float, 1> const weight({9}, {4 / 9.0, a, a, a, a, b, b, b, b});
  auto const rho = compute<"rho">(y, x) = sum(over(k), F(k, y, x));
  auto const u = compute<"u">(y, x) = sum(over(k), F(k, y, x) * cx(k)) / rho(y, x);
  auto const v = compute<"v">(y, x) = sum(over(k), F(k, y, x) * cy(k)) / rho(y, x);
  auto const along = cx(k) * u(y, x) + cy(k) * v(y, x);
  auto const settled =
      weight(k) * rho(y, x) * (1 + 3 * along + 4.5 * along * along - 1.5 * (u(y, x) * u(y, x) + v(y, x) * v(y, x)));
  auto const O = compute<"O">(k, y, x) = F(k, y, x) + 0.6 * (settled - F(k, y, x));
  return op(inputs(F), outputs(O), "lattice_boltzmann");
}

/// A product of a sparse matrix with the same number of entries in each row (ELLPACK).
/// Shape: values, columns (m, k), x (n) -> y (m)
auto sparse_ell(index m, index n, index k) {
  auto const [i, e] = axes<"i", "e">;
  tensor<"A", float, 2> const A{{m, k}};
  tensor<"columns", std::int32_t, 2> const columns{{m, k}, values(0, n)};
  tensor<"x", float, 1> const x{{n}};
  auto const y = compute<"y">(i) = sum(over(e), A(i, e) * x(at(columns(i, e))));
  return op(inputs(A, columns, x), outputs(y), "sparse_ell");
}

/// Shape: a, b (real), c, d (imaginary parts) (n, n) -> re, im (n, n)
auto complex_product(index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"ar", float, 2> const ar{{n, n}};
  tensor<"ai", float, 2> const ai{{n, n}};
  tensor<"br", float, 2> const br{{n, n}};
  tensor<"bi", float, 2> const bi{{n, n}};
  auto const re = compute<"re">(i, j) = sum(over(k), ar(i, k) * br(k, j) - ai(i, k) * bi(k, j));
  auto const im = compute<"im">(i, j) = sum(over(k), ar(i, k) * bi(k, j) + ai(i, k) * br(k, j));
  return op(inputs(ar, ai, br, bi), outputs(re, im), "complex_product");
}

/// Transforms points by matrices of their own (skinning of characters: four bones each).
/// Shape: P (n, 3), M (bones, 3, 4), bones (n, 4), w (n, 4) -> O (n, 3)
auto skinning(index n, index all) {
  auto const [i, d, b] = axes<"i", "d", "b">;
  tensor<"P", float, 2> const P{{n, 3}};
  tensor<"M", float, 3> const M{{all, 3, 4}};
  tensor<"bones", std::int32_t, 2> const bones{{n, 4}, values(0, all)};
  tensor<"w", float, 2> const w{{n, 4}};
  auto const m = [&](int e) { return M(at(bones(i, b)), d, e); };
  auto const O = compute<"O">(i, d) = sum(over(b), w(i, b) * (m(0) * P(i, 0) + m(1) * P(i, 1) + m(2) * P(i, 2) + m(3)));
  return op(inputs(P, M, bones, w), outputs(O), "skinning");
}

add_family const science{
    {"science",
     {{"nbody", "4096 bodies", {4096}, {37}, nbody},
      {"lennard_jones",
       "2048 particles",
       {2048},
       {37},
       lennard_jones,
       {uniform(0, 1), uniform(0, 1), uniform(0, 1)},
       2e-3},
      {"coulomb_grid",
       "512 x 512, 256 charges",
       {512, 512, 256},
       {7, 19, 5},
       coulomb_grid,
       {uniform(0, 50), uniform(0, 50)}},
      {"haversine", "1024 x 1024 places", {1024, 1024}, {7, 35}, haversine},
      {"wave3d", "128^3", {128}, {9}, wave3d},
      {"lattice_boltzmann", "512 x 512", {512, 512}, {7, 19}, lattice_boltzmann, {uniform(0.1, 1)}},
      {"sparse_ell", "100 000 rows of 32", {100'000, 100'000, 32}, {37, 23, 5}, sparse_ell},
      {"complex_product", "512^3", {512}, {19}, complex_product},
      {"skinning", "100 000 points, 64 bones", {100'000, 64}, {37, 5}, skinning}}}};

}  // namespace
