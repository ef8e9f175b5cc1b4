// SPDX-License-Identifier: Apache-2.0
// Scans along the last dimension. A schedule computes them with one term for each result, or in runs
// (schedule/primitive/carry.hpp, split_scan.hpp).
#pragma once

#include <limits>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/reduce.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// The terms of a prefix sum: with the element at its place (inclusive), or only those before it.
enum class prefix { inclusive, exclusive };

/// Sums the elements of each row up to each place. Sums of narrow types are those of `accumulator_t`.
/// Shape: X (rows, columns) -> S (rows, columns)
template <class T = float>
[[nodiscard]] auto prefix_sum(std::int64_t rows, std::int64_t columns, prefix which = prefix::inclusive) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"X", T, 2> const X{{rows, columns}};  // (rows, columns)
  using wide = accumulator_t<T>;
  auto const last = which == prefix::inclusive ? 0 : -1;
  auto const S = compute<"S">(i, t.in(columns)) = sum(over(k), select(k <= t + last, in_type<wide>(X(i, k)), wide(0)));
  return op(inputs(X), outputs(S), "prefix_sum");  // (rows, columns)
}

/// Returns the largest element of each row up to each place.
/// Shape: X (rows, columns) -> M (rows, columns)
template <class T = float>
[[nodiscard]] auto running_maximum(std::int64_t rows, std::int64_t columns) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"X", T, 2> const X{{rows, columns}};  // (rows, columns)
  auto const least = [] {
    if constexpr (is_float(dtype_of<T>())) return -std::numeric_limits<double>::infinity();
    else return std::numeric_limits<T>::lowest();
  }();
  auto const M = compute<"M">(i, t.in(columns)) = max(over(k), select(k <= t, X(i, k), least));
  return op(inputs(X), outputs(M), "running_maximum");  // (rows, columns)
}

/// A linear recurrence of the first order, y(t) = a(t) y(t - 1) + x(t) with y(-1) = 0: exponential averages, state
/// space models. It is a scan of pairs, the factor and the sum of a run of elements (Blelloch, "Prefix Sums and Their
/// Applications", 1990, section 1.4).
/// Shape: A (rows, columns), X (rows, columns) -> Y (rows, columns)
template <class T = float>
[[nodiscard]] auto linear_recurrence(std::int64_t rows, std::int64_t columns) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"A", T, 2> const A{{rows, columns}};  // (rows, columns)
  tensor<"X", T, 2> const X{{rows, columns}};  // (rows, columns)
  auto const combine = [](auto left, auto right) {
    return components(left.template get<0>() * right.template get<0>(),
                      left.template get<1>() * right.template get<0>() + right.template get<1>());
  };
  auto const [factor, value] =
      reduce<"factor", "value">(over(k), identity(1, 0), combine, law{.associative = true, .commutative = false},
                                select(k <= t, A(i, k), T(1)), select(k <= t, X(i, k), T(0)));
  auto const Y = compute<"Y">(i, t.in(columns)) = value;
  return op(inputs(A, X), outputs(Y), "linear_recurrence");  // (rows, columns)
}

}}}  // namespace ttune::v0::ops
