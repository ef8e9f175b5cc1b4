// SPDX-License-Identifier: Apache-2.0
// Parts of neural networks other than plain products and convolutions.
#include <cmath>

#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Shape: X (m, n), gamma (n) -> O (m, n)
auto rms_norm(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  tensor<"gamma", float, 1> const gamma{{n}};
  auto const scale = compute<"scale">(i) = rsqrt(sum(over(j), X(i, j) * X(i, j)) / static_cast<double>(n) + 1e-5);
  auto const O = compute<"O">(i, j) = X(i, j) * scale(i) * gamma(j);
  return op(inputs(X, gamma), outputs(O), "rms_norm");
}

/// Rotary positions: rotates pairs of neighbours by an angle that depends on their place.
/// Shape: X (n, heads, 2 d), C, S (n, d) -> O (n, heads, 2 d)
auto rotary(index n, index heads, index d) {
  auto const [i, h, e] = axes<"i", "h", "e">;
  tensor<"X", float, 3> const X{{n, heads, 2 * d}};
  tensor<"C", float, 2> const C{{n, d}};
  tensor<"S", float, 2> const S{{n, d}};
  auto const O = compute<"O">(i, h, e.in(2 * d)) =
      X(i, h, e) * C(i, e / 2) + select(e % 2 == 0, -X(i, h, e / 2 * 2 + 1), X(i, h, e / 2 * 2)) * S(i, e / 2);
  return op(inputs(X, C, S), outputs(O), "rotary");
}

/// Shape: G, U (m, n) -> O (m, n)
auto swiglu(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"G", float, 2> const G{{m, n}};
  tensor<"U", float, 2> const U{{m, n}};
  auto const O = compute<"O">(i, j) = G(i, j) * sigmoid(G(i, j)) * U(i, j);
  return op(inputs(G, U), outputs(O), "swiglu");
}

/// Shape: X (m, k), G, U (k, n) -> O (m, n)
auto gated_mlp(index m, index n, index k) {
  auto const [i, j, p] = axes<"i", "j", "p">;
  tensor<"X", float, 2> const X{{m, k}};
  tensor<"G", float, 2> const G{{k, n}};
  tensor<"U", float, 2> const U{{k, n}};
  auto const g = compute<"g">(i, j) = sum(over(p), X(i, p) * G(p, j));
  auto const u = compute<"u">(i, j) = sum(over(p), X(i, p) * U(p, j));
  auto const O = compute<"O">(i, j) = g(i, j) * sigmoid(g(i, j)) * u(i, j);
  return op(inputs(X, G, U), outputs(O), "gated_mlp");
}

/// Attention of one new token of each head to the stored earlier ones.
/// Shape: Q (heads, d), K, V (heads, n, d) -> O (heads, d)
auto decode_attention(index heads, index n, index d) {
  auto const [h, j, k, e] = axes<"h", "j", "k", "e">;
  tensor<"Q", float, 2> const Q{{heads, d}};
  tensor<"K", float, 3> const K{{heads, n, d}};
  tensor<"V", float, 3> const V{{heads, n, d}};
  auto const scale = 1 / std::sqrt(static_cast<double>(d));
  auto const S = compute<"S">(h, j) = scale * sum(over(k), Q(h, k) * K(h, j, k));
  auto const largest = compute<"largest">(h) = max(over(j), S(h, j));
  auto const E = compute<"E">(h, j) = exp(S(h, j) - largest(h));
  auto const total = compute<"total">(h) = sum(over(j), E(h, j));
  auto const O = compute<"O">(h, e) = sum(over(j), E(h, j) * V(h, j, e)) / total(h);
  return op(inputs(Q, K, V), outputs(O), "decode_attention");
}

/// A product with 8-bit weights that have a scale per column, requantised.
/// Shape: X (m, k) u8, W (k, n) i8, scale (n), bias (n) -> O (m, n) u8
auto quantised_dense(index m, index n, index k) {
  auto const [i, j, p] = axes<"i", "j", "p">;
  tensor<"X", std::uint8_t, 2> const X{{m, k}};
  tensor<"W", std::int8_t, 2> const W{{k, n}};
  tensor<"scale", float, 1> const scale{{n}};
  tensor<"bias", std::int32_t, 1> const bias{{n}};
  auto const S = compute<"S">(i, j) = sum(over(p), cast<std::int32_t>(X(i, p)) * cast<std::int32_t>(W(p, j))) + bias(j);
  auto const O = compute<"O">(i, j) = cast<std::uint8_t>(round(cast<float>(S(i, j)) * scale(j) + 128));
  return op(inputs(X, W, scale, bias), outputs(O), "quantised_dense");
}

/// A product of a vector and 4-bit weights, two in a byte, with scales for groups of 32.
/// Shape: W (m, k / 2), scale (m, k / 32), x (k) -> y (m)
auto int4_matvec(index m, index k) {
  auto const [i, g, e] = axes<"i", "g", "e">;
  tensor<"W", std::uint8_t, 2> const W{{m, k / 2}};
  tensor<"scale", float, 2> const scale{{m, k / 32}};
  tensor<"x", float, 1> const x{{k}};
  auto const low = cast<float>(cast<std::int32_t>(W(i, g * 16 + e) % 16) - 8);
  auto const high = cast<float>(cast<std::int32_t>(W(i, g * 16 + e) / 16) - 8);
  auto const y = compute<"y">(i) =
      sum(over(g, e.in(16)), scale(i, g) * (low * x(g * 32 + e) + high * x(g * 32 + 16 + e)));
  return op(inputs(W, scale, x), outputs(y), "int4_matvec");
}

/// Weights channels by the result of two small layers for their means (squeeze and excitation).
/// Shape: X (c, s, s), W1 (r, c), W2 (c, r) -> O (c, s, s)
auto squeeze_excite(index channels, index reduced, index size) {
  auto const [c, r, y, x] = axes<"c", "r", "y", "x">;
  tensor<"X", float, 3> const X{{channels, size, size}};
  tensor<"W1", float, 2> const W1{{reduced, channels}};
  tensor<"W2", float, 2> const W2{{channels, reduced}};
  auto const mean = compute<"mean">(c) = sum(over(y, x), X(c, y, x)) / static_cast<double>(size * size);
  auto const h = compute<"h">(r) = relu(sum(over(c), W1(r, c) * mean(c)));
  auto const g = compute<"g">(c) = sigmoid(sum(over(r), W2(c, r) * h(r)));
  auto const O = compute<"O">(c, y, x) = X(c, y, x) * g(c);
  return op(inputs(X, W1, W2), outputs(O), "squeeze_excite");
}

/// Converts channels last to normalised planes, as networks take images.
/// Shape: I (h, w, 3) u8 -> O (3, h, w)
auto image_to_tensor(index h, index w) {
  auto const [c, y, x] = axes<"c", "y", "x">;
  tensor<"I", std::uint8_t, 3> const I{{h, w, 3}};
  table<"mean", float, 1> const mean({3}, {0.485, 0.456, 0.406});
  table<"factor", float, 1> const factor({3}, {1 / 0.229, 1 / 0.224, 1 / 0.225});
  auto const O = compute<"O">(c, y, x) = (cast<float>(I(y, x, c)) * (1 / 255.0) - mean(c)) * factor(c);
  return op(inputs(I), outputs(O), "image_to_tensor");
}

add_family const network{
    {"network",
     {{"rms_norm", "Llama: 512 x 4096", {512, 4096}, {7, 35}, rms_norm},
      {"rotary", "Llama: 512 x 32 x 128", {512, 32, 64}, {5, 3, 9}, rotary},
      {"swiglu", "Llama: 128 x 11008", {128, 11008}, {7, 35}, swiglu},
      {"gated_mlp", "64 tokens, 1024 to 2752", {64, 2752, 1024}, {5, 21, 11}, gated_mlp},
      {"decode_attention", "32 heads, 1024 tokens, 128 wide", {32, 1024, 128}, {3, 19, 11}, decode_attention},
      {"quantised_dense",
       "256 x 768 x 768",
       {256, 768, 768},
       {7, 21, 19},
       quantised_dense,
       {uniform(0, 256), uniform(-128, 128), uniform(1e-4, 2e-4), uniform(-1000, 1000)},
       2e-2},
      {"int4_matvec", "4096 x 4096", {4096, 4096}, {19, 64}, int4_matvec},
      {"squeeze_excite", "256 x 28 x 28, 16", {256, 16, 28}, {7, 3, 5}, squeeze_excite},
      {"image_to_tensor", "224 x 224", {224, 224}, {9, 19}, image_to_tensor}}}};

}  // namespace
