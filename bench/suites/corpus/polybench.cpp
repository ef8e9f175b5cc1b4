// SPDX-License-Identifier: Apache-2.0
// PolyBench 4.2.1 (Pouchet, Yuki): the kernels without recurrences, in doubles, at the sizes of its LARGE data set.
// Results of updates in place are operands of their own here.
#include <cmath>

#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

constexpr double alpha = 1.5, beta = 1.2;

/// Shape: A (m, k), B (k, n), C (m, n) -> D (m, n)
auto gemm(index m, index n, index k) {
  auto const [i, j, p] = axes<"i", "j", "p">;
  tensor<"A", double, 2> const A{{m, k}};
  tensor<"B", double, 2> const B{{k, n}};
  tensor<"C", double, 2> const C{{m, n}};
  auto const D = compute<"D">(i, j) = alpha * sum(over(p), A(i, p) * B(p, j)) + beta * C(i, j);
  return op(inputs(A, B, C), outputs(D), "gemm");
}

/// Shape: A (ni, nk), B (nk, nj), C (nj, nl), D (ni, nl) -> E (ni, nl)
auto two_mm(index ni, index nj, index nk, index nl) {
  auto const [i, j, k, l] = axes<"i", "j", "k", "l">;
  tensor<"A", double, 2> const A{{ni, nk}};
  tensor<"B", double, 2> const B{{nk, nj}};
  tensor<"C", double, 2> const C{{nj, nl}};
  tensor<"D", double, 2> const D{{ni, nl}};
  auto const T = compute<"T">(i, j) = alpha * sum(over(k), A(i, k) * B(k, j));
  auto const E = compute<"E">(i, l) = sum(over(j), T(i, j) * C(j, l)) + beta * D(i, l);
  return op(inputs(A, B, C, D), outputs(E), "two_mm");
}

/// Shape: A (ni, nk), B (nk, nj), C (nj, nm), D (nm, nl) -> G (ni, nl)
auto three_mm(index ni, index nj, index nk, index nl, index nm) {
  auto const [i, j, k, l, m] = axes<"i", "j", "k", "l", "m">;
  tensor<"A", double, 2> const A{{ni, nk}};
  tensor<"B", double, 2> const B{{nk, nj}};
  tensor<"C", double, 2> const C{{nj, nm}};
  tensor<"D", double, 2> const D{{nm, nl}};
  auto const E = compute<"E">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const F = compute<"F">(j, l) = sum(over(m), C(j, m) * D(m, l));
  auto const G = compute<"G">(i, l) = sum(over(j), E(i, j) * F(j, l));
  return op(inputs(A, B, C, D), outputs(G), "three_mm");
}

/// Shape: A (m, n), x (n) -> y (n) = A' A x
auto atax(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", double, 2> const A{{m, n}};
  tensor<"x", double, 1> const x{{n}};
  auto const t = compute<"t">(i) = sum(over(j), A(i, j) * x(j));
  auto const y = compute<"y">(j) = sum(over(i), A(i, j) * t(i));
  return op(inputs(A, x), outputs(y), "atax");
}

/// Shape: A (n, m), p (m), r (n) -> s (m) = A' r, q (n) = A p
auto bicg(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", double, 2> const A{{n, m}};
  tensor<"p", double, 1> const p{{m}};
  tensor<"r", double, 1> const r{{n}};
  auto const s = compute<"s">(j) = sum(over(i), r(i) * A(i, j));
  auto const q = compute<"q">(i) = sum(over(j), A(i, j) * p(j));
  return op(inputs(A, p, r), outputs(s, q), "bicg");
}

/// Shape: A (n, n), x1, x2, y1, y2 (n) -> o1, o2 (n)
auto mvt(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", double, 2> const A{{n, n}};
  tensor<"x1", double, 1> const x1{{n}};
  tensor<"x2", double, 1> const x2{{n}};
  tensor<"y1", double, 1> const y1{{n}};
  tensor<"y2", double, 1> const y2{{n}};
  auto const o1 = compute<"o1">(i) = x1(i) + sum(over(j), A(i, j) * y1(j));
  auto const o2 = compute<"o2">(i) = x2(i) + sum(over(j), A(j, i) * y2(j));
  return op(inputs(A, x1, x2, y1, y2), outputs(o1, o2), "mvt");
}

/// Shape: A (n, n), u1, v1, u2, v2, y, z (n) -> B (n, n), x, w (n)
auto gemver(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", double, 2> const A{{n, n}};
  tensor<"u1", double, 1> const u1{{n}};
  tensor<"v1", double, 1> const v1{{n}};
  tensor<"u2", double, 1> const u2{{n}};
  tensor<"v2", double, 1> const v2{{n}};
  tensor<"y", double, 1> const y{{n}};
  tensor<"z", double, 1> const z{{n}};
  auto const B = compute<"B">(i, j) = A(i, j) + u1(i) * v1(j) + u2(i) * v2(j);
  auto const x = compute<"x">(i) = beta * sum(over(j), B(j, i) * y(j)) + z(i);
  auto const w = compute<"w">(i) = alpha * sum(over(j), B(i, j) * x(j));
  return op(inputs(A, u1, v1, u2, v2, y, z), outputs(B, x, w), "gemver");
}

/// Shape: A, B (n, n), x (n) -> y (n)
auto gesummv(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", double, 2> const A{{n, n}};
  tensor<"B", double, 2> const B{{n, n}};
  tensor<"x", double, 1> const x{{n}};
  auto const y = compute<"y">(i) = alpha * sum(over(j), A(i, j) * x(j)) + beta * sum(over(j), B(i, j) * x(j));
  return op(inputs(A, B, x), outputs(y), "gesummv");
}

/// Computes the lower triangle; the upper one stays.
/// Shape: A (n, m), C (n, n) -> D (n, n)
auto syrk(index m, index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{n, m}};
  tensor<"C", double, 2> const C{{n, n}};
  auto const D = compute<"D">(i, j) = select(j <= i, beta * C(i, j) + alpha * sum(over(k), A(i, k) * A(j, k)), C(i, j));
  return op(inputs(A, C), outputs(D), "syrk");
}

/// Shape: A, B (n, m), C (n, n) -> D (n, n)
auto syr2k(index m, index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{n, m}};
  tensor<"B", double, 2> const B{{n, m}};
  tensor<"C", double, 2> const C{{n, n}};
  auto const D = compute<"D">(i, j) =
      select(j <= i, beta * C(i, j) + alpha * sum(over(k), A(j, k) * B(i, k) + B(j, k) * A(i, k)), C(i, j));
  return op(inputs(A, B, C), outputs(D), "syr2k");
}

/// Reads only the lower triangle of A.
/// Shape: A (m, m), B, C (m, n) -> D (m, n)
auto symm(index m, index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{m, m}};
  tensor<"B", double, 2> const B{{m, n}};
  tensor<"C", double, 2> const C{{m, n}};
  auto const D = compute<"D">(i, j) = beta * C(i, j) + alpha * sum(over(k), select(k <= i, A(i, k), A(k, i)) * B(k, j));
  return op(inputs(A, B, C), outputs(D), "symm");
}

/// A is lower triangular, with ones on its diagonal.
/// Shape: A (m, m), B (m, n) -> D (m, n) = alpha A' B
auto trmm(index m, index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{m, m}};
  tensor<"B", double, 2> const B{{m, n}};
  auto const D = compute<"D">(i, j) = alpha * (B(i, j) + sum(over(k), select(k > i, A(k, i) * B(k, j), 0)));
  return op(inputs(A, B), outputs(D), "trmm");
}

/// Shape: A (nr, nq, np), C (np, np) -> B (nr, nq, np)
auto doitgen(index nq, index nr, index np) {
  auto const [r, q, s, p] = axes<"r", "q", "s", "p">;
  tensor<"A", double, 3> const A{{nr, nq, np}};
  tensor<"C", double, 2> const C{{np, np}};
  auto const B = compute<"B">(r, q, p) = sum(over(s), A(r, q, s) * C(s, p));
  return op(inputs(A, C), outputs(B), "doitgen");
}

/// Shape: data (n, m) -> cov (m, m)
auto covariance(index m, index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"data", double, 2> const data{{n, m}};
  auto const mean = compute<"mean">(j) = sum(over(k), data(k, j)) / static_cast<double>(n);
  auto const centred = compute<"centred">(k, j) = data(k, j) - mean(j);
  auto const cov = compute<"cov">(i.in(m), j) =
      sum(over(k), centred(k, i) * centred(k, j)) / static_cast<double>(n - 1);
  return op(inputs(data), outputs(cov), "covariance");
}

/// Shape: data (n, m) -> corr (m, m)
auto correlation(index m, index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"data", double, 2> const data{{n, m}};
  auto const each = 1 / static_cast<double>(n);
  auto const mean = compute<"mean">(j) = each * sum(over(k), data(k, j));
  auto const deviation = compute<"deviation">(j) =
      sqrt(each * sum(over(k), (data(k, j) - mean(j)) * (data(k, j) - mean(j))));
  auto const scaled = compute<"scaled">(k, j) =
      (data(k, j) - mean(j)) / (std::sqrt(static_cast<double>(n)) * select(deviation(j) <= 0.1, 1, deviation(j)));
  auto const corr = compute<"corr">(i.in(m), j) = select(i == j, 1.0, sum(over(k), scaled(k, i) * scaled(k, j)));
  return op(inputs(data), outputs(corr), "correlation");
}

/// One step, without the boundary.
/// Shape: A (n) -> B (n - 2)
auto jacobi_1d(index n) {
  auto const [i] = axes<"i">;
  tensor<"A", double, 1> const A{{n}};
  auto const B = compute<"B">(i.in(n - 2)) = 0.33333 * (A(i) + A(i + 1) + A(i + 2));
  return op(inputs(A), outputs(B), "jacobi_1d");
}

/// Shape: A (n, n) -> B (n - 2, n - 2)
auto jacobi_2d(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", double, 2> const A{{n, n}};
  auto const B = compute<"B">(i.in(n - 2), j.in(n - 2)) =
      0.2 * (A(i + 1, j + 1) + A(i + 1, j) + A(i + 1, j + 2) + A(i + 2, j + 1) + A(i, j + 1));
  return op(inputs(A), outputs(B), "jacobi_2d");
}

/// Shape: A (n, n, n) -> B (n - 2, n - 2, n - 2)
auto heat_3d(index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 3> const A{{n, n, n}};
  auto const c = 2 * A(i + 1, j + 1, k + 1);
  auto const B = compute<"B">(i.in(n - 2), j.in(n - 2), k.in(n - 2)) =
      0.125 * (A(i + 2, j + 1, k + 1) - c + A(i, j + 1, k + 1)) +
      0.125 * (A(i + 1, j + 2, k + 1) - c + A(i + 1, j, k + 1)) +
      0.125 * (A(i + 1, j + 1, k + 2) - c + A(i + 1, j + 1, k)) + A(i + 1, j + 1, k + 1);
  return op(inputs(A), outputs(B), "heat_3d");
}

/// One step: both electric fields, then the magnetic one from them.
/// Shape: ex, ey, hz (nx, ny), source () -> Ex, Ey, Hz (nx, ny)
auto fdtd_2d(index nx, index ny) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"ex", double, 2> const ex{{nx, ny}};
  tensor<"ey", double, 2> const ey{{nx, ny}};
  tensor<"hz", double, 2> const hz{{nx, ny}};
  tensor<"source", double, 0> const source;
  auto const h = clamp_outside(hz);
  auto const Ey = compute<"Ey">(i, j) = select(i == 0, source(), ey(i, j) - 0.5 * (hz(i, j) - h(i - 1, j)));
  auto const Ex = compute<"Ex">(i, j) = ex(i, j) - 0.5 * (hz(i, j) - h(i, j - 1));
  auto const x = clamp_outside(Ex);
  auto const y = clamp_outside(Ey);
  auto const Hz = compute<"Hz">(i, j) =
      select(i < nx - 1 && j < ny - 1, hz(i, j) - 0.7 * (x(i, j + 1) - Ex(i, j) + y(i + 1, j) - Ey(i, j)), hz(i, j));
  return op(inputs(ex, ey, hz, source), outputs(Ex, Ey, Hz), "fdtd_2d");
}

constexpr char const* large = "LARGE";
add_family const polybench{{"polybench",
                            {{"gemm", large, {1000, 1100, 1200}, {9, 21, 11}, gemm},
                             {"two_mm", large, {800, 900, 1100, 1200}, {9, 21, 11, 19}, two_mm},
                             {"three_mm", large, {800, 900, 1000, 1100, 1200}, {9, 21, 11, 19, 7}, three_mm},
                             {"atax", large, {1900, 2100}, {19, 35}, atax},
                             {"bicg", large, {1900, 2100}, {19, 35}, bicg},
                             {"mvt", large, {2000}, {37}, mvt},
                             {"gemver", large, {2000}, {37}, gemver},
                             {"gesummv", large, {1300}, {37}, gesummv},
                             {"syrk", large, {1000, 1200}, {11, 23}, syrk},
                             {"syr2k", large, {1000, 1200}, {11, 23}, syr2k},
                             {"symm", large, {1000, 1200}, {11, 23}, symm},
                             {"trmm", large, {1000, 1200}, {11, 23}, trmm},
                             {"doitgen", large, {140, 150, 160}, {5, 3, 21}, doitgen},
                             {"covariance", large, {1200, 1400}, {13, 23}, covariance},
                             {"correlation", large, {1200, 1400}, {13, 23}, correlation},
                             {"jacobi_1d", large, {2000}, {37}, jacobi_1d},
                             {"jacobi_2d", large, {1300}, {19}, jacobi_2d},
                             {"heat_3d", large, {120}, {9}, heat_3d},
                             {"fdtd_2d", large, {1000, 1200}, {9, 21}, fdtd_2d}}}};

}  // namespace
