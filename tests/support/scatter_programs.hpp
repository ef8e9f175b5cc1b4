// SPDX-License-Identifier: Apache-2.0
// Programs whose terms go to places that data choose, for the tests of the primitive that schedules them.
#pragma once

#include <cstdint>
#include <limits>

#include "ttune/expr.hpp"

namespace ttune_test {

/// Sums of the weights of each bin. Shape: G (n), V (n) -> H (bins)
inline auto histogram(std::int64_t n, std::int64_t bins) {
  auto const [b, k] = ttune::axes<"b", "k">;
  ttune::tensor<"G", std::int32_t, 1> const G{{n}};
  ttune::tensor<"V", float, 1> const V{{n}};
  auto const H = ttune::compute<"H">(b.in(bins)) = ttune::sum(over(k), select(G(k) == b, V(k), 0.0F));
  return ttune::op(inputs(G, V), outputs(H), "histogram");
}

/// Numbers of bytes in each bin of two values, for each row. Shape: G (rows, n) -> H (rows, 16)
inline auto byte_counts(std::int64_t rows, std::int64_t n) {
  auto const [r, b, k] = ttune::axes<"r", "b", "k">;
  ttune::tensor<"G", std::uint8_t, 2> const G{{rows, n}};
  auto const H = ttune::compute<"H">(r, b.in(16)) = ttune::sum(over(k), cast<std::int32_t>(G(r, k) / 2 == b));
  return ttune::op(inputs(G), outputs(H), "byte_counts");
}

/// Gradients of a table that is read by indices. Shape: I (n), D (n, width) -> T (rows, width)
inline auto gradients_of_rows(std::int64_t n, std::int64_t rows, std::int64_t width) {
  auto const [v, d, k] = ttune::axes<"v", "d", "k">;
  ttune::tensor<"I", std::int32_t, 1> const I{{n}};
  ttune::tensor<"D", float, 2> const D{{n, width}};
  auto const T = ttune::compute<"T">(v.in(rows), d) = ttune::sum(over(k), select(I(k) == v, D(k, d), 0.0F));
  return ttune::op(inputs(I, D), outputs(T), "gradients_of_rows");
}

/// The largest weight of each cell of two coordinates, of the points with a positive weight; and a stage that reads it.
/// Shape: X (n), Y (n), V (n) -> O (height, width)
inline auto largest_of_cells(std::int64_t n, std::int64_t height, std::int64_t width) {
  auto const [y, x, k] = ttune::axes<"y", "x", "k">;
  ttune::tensor<"X", std::uint8_t, 1> const X{{n}};
  ttune::tensor<"Y", std::int32_t, 1> const Y{{n}};
  ttune::tensor<"V", float, 1> const V{{n}};
  auto const M = ttune::compute<"M">(y.in(height), x.in(width)) = ttune::max(
      over(k),
      select(X(k) == x && (Y(k) == y && V(k) > 0.0F), V(k) + cast<float>(x), -std::numeric_limits<float>::infinity()));
  auto const O = ttune::compute<"O">(y, x) = ttune::max(M(y, x), 0.0F);
  return ttune::op(inputs(X, Y, V), outputs(O), "largest_of_cells");
}

}  // namespace ttune_test
