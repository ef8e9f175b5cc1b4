// SPDX-License-Identifier: Apache-2.0
// Programs that scan an axis, for the tests of the primitives that schedule scans.
#pragma once

#include <cstdint>
#include <limits>

#include "ttune/expr.hpp"

namespace ttune_test {

/// Sums of the elements of a row up to each of them, or before it. Shape: A (rows, n) -> S (rows, n)
inline auto prefix_sums(std::int64_t rows, std::int64_t n, bool inclusive = true) {
  auto const [i, t, k] = ttune::axes<"i", "t", "k">;
  ttune::tensor<"A", float, 2> const A{{rows, n}};
  auto const S = ttune::compute<"S">(i, t.in(n)) =
      ttune::sum(over(k), select(k <= t + (inclusive ? 0 : -1), A(i, k) * 2.0F, 0.0F));
  return ttune::op(inputs(A), outputs(S), "prefix_sums");
}

/// The same along columns. Shape: A (n, columns) -> S (n, columns)
inline auto column_sums(std::int64_t n, std::int64_t columns) {
  auto const [i, t, k] = ttune::axes<"i", "t", "k">;
  ttune::tensor<"A", float, 2> const A{{n, columns}};
  auto const S = ttune::compute<"S">(t.in(n), i) = ttune::sum(over(k), select(k <= t, A(k, i), 0.0F));
  return ttune::op(inputs(A), outputs(S), "column_sums");
}

/// The largest element so far, and a stage that reads it at other places. Shape: A (rows, n) -> O (rows, n)
inline auto running_maxima(std::int64_t rows, std::int64_t n) {
  auto const [i, t, k] = ttune::axes<"i", "t", "k">;
  ttune::tensor<"A", std::int32_t, 2> const A{{rows, n}};
  auto const S = ttune::compute<"S">(i, t.in(n)) =
      ttune::max(over(k), select(k <= t, A(i, k), std::numeric_limits<std::int32_t>::min()));
  auto const O = ttune::compute<"O">(i, t.in(n)) = S(i, n - 1 - t) - A(i, t);
  return ttune::op(inputs(A), outputs(O), "running_maxima");
}

/// A filter of the first order, y(t) = f(t) y(t - 1) + x(t), as a scan of pairs: the factor and the sum of a run.
/// Shape: F (rows, n), X (rows, n) -> Y (rows, n)
inline auto first_order_filter(std::int64_t rows, std::int64_t n) {
  auto const [i, t, k] = ttune::axes<"i", "t", "k">;
  ttune::tensor<"F", float, 2> const F{{rows, n}};
  ttune::tensor<"X", float, 2> const X{{rows, n}};
  auto const [factor, value] = ttune::reduce<"factor", "value">(
      over(k), ttune::identity(1, 0),
      [](auto left, auto right) {
        return ttune::components(left.template get<0>() * right.template get<0>(),
                                 left.template get<1>() * right.template get<0>() + right.template get<1>());
      },
      ttune::law{.associative = true, .commutative = false}, select(k <= t, F(i, k), 1.0F),
      select(k <= t, X(i, k), 0.0F));
  auto const Y = ttune::compute<"Y">(i, t.in(n)) = value;
  return ttune::op(inputs(F, X), outputs(Y), "first_order_filter");
}

}  // namespace ttune_test
