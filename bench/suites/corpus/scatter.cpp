// SPDX-License-Identifier: Apache-2.0
// Scatters: data choose the result that a term is added to.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Shape: I (h, w) -> H (256)
auto histogram_256(index h, index w) {
  auto const [y, x, b] = axes<"y", "x", "b">;
  tensor<"I", std::uint8_t, 2> const I{{h, w}};
  auto const H = compute<"H">(b.in(256)) = sum(over(y, x), cast<std::int32_t>(I(y, x) == b));
  return op(inputs(I), outputs(H), "histogram_256");
}

/// Shape: I (h, w) -> H (16)
auto histogram_16(index h, index w) {
  auto const [y, x, b] = axes<"y", "x", "b">;
  tensor<"I", std::uint8_t, 2> const I{{h, w}};
  auto const H = compute<"H">(b.in(16)) = sum(over(y, x), cast<std::int32_t>(I(y, x) / 16 == b));
  return op(inputs(I), outputs(H), "histogram_16");
}

/// Sums of the values of each group, and how many there are.
/// Shape: G, V (n) -> S, N (groups)
auto group_sums(index n, index groups) {
  auto const [g, i] = axes<"g", "i">;
  tensor<"G", std::int32_t, 1> const G{{n}};
  tensor<"V", float, 1> const V{{n}};
  auto const S = compute<"S">(g.in(groups)) = sum(over(i), select(G(i) == g, V(i), 0));
  auto const N = compute<"N">(g.in(groups)) = sum(over(i), cast<std::int32_t>(G(i) == g));
  return op(inputs(G, V), outputs(S, N), "group_sums");
}

/// How often two images have two brightnesses at one place, as mutual information needs.
/// Shape: A, B (h, w) -> J (64, 64)
auto joint_histogram(index h, index w) {
  auto const [y, x, a, b] = axes<"y", "x", "a", "b">;
  tensor<"A", std::uint8_t, 2> const A{{h, w}};
  tensor<"B", std::uint8_t, 2> const B{{h, w}};
  auto const J = compute<"J">(a.in(64), b.in(64)) =
      sum(over(y, x), cast<std::int32_t>(A(y, x) / 4 == a && B(y, x) / 4 == b));
  return op(inputs(A, B), outputs(J), "joint_histogram");
}

/// Gradient of a table of embeddings.
/// Shape: I (n), D (n, width) -> T (rows, width)
auto embedding_gradient(index n, index rows, index width) {
  auto const [v, d, i] = axes<"v", "d", "i">;
  tensor<"I", std::int32_t, 1> const I{{n}};
  tensor<"D", float, 2> const D{{n, width}};
  auto const T = compute<"T">(v.in(rows), d) = sum(over(i), select(I(i) == v, D(i, d), 0));
  return op(inputs(I, D), outputs(T), "embedding_gradient");
}

/// A product of a transposed sparse matrix (rows with as many elements each) with a vector.
/// Shape: C, V (m, each), x (m) -> y (n)
auto spmv_transposed(index m, index n, index each) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"C", std::int32_t, 2> const C{{m, each}};
  tensor<"V", float, 2> const V{{m, each}};
  tensor<"x", float, 1> const x{{m}};
  auto const y = compute<"y">(j.in(n)) = sum(over(i, k), select(C(i, k) == j, V(i, k) * x(i), 0));
  return op(inputs(C, V, x), outputs(y), "spmv_transposed");
}

/// A histogram of each tile, as adaptive equalisation needs.
/// Shape: I (h, w) -> H (h / 8, w / 8, 64), for tiles of 8 x 8
auto tile_histograms(index h, index w) {
  auto const [ty, tx, y, x, b] = axes<"ty", "tx", "y", "x", "b">;
  tensor<"I", std::uint8_t, 2> const I{{8 * h, 8 * w}};
  auto const H = compute<"H">(ty.in(h), tx.in(w), b.in(64)) =
      sum(over(y.in(8), x.in(8)), cast<std::int32_t>(I(ty * 8 + y, tx * 8 + x) / 4 == b));
  return op(inputs(I), outputs(H), "tile_histograms");
}

add_family const scatter_family{
    {"scatter",
     {{"histogram_256", "2160 x 3840", {2160, 3840}, {7, 35}, histogram_256},
      {"histogram_16", "1080 x 1920", {1080, 1920}, {7, 35}, histogram_16},
      {"group_sums", "a million, 1000 groups", {1'000'000, 1000}, {60, 9}, group_sums, {uniform(0, 1000)}},
      {"joint_histogram", "1080 x 1920", {1080, 1920}, {7, 35}, joint_histogram},
      {"embedding_gradient",
       "4096 words, 8192 x 256",
       {4096, 8192, 256},
       {60, 9, 19},
       embedding_gradient,
       {uniform(0, 8192)}},
      {"spmv_transposed",
       "65 536 x 65 536, 16 each",
       {65'536, 65'536, 16},
       {20, 9, 3},
       spmv_transposed,
       {uniform(0, 65'536)}},
      {"tile_histograms", "128 x 128 tiles", {128, 128}, {2, 3}, tile_histograms}}}};

}  // namespace
