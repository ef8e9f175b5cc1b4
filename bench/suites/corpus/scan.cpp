// SPDX-License-Identifier: Apache-2.0
// Scans: each result has one term more than the one before.
#include <limits>

#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Shape: X (n) -> S (n)
auto prefix_sum(index n) {
  auto const [t, k] = axes<"t", "k">;
  tensor<"X", float, 1> const X{{n}};
  auto const S = compute<"S">(t.in(n)) = sum(over(k), select(k <= t, X(k), 0));
  return op(inputs(X), outputs(S), "prefix_sum");
}

/// Shape: X (m, n) -> S (m, n)
auto prefix_sum_rows(index m, index n) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const S = compute<"S">(i, t.in(n)) = sum(over(k), select(k <= t, X(i, k), 0));
  return op(inputs(X), outputs(S), "prefix_sum_rows");
}

/// Sums of all pixels above and to the left.
/// Shape: I (h, w) -> S (h, w)
auto integral_image(index h, index w) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", std::uint8_t, 2> const I{{h, w}};
  auto const R = compute<"R">(y, x.in(w)) = sum(over(s), select(s <= x, cast<std::int32_t>(I(y, s)), 0));
  auto const S = compute<"S">(y.in(h), x) = sum(over(r), select(r <= y, R(r, x), 0));
  return op(inputs(I), outputs(S), "integral_image");
}

/// How far each value is below the largest one so far.
/// Shape: P (m, n) -> D (m, n)
auto drawdown(index m, index n) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"P", float, 2> const P{{m, n}};
  auto const top = compute<"top">(i, t.in(n)) =
      max(over(k), select(k <= t, P(i, k), -std::numeric_limits<float>::infinity()));
  auto const D = compute<"D">(i, t.in(n)) = 1 - P(i, t) / top(i, t);
  return op(inputs(P), outputs(D), "drawdown");
}

/// y(t) = a(t) y(t - 1) + x(t), as in state space models: a scan of pairs, the factor and the sum of a run.
/// Shape: A, X (m, n) -> Y (m, n)
template <bool Columns>
auto first_order(index m, index n) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"A", float, 2> const A{{m, n}};
  tensor<"X", float, 2> const X{{m, n}};
  auto const at = [&](auto const& operand) {
    if constexpr (Columns) return operand(k, i);
    else return operand(i, k);
  };
  auto const [factor, value] = reduce<"factor", "value">(
      over(k), identity(1, 0),
      [](auto left, auto right) {
        return components(left.template get<0>() * right.template get<0>(),
                          left.template get<1>() * right.template get<0>() + right.template get<1>());
      },
      law{.associative = true, .commutative = false}, select(k <= t, at(A), 1), select(k <= t, at(X), 0));
  if constexpr (Columns) {
    auto const Y = compute<"Y">(t.in(m), i) = value;
    return op(inputs(A, X), outputs(Y), "first_order_columns");
  } else {
    auto const Y = compute<"Y">(i, t.in(n)) = value;
    return op(inputs(A, X), outputs(Y), "first_order_rows");
  }
}

add_family const scan_family{
    {"scan",
     {{"prefix_sum", "ten million", {10'000'000}, {35}, prefix_sum},
      {"prefix_sum_rows", "1000 x 1000", {1000, 1000}, {5, 37}, prefix_sum_rows},
      {"integral_image", "1080 x 1920", {1080, 1920}, {7, 35}, integral_image},
      {"drawdown", "500 assets, 2520 days", {500, 2520}, {5, 37}, drawdown, {uniform(0.5, 2)}},
      {"first_order_rows", "64 channels, 44 100 samples", {64, 44'100}, {5, 37}, first_order<false>},
      {"first_order_columns", "1024 steps of 2048 states", {1024, 2048}, {37, 5}, first_order<true>}}}};

}  // namespace
