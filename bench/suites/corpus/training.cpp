// SPDX-License-Identifier: Apache-2.0
// Norms and gradients of training.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Shape: X (n, groups, channels of a group, size, size), gamma, beta (groups, channels of a group) -> O as X
auto group_norm(index n, index groups, index channels, index size) {
  auto const [b, g, c, y, x] = axes<"b", "g", "c", "y", "x">;
  tensor<"X", float, 5> const X{{n, groups, channels, size, size}};
  tensor<"gamma", float, 2> const gamma{{groups, channels}};
  tensor<"beta", float, 2> const beta{{groups, channels}};
  auto const each = 1.0 / static_cast<double>(channels * size * size);
  auto const M = compute<"M">(b, g) = each * sum(over(c, y, x), X(b, g, c, y, x));
  auto const Q = compute<"Q">(b, g) = each * sum(over(c, y, x), X(b, g, c, y, x) * X(b, g, c, y, x));
  auto const O = compute<"O">(b, g, c, y, x) =
      (X(b, g, c, y, x) - M(b, g)) * rsqrt(Q(b, g) - M(b, g) * M(b, g) + 1e-5) * gamma(g, c) + beta(g, c);
  return op(inputs(X, gamma, beta), outputs(O), "group_norm");
}

/// Gradients of the input, the scale and the shift; mean and 1 / deviation come from the forward pass.
/// Shape: X, dY (m, n), gamma (n), mean, rstd (m) -> dX (m, n), dgamma (n), dbeta (n)
auto layer_norm_backward(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  tensor<"dY", float, 2> const dY{{m, n}};
  tensor<"gamma", float, 1> const gamma{{n}};
  tensor<"mean", float, 1> const mean{{m}};
  tensor<"rstd", float, 1> const rstd{{m}};
  auto const each = 1 / static_cast<double>(n);
  auto const hat = (X(i, j) - mean(i)) * rstd(i);
  auto const g = dY(i, j) * gamma(j);
  auto const a = compute<"a">(i) = each * sum(over(j), g);
  auto const b = compute<"b">(i) = each * sum(over(j), g * hat);
  auto const dX = compute<"dX">(i, j) = rstd(i) * (g - a(i) - hat * b(i));
  auto const dgamma = compute<"dgamma">(j) = sum(over(i), dY(i, j) * hat);
  auto const dbeta = compute<"dbeta">(j) = sum(over(i), dY(i, j));
  return op(inputs(X, dY, gamma, mean, rstd), outputs(dX, dgamma, dbeta), "layer_norm_backward");
}

/// Gradient of the input of a 3 x 3 convolution with padding 1.
/// Shape: dO (f, s, s), W (f, c, 3, 3) -> dI (c, s, s)
auto conv_input_gradient(index channels, index filters, index size) {
  auto const [c, y, x, f, r, s] = axes<"c", "y", "x", "f", "r", "s">;
  tensor<"dO", float, 3> const dO{{filters, size, size}};
  tensor<"W", float, 4> const W{{filters, channels, 3, 3}};
  auto const dI = compute<"dI">(c, y.in(size), x.in(size)) =
      sum(over(f, r, s), zero_outside(dO)(f, y + 1 - r, x + 1 - s) * W(f, c, r, s));
  return op(inputs(dO, W), outputs(dI), "conv_input_gradient");
}

/// Gradient of the weights of such a convolution, over a batch.
/// Shape: I (n, c, s, s), dO (n, f, s, s) -> dW (f, c, 3, 3)
auto conv_weight_gradient(index n, index channels, index filters, index size) {
  auto const [f, c, r, s, b, y, x] = axes<"f", "c", "r", "s", "b", "y", "x">;
  tensor<"I", float, 4> const I{{n, channels, size, size}};
  tensor<"dO", float, 4> const dO{{n, filters, size, size}};
  auto const dW = compute<"dW">(f, c, r.in(3), s.in(3)) =
      sum(over(b, y, x), zero_outside(I)(b, c, y + r - 1, x + s - 1) * dO(b, f, y, x));
  return op(inputs(I, dO), outputs(dW), "conv_weight_gradient");
}

/// Shape: Y, dY (m, n) -> dX (m, n)
auto softmax_backward(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"Y", float, 2> const Y{{m, n}};
  tensor<"dY", float, 2> const dY{{m, n}};
  auto const d = compute<"d">(i) = sum(over(j), Y(i, j) * dY(i, j));
  auto const dX = compute<"dX">(i, j) = Y(i, j) * (dY(i, j) - d(i));
  return op(inputs(Y, dY), outputs(dX), "softmax_backward");
}

/// Gradients of one attention head, from the probabilities: scores, values, queries and keys.
/// Shape: P (n, n), Q, K, V, dO (n, d) -> dQ, dK, dV (n, d)
auto attention_backward(index n, index width) {
  auto const [i, j, d] = axes<"i", "j", "d">;
  tensor<"P", float, 2> const P{{n, n}};
  tensor<"Q", float, 2> const Q{{n, width}};
  tensor<"K", float, 2> const K{{n, width}};
  tensor<"V", float, 2> const V{{n, width}};
  tensor<"dO", float, 2> const dO{{n, width}};
  auto const dV = compute<"dV">(j, d) = sum(over(i), P(i, j) * dO(i, d));
  auto const dP = compute<"dP">(i, j) = sum(over(d), dO(i, d) * V(j, d));
  auto const D = compute<"D">(i) = sum(over(j), P(i, j) * dP(i, j));
  auto const dS = compute<"dS">(i, j) = P(i, j) * (dP(i, j) - D(i));
  auto const dQ = compute<"dQ">(i, d) = sum(over(j), dS(i, j) * K(j, d));
  auto const dK = compute<"dK">(j, d) = sum(over(i), dS(i, j) * Q(i, d));
  return op(inputs(P, Q, K, V, dO), outputs(dQ, dK, dV), "attention_backward");
}

/// The forward pass of batch norm in training: statistics of each channel, and the normalised result.
/// Shape: X (n, c, s, s), gamma, beta (c) -> Y as X, mean, rstd (c)
auto batch_norm(index n, index channels, index size) {
  auto const [b, c, y, x] = axes<"b", "c", "y", "x">;
  tensor<"X", float, 4> const X{{n, channels, size, size}};
  tensor<"gamma", float, 1> const gamma{{channels}};
  tensor<"beta", float, 1> const beta{{channels}};
  auto const each = 1 / static_cast<double>(n * size * size);
  auto const mean = compute<"mean">(c) = each * sum(over(b, y, x), X(b, c, y, x));
  auto const rstd = compute<"rstd">(c) =
      rsqrt(each * sum(over(b, y, x), X(b, c, y, x) * X(b, c, y, x)) - mean(c) * mean(c) + 1e-5);
  auto const Y = compute<"Y">(b, c, y, x) = (X(b, c, y, x) - mean(c)) * rstd(c) * gamma(c) + beta(c);
  return op(inputs(X, gamma, beta), outputs(Y, mean, rstd), "batch_norm");
}

/// Shape: X, dY (n) -> dX (n)
auto gelu_backward(index n) {
  auto const [i] = axes<"i">;
  tensor<"X", float, 1> const X{{n}};
  tensor<"dY", float, 1> const dY{{n}};
  auto const x = X(i);
  auto const density = 0.39894228040143268 * exp(-0.5 * x * x);
  auto const dX = compute<"dX">(i) = dY(i) * (0.5 * (1 + erf(x * 0.70710678118654752)) + x * density);
  return op(inputs(X, dY), outputs(dX), "gelu_backward");
}

/// Adds rows of a table, chosen by tokens, to rows of their positions.
/// Shape: tokens (n), W (vocabulary, d), P (n, d) -> O (n, d)
auto embedding(index n, index vocabulary, index width) {
  auto const [i, d] = axes<"i", "d">;
  tensor<"tokens", std::int32_t, 1> const tokens{{n}, values(0, vocabulary)};
  tensor<"W", float, 2> const W{{vocabulary, width}};
  tensor<"P", float, 2> const P{{n, width}};
  auto const O = compute<"O">(i, d) = W(at(tokens(i)), d) + P(i, d);
  return op(inputs(tokens, W, P), outputs(O), "embedding");
}

/// Shape: X (m, n), labels (m) -> loss (m)
auto cross_entropy(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  tensor<"labels", std::int32_t, 1> const labels{{m}, values(0, n)};
  auto const largest = compute<"largest">(i) = max(over(j), X(i, j));
  auto const loss = compute<"loss">(i) =
      log(sum(over(j), exp(X(i, j) - largest(i)))) + largest(i) - X(i, at(labels(i)));
  return op(inputs(X, labels), outputs(loss), "cross_entropy");
}

/// A step of Adam with weight decay.
/// Shape: w, g, m, v (n) -> W, M, V (n)
auto adam(index n) {
  auto const [i] = axes<"i">;
  tensor<"w", float, 1> const w{{n}};
  tensor<"g", float, 1> const g{{n}};
  tensor<"m", float, 1> const m{{n}};
  tensor<"v", float, 1> const v{{n}};
  auto const M = compute<"M">(i) = 0.9 * m(i) + 0.1 * g(i);
  auto const V = compute<"V">(i) = 0.999 * v(i) + 0.001 * g(i) * g(i);
  auto const W = compute<"W">(i) = w(i) - 0.001 * (1.2 * M(i) / (sqrt(1.5 * V(i)) + 1e-8) + 0.01 * w(i));
  return op(inputs(w, g, m, v), outputs(W, M, V), "adam");
}

/// Shape: X, dY (m, n), gamma (n) -> dX (m, n)
auto rms_norm_backward(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  tensor<"dY", float, 2> const dY{{m, n}};
  tensor<"gamma", float, 1> const gamma{{n}};
  auto const each = 1 / static_cast<double>(n);
  auto const r = compute<"r">(i) = rsqrt(each * sum(over(j), X(i, j) * X(i, j)) + 1e-5);
  auto const d = compute<"d">(i) = each * sum(over(j), dY(i, j) * gamma(j) * X(i, j));
  auto const dX = compute<"dX">(i, j) = r(i) * (dY(i, j) * gamma(j) - X(i, j) * r(i) * r(i) * d(i));
  return op(inputs(X, dY, gamma), outputs(dX), "rms_norm_backward");
}

/// The gradient of max pooling of 2 x 2, which goes to the largest element of each window.
/// Shape: X (c, 2 s, 2 s), dY (c, s, s) -> dX (c, 2 s, 2 s)
auto max_pool_backward(index channels, index size) {
  auto const [c, y, x] = axes<"c", "y", "x">;
  tensor<"X", float, 3> const X{{channels, 2 * size, 2 * size}};
  tensor<"dY", float, 3> const dY{{channels, size, size}};
  auto const p = [&](int r, int s) { return X(c, 2 * y + r, 2 * x + s); };
  auto const Y = compute<"Y">(c, y.in(size), x.in(size)) = max(max(p(0, 0), p(0, 1)), max(p(1, 0), p(1, 1)));
  auto const dX = compute<"dX">(c, y.in(2 * size), x.in(2 * size)) =
      select(X(c, y, x) == Y(c, y / 2, x / 2), dY(c, y / 2, x / 2), 0);
  return op(inputs(X, dY), outputs(dX), "max_pool_backward");
}

add_family const training{
    {"training",
     {{"group_norm", "8 x 256 x 32 x 32, 32 groups", {8, 32, 8, 32}, {2, 3, 4, 5}, group_norm},
      {"layer_norm_backward",
       "GPT-2: 4 x 1024 x 768",
       {4096, 768},
       {7, 35},
       layer_norm_backward,
       {uniform(-1, 1), uniform(-1, 1), uniform(0.5, 1.5), uniform(-0.1, 0.1), uniform(1, 2)}},
      {"conv_input_gradient", "ResNet's 128 x 28 x 28 to 128", {128, 128, 28}, {3, 5, 9}, conv_input_gradient},
      {"conv_weight_gradient",
       "ResNet's 64 x 56 x 56 to 64, a batch of 4",
       {4, 64, 64, 56},
       {2, 3, 5, 9},
       conv_weight_gradient},
      {"softmax_backward", "BERT: 12 x 512 rows of 512", {6144, 512}, {7, 35}, softmax_backward},
      {"attention_backward", "one head of GPT-2: 1024 x 64", {1024, 64}, {19, 5}, attention_backward},
      {"batch_norm", "16 x 64 x 56 x 56", {16, 64, 56}, {3, 4, 5}, batch_norm},
      {"gelu_backward", "GPT-2: 1024 x 3072", {1024 * 3072}, {101}, gelu_backward, {uniform(-3, 3)}},
      {"embedding", "GPT-2: 1024 of 50257 x 768", {1024, 50257, 768}, {7, 23, 19}, embedding},
      {"cross_entropy", "GPT-2: 256 rows of 50257", {256, 50257}, {7, 35}, cross_entropy},
      {"adam",
       "a million weights",
       {1'000'000},
       {101},
       adam,
       {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0, 1)}},
      {"rms_norm_backward", "Llama: 512 x 4096", {512, 4096}, {7, 35}, rms_norm_backward},
      {"max_pool_backward", "VGG: 64 x 224 x 224", {64, 112}, {3, 9}, max_pool_backward}}}};

}  // namespace
