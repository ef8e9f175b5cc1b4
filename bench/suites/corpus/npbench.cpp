// SPDX-License-Identifier: Apache-2.0
// NPBench (github.com/spcl/npbench): its kernels without recurrences; one step of kernels with many steps.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Shape: p1, l1, p2, l2 (n) -> d (n)
auto arc_distance(index n) {
  auto const [i] = axes<"i">;
  tensor<"p1", double, 1> const p1{{n}};
  tensor<"l1", double, 1> const l1{{n}};
  tensor<"p2", double, 1> const p2{{n}};
  tensor<"l2", double, 1> const l2{{n}};
  auto const a = sin((p2(i) - p1(i)) / 2);
  auto const b = sin((l2(i) - l1(i)) / 2);
  // 2 atan2(sqrt(t), sqrt(1 - t)) is left to the caller, because there is no atan2
  auto const t = compute<"t">(i) = a * a + cos(p1(i)) * cos(p2(i)) * b * b;
  return op(inputs(p1, l1, p2, l2), outputs(t), "arc_distance");
}

/// Shape: A (n, n) -> O (n, n) = A + sum of tanh of the diagonal
auto go_fast(index n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{n, n}};
  auto const trace = compute<"trace">() = sum(over(k), tanh(A(k, k)));
  auto const O = compute<"O">(i, j) = A(i, j) + trace();
  return op(inputs(A), outputs(O), "go_fast");
}

/// Shape: A, B (m, n) -> O (m, n)
auto clip_compute(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", std::int64_t, 2> const A{{m, n}};
  tensor<"B", std::int64_t, 2> const B{{m, n}};
  auto const O = compute<"O">(i, j) = min(max(A(i, j), 2), 10) * 4 + B(i, j) * 3 + 9;
  return op(inputs(A, B), outputs(O), "clip_compute");
}

/// Shape: X (m, n) -> O (m, n); rows are the scores of an attention.
auto softmax(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const largest = compute<"largest">(i) = max(over(j), X(i, j));
  auto const E = compute<"E">(i, j) = exp(X(i, j) - largest(i));
  auto const O = compute<"O">(i, j) = E(i, j) / sum(over(j), E(i, j));
  return op(inputs(X), outputs(O), "softmax");
}

/// Three layers with rectifiers; the softmax after them is a kernel of its own.
/// Shape: X (n, a), W1 (a, b), b1 (b), W2 (b, c), b2 (c), W3 (c, d), b3 (d) -> Y (n, d)
auto mlp(index n, index a, index b, index c, index d) {
  auto const [i, j, k, l, m] = axes<"i", "j", "k", "l", "m">;
  tensor<"X", float, 2> const X{{n, a}};
  tensor<"W1", float, 2> const W1{{a, b}};
  tensor<"b1", float, 1> const b1{{b}};
  tensor<"W2", float, 2> const W2{{b, c}};
  tensor<"b2", float, 1> const b2{{c}};
  tensor<"W3", float, 2> const W3{{c, d}};
  tensor<"b3", float, 1> const b3{{d}};
  auto const H = compute<"H">(i, k) = relu(sum(over(j), X(i, j) * W1(j, k)) + b1(k));
  auto const G = compute<"G">(i, l) = relu(sum(over(k), H(i, k) * W2(k, l)) + b2(l));
  auto const Y = compute<"Y">(i, m) = sum(over(l), G(i, l) * W3(l, m)) + b3(m);
  return op(inputs(X, W1, b1, W2, b2, W3, b3), outputs(Y), "mlp");
}

/// A convolution with channels last, without padding.
/// Shape: I (n, h, w, ci), W (k, k, ci, co), b (co) -> O (n, h - k + 1, w - k + 1, co)
auto conv2d_bias(index n, index size, index k, index ci, index co) {
  auto const [b, y, x, f, c, r, s] = axes<"b", "y", "x", "f", "c", "r", "s">;
  tensor<"I", float, 4> const I{{n, size, size, ci}};
  tensor<"W", float, 4> const W{{k, k, ci, co}};
  tensor<"bias", float, 1> const bias{{co}};
  auto const O = compute<"O">(b, y.in(size - k + 1), x.in(size - k + 1), f) =
      sum(over(r, s, c), I(b, y + r, x + s, c) * W(r, s, c, f)) + bias(f);
  return op(inputs(I, W, bias), outputs(O), "conv2d_bias");
}

/// Horizontal diffusion of a weather model (COSMO), with its limiter.
/// Shape: F (h + 4, w + 4, depth), c (h, w, depth) -> O (h, w, depth)
auto hdiff(index h, index w, index depth) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"F", double, 3> const F{{h + 4, w + 4, depth}};
  tensor<"c", double, 3> const c{{h, w, depth}};
  auto const L = compute<"L">(i.in(h + 2), j.in(w + 2), k) =
      4 * F(i + 1, j + 1, k) - (F(i + 2, j + 1, k) + F(i, j + 1, k) + F(i + 1, j + 2, k) + F(i + 1, j, k));
  auto const fx = L(i + 1, j + 1, k) - L(i, j + 1, k);
  auto const X = compute<"X">(i.in(h + 1), j.in(w), k) =
      select(fx * (F(i + 2, j + 2, k) - F(i + 1, j + 2, k)) > 0, 0, fx);
  auto const fy = L(i + 1, j + 1, k) - L(i + 1, j, k);
  auto const Y = compute<"Y">(i.in(h), j.in(w + 1), k) =
      select(fy * (F(i + 2, j + 2, k) - F(i + 2, j + 1, k)) > 0, 0, fy);
  auto const O = compute<"O">(i.in(h), j.in(w), k) =
      F(i + 2, j + 2, k) - c(i, j, k) * (X(i + 1, j, k) - X(i, j, k) + Y(i, j + 1, k) - Y(i, j, k));
  return op(inputs(F, c), outputs(O), "hdiff");
}

/// The source of the pressure equation, then one step of it, without the boundary (cavity flow).
/// Shape: u, v, p (n, n) -> b, q (n - 2, n - 2)
auto cavity_pressure(index n) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"u", double, 2> const u{{n, n}};
  tensor<"v", double, 2> const v{{n, n}};
  tensor<"p", double, 2> const p{{n, n}};
  auto const dx = [&](auto const& f) { return (f(y + 1, x + 2) - f(y + 1, x)) * 20; };
  auto const dy = [&](auto const& f) { return (f(y + 2, x + 1) - f(y, x + 1)) * 20; };
  auto const b = compute<"b">(y.in(n - 2), x.in(n - 2)) =
      100 * (dx(u) + dy(v)) - dx(u) * dx(u) - 2 * dy(u) * dx(v) - dy(v) * dy(v);
  auto const q = compute<"q">(y.in(n - 2), x.in(n - 2)) =
      0.25 * (p(y + 1, x + 2) + p(y + 1, x) + p(y + 2, x + 1) + p(y, x + 1)) - 0.000625 * b(y, x);
  return op(inputs(u, v, p), outputs(b, q), "cavity_pressure");
}

/// A stage of Stockham's Fourier transform of radix 4: twiddles, then butterflies.
/// Shape: xr, xi (4, n), wr, wi (4, n) -> yr, yi (n, 4)
auto stockham(index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"xr", float, 2> const xr{{4, n}};
  tensor<"xi", float, 2> const xi{{4, n}};
  tensor<"wr", float, 2> const wr{{4, n}};
  tensor<"wi", float, 2> const wi{{4, n}};
  auto const [k] = axes<"k">;
  table<"c", float, 2> const c({4, 4}, {1, 1, 1, 1, 1, 0, -1, 0, 1, -1, 1, -1, 1, 0, -1, 0});
  table<"s", float, 2> const s({4, 4}, {0, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1});
  auto const tr = compute<"tr">(k, i) = xr(k, i) * wr(k, i) - xi(k, i) * wi(k, i);
  auto const ti = compute<"ti">(k, i) = xr(k, i) * wi(k, i) + xi(k, i) * wr(k, i);
  auto const yr = compute<"yr">(i, j) = sum(over(k), tr(k, i) * c(j, k) - ti(k, i) * s(j, k));
  auto const yi = compute<"yi">(i, j) = sum(over(k), tr(k, i) * s(j, k) + ti(k, i) * c(j, k));
  return op(inputs(xr, xi, wr, wi), outputs(yr, yi), "stockham");
}

/// A sum over blocks of energies of products of small matrices (scattering self-energies).
/// Shape: G (e, a, b, n, n), D (w, a, b, n, n) -> S (e, a, n, n)
auto self_energies(index energies, index atoms, index near, index n) {
  auto const [e, a, b, w, i, j, k] = axes<"e", "a", "b", "w", "i", "j", "k">;
  tensor<"G", float, 5> const G{{energies + 3, atoms, near, n, n}};
  tensor<"D", float, 5> const D{{4, atoms, near, n, n}};
  auto const S = compute<"S">(e.in(energies), a, i, j) = sum(over(w, b, k), G(e + w, a, b, i, k) * D(w, a, b, k, j));
  return op(inputs(G, D), outputs(S), "self_energies");
}

add_family const npbench{
    {"npbench",
     {{"arc_distance", "M: 1 000 000", {1'000'000}, {101}, arc_distance},
      {"go_fast", "S: 2000 x 2000", {2000}, {37}, go_fast},
      {"clip_compute", "S: 2000 x 2000", {2000, 2000}, {7, 35}, clip_compute},
      {"softmax", "S: 16 x 16 x 128 rows of 128", {32768, 128}, {7, 35}, softmax},
      {"mlp", "S with 3000 inputs: 8 x 3000, 2000, 2000, 10", {8, 3000, 2000, 2000, 10}, {3, 19, 11, 21, 5}, mlp},
      {"conv2d_bias", "S: 8 x 32 x 32 x 3 to 16, 2 x 2", {8, 32, 2, 3, 16}, {2, 7, 2, 3, 5}, conv2d_bias},
      {"hdiff", "128 x 128 x 160", {128, 128, 160}, {5, 7, 19}, hdiff},
      {"cavity_pressure", "201 x 201", {201}, {19}, cavity_pressure},
      {"stockham", "radix 4, 65 536 points", {65'536}, {37}, stockham},
      {"self_energies",
       "64 energies, 12 atoms, 4 neighbours, 12 x 12",
       {64, 12, 4, 12},
       {3, 2, 2, 5},
       self_energies}}}};

}  // namespace
