// SPDX-License-Identifier: Apache-2.0
// Statistics and distances.
#include <limits>

#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// The nearest centre of each point, and its distance (a step of k-means).
/// Shape: X (n, d), C (k, d) -> best (n), at (n)
auto kmeans(index n, index k, index d) {
  auto const [i, j, e] = axes<"i", "j", "e">;
  tensor<"X", float, 2> const X{{n, d}};
  tensor<"C", float, 2> const C{{k, d}};
  auto const D = compute<"D">(i, j) = sum(over(e), (X(i, e) - C(j, e)) * (X(i, e) - C(j, e)));
  auto const [near, which] = reduce<"near", "which">(
      over(j), identity(std::numeric_limits<float>::max(), 0),
      [](auto const& l, auto const& r) {
        auto const takes = r.template get<0>() < l.template get<0>();
        return components(select(takes, r.template get<0>(), l.template get<0>()),
                          select(takes, r.template get<1>(), l.template get<1>()));
      },
      law{true, false}, D(i, j), cast<std::int32_t>(j));
  auto const best = compute<"best">(i) = near;
  auto const where = compute<"where">(i) = which;
  return op(inputs(X, C), outputs(best, where), "kmeans");
}

/// Shape: A (m, d), B (n, d) -> S (m, n)
auto cosine_similarity(index m, index n, index d) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{m, d}};
  tensor<"B", float, 2> const B{{n, d}};
  auto const a = compute<"a">(i) = rsqrt(sum(over(k), A(i, k) * A(i, k)));
  auto const b = compute<"b">(j) = rsqrt(sum(over(k), B(j, k) * B(j, k)));
  auto const S = compute<"S">(i, j) = sum(over(k), A(i, k) * B(j, k)) * a(i) * b(j);
  return op(inputs(A, B), outputs(S), "cosine_similarity");
}

/// Shape: X (m, n) -> L (n)
auto logsumexp_columns(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const largest = compute<"largest">(j) = max(over(i), X(i, j));
  auto const L = compute<"L">(j) = log(sum(over(i), exp(X(i, j) - largest(j)))) + largest(j);
  return op(inputs(X), outputs(L), "logsumexp_columns");
}

/// Variance over the first and the last axis.
/// Shape: X (a, b, c) -> V (b)
auto variance_axes(index a, index b, index c) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 3> const X{{a, b, c}};
  auto const each = 1 / static_cast<double>(a * c);
  auto const M = compute<"M">(j) = each * sum(over(i, k), X(i, j, k));
  auto const V = compute<"V">(j) = each * sum(over(i, k), (X(i, j, k) - M(j)) * (X(i, j, k) - M(j)));
  return op(inputs(X), outputs(V), "variance_axes");
}

/// Shape: X (n, d), mean (d), P (d, d) -> D (n)
auto mahalanobis(index n, index d) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{n, d}};
  tensor<"mean", float, 1> const mean{{d}};
  tensor<"P", float, 2> const P{{d, d}};
  auto const T = compute<"T">(i, j) = sum(over(k), (X(i, k) - mean(k)) * P(k, j));
  auto const D = compute<"D">(i) = sum(over(j), T(i, j) * (X(i, j) - mean(j)));
  return op(inputs(X, mean, P), outputs(D), "mahalanobis");
}

/// Mean, variance, skewness and kurtosis of each column, from sums of powers.
/// Shape: X (m, n) -> mean, variance, skewness, kurtosis (n)
auto moments(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const each = 1 / static_cast<double>(m);
  auto const x = X(i, j);
  auto const mean = compute<"mean">(j) = each * sum(over(i), x);
  auto const s2 = compute<"s2">(j) = each * sum(over(i), x * x);
  auto const s3 = compute<"s3">(j) = each * sum(over(i), x * x * x);
  auto const s4 = compute<"s4">(j) = each * sum(over(i), x * x * x * x);
  auto const u = mean(j);
  auto const variance = compute<"variance">(j) = s2(j) - u * u;
  auto const v = variance(j);
  auto const skewness = compute<"skewness">(j) = (s3(j) - 3 * u * s2(j) + 2 * u * u * u) / (v * sqrt(v));
  auto const kurtosis = compute<"kurtosis">(j) =
      (s4(j) - 4 * u * s3(j) + 6 * u * u * s2(j) - 3 * u * u * u * u) / (v * v);
  return op(inputs(X), outputs(mean, variance, skewness, kurtosis), "moments");
}

/// Sums of absolute differences of all pairs.
/// Shape: A (m, d), B (n, d) -> D (m, n)
auto manhattan(index m, index n, index d) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{m, d}};
  tensor<"B", float, 2> const B{{n, d}};
  auto const D = compute<"D">(i, j) = sum(over(k), abs(A(i, k) - B(j, k)));
  return op(inputs(A, B), outputs(D), "manhattan");
}

/// Similarities as a Gaussian of the distance.
/// Shape: A (m, d), B (n, d) -> K (m, n)
auto rbf_kernel(index m, index n, index d) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{m, d}};
  tensor<"B", float, 2> const B{{n, d}};
  auto const a = compute<"a">(i) = sum(over(k), A(i, k) * A(i, k));
  auto const b = compute<"b">(j) = sum(over(k), B(j, k) * B(j, k));
  auto const K = compute<"K">(i, j) = exp(-0.05 * (a(i) + b(j) - 2 * sum(over(k), A(i, k) * B(j, k))));
  return op(inputs(A, B), outputs(K), "rbf_kernel");
}

/// Estimates a density at points from samples (Gaussian kernel).
/// Shape: x (points), s (samples) -> f (points)
auto kernel_density(index points, index samples) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"x", float, 1> const x{{points}};
  tensor<"s", float, 1> const s{{samples}};
  auto const apart = (x(i) - s(j)) * 10;
  auto const f = compute<"f">(i) = sum(over(j), exp(-0.5 * apart * apart)) * (3.989 / static_cast<double>(samples));
  return op(inputs(x, s), outputs(f), "kernel_density");
}

/// Scales each column to [0, 1].
/// Shape: X (m, n) -> O (m, n)
auto min_max_scale(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const low = compute<"low">(j) = min(over(i), X(i, j));
  auto const high = compute<"high">(j) = max(over(i), X(i, j));
  auto const O = compute<"O">(i, j) = (X(i, j) - low(j)) / (high(j) - low(j));
  return op(inputs(X), outputs(O), "min_max_scale");
}

/// The ten largest elements of each row, and their places.
/// Shape: X (m, n) -> V (m, 10), P (m, 10)
auto top_10(index m, index n) {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const top = largest<"top">(over(j), X(i, j), 10);
  auto const V = compute<"V">(i, r.in(10)) = top.value(r);
  auto const P = compute<"P">(i, r.in(10)) = top.place(r);
  return op(inputs(X), outputs(V, P), "top_10");
}

/// The eight nearest points of each query, and the squares of their distances.
/// Shape: Q (m, d), X (n, d) -> far (m, 8), at (m, 8)
auto nearest_8(index m, index n, index d) {
  auto const [i, j, e, r] = axes<"i", "j", "e", "r">;
  tensor<"Q", float, 2> const Q{{m, d}};
  tensor<"X", float, 2> const X{{n, d}};
  auto const D = compute<"D">(i, j) = sum(over(e), (Q(i, e) - X(j, e)) * (Q(i, e) - X(j, e)));
  auto const near = smallest<"near">(over(j), D(i, j), 8);
  auto const far = compute<"far">(i, r.in(8)) = near.value(r);
  auto const at = compute<"at">(i, r.in(8)) = near.place(r);
  return op(inputs(Q, X), outputs(far, at), "nearest_8");
}

add_family const statistics{
    {"statistics",
     {{"kmeans", "100 000 points, 16 centres, 8 dimensions", {100'000, 16, 8}, {37, 5, 3}, kmeans},
      {"cosine_similarity", "1024 x 1024, 256 dimensions", {1024, 1024, 256}, {7, 19, 35}, cosine_similarity},
      {"logsumexp_columns", "1000 x 1000", {1000, 1000}, {19, 35}, logsumexp_columns},
      {"variance_axes", "64 x 256 x 256", {64, 256, 256}, {5, 7, 19}, variance_axes},
      {"mahalanobis", "10 000 x 64", {10'000, 64}, {37, 11}, mahalanobis},
      // Around a mean far from 0 the moments are differences of nearly equal sums: results of rounding errors.
      {"moments", "10 000 x 256", {10'000, 256}, {37, 19}, moments, {uniform(-1, 1)}},
      {"manhattan", "1024 x 1024, 64 dimensions", {1024, 1024, 64}, {7, 19, 11}, manhattan},
      {"rbf_kernel", "1024 x 1024, 64 dimensions", {1024, 1024, 64}, {7, 19, 11}, rbf_kernel},
      {"kernel_density", "2000 points, 10 000 samples", {2000, 10'000}, {19, 35}, kernel_density},
      {"min_max_scale", "10 000 x 256", {10'000, 256}, {37, 19}, min_max_scale},
      {"top_10", "a million elements", {1, 1'000'000}, {3, 100}, top_10},
      {"nearest_8", "256 of 10 000 points, 16 dimensions", {256, 10'000, 16}, {5, 40, 3}, nearest_8}}}};

}  // namespace
