// SPDX-License-Identifier: Apache-2.0
// The matrices of Winograd's short convolutions ("Arithmetic complexity of computations", 1980; for networks: Lavin and
// Gray, CVPR 2016), computed from interpolation points:
//
//   y = A^T [(G g) * (B^T d)]      d: m + r - 1 inputs, g: r taps, y: m outputs, * by elements
//
// The transformed weights G g depend on the points only, not on m: a smaller tile may use a subset of a larger tile's
// points, and so the same weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// A matrix as a list of rows.
using small_matrix = std::vector<std::vector<double>>;

/// Matrices for one dimension: `m` outputs from `m + r - 1` inputs with `m + r - 1` products.
struct winograd_matrices {
  small_matrix output;   ///< A^T (m, m + r - 1)
  small_matrix weights;  ///< G (m + r - 1, r)
  small_matrix input;    ///< B^T (m + r - 1, m + r - 1)
};

/// Returns the largest number of finite points that `winograd_points` knows.
[[nodiscard]] constexpr std::int64_t most_known_points(std::int64_t stride) { return stride > 1 ? 6 : 5; }

/// Returns the finite points for tiles of `m` outputs and `r` taps; the point at infinity is added to them. They are
/// those multiples of 1/8 with the smallest error (`winograd_error`). With a stride, `r` is ceil(taps / stride). Throws
/// program_error if none are known: m + r - 2 above 5, or above 6 with a stride.
[[nodiscard]] inline std::vector<double> winograd_points(std::int64_t m, std::int64_t r, std::int64_t stride = 1) {
  switch (m + r - 2) {
    case 0: return {};
    case 1: return {0};
    case 2: return {0, 1};
    case 3: return {0, 1, -1};
    case 4:
      if (stride > 1) return {0, 5.0 / 4, -5.0 / 4, -1.0 / 2};
      return {0, 11.0 / 8, -11.0 / 8, 1.0 / 2};
    case 5: return {0, 5.0 / 8, -5.0 / 8, 3.0 / 2, -3.0 / 2};
    case 6:
      if (stride > 1) return {0, 7.0 / 8, -7.0 / 8, 7.0 / 4, -7.0 / 4, 3.0 / 8};
      [[fallthrough]];
    default:
      throw program_error("winograd: no points are known for tiles of " + std::to_string(m) + " outputs and " +
                          std::to_string(r) + " taps: give " + std::to_string(m + r - 2));
  }
}

namespace detail {

/// Returns the coefficients of the product of (x - p), the constant one first.
[[nodiscard]] inline std::vector<double> polynomial_of_roots(std::vector<double> const& roots) {
  std::vector<double> made = {1};
  for (auto const p : roots) {
    made.insert(made.begin(), 0);
    for (std::size_t i = 0; i + 1 < made.size(); ++i) made[i] -= p * made[i + 1];
  }
  return made;
}

inline void check_points(std::int64_t m, std::int64_t r, std::vector<double> const& points) {
  if (m < 1 || r < 1) throw program_error("winograd: a tile has at least one output and one tap");
  if (static_cast<std::int64_t>(points.size()) != m + r - 2)
    throw program_error("winograd: tiles of " + std::to_string(m) + " outputs and " + std::to_string(r) +
                        " taps need " + std::to_string(m + r - 2) + " points besides infinity, not " +
                        std::to_string(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (points[i] == points[j])
        throw program_error("winograd: interpolation points " + std::to_string(j) + " and " + std::to_string(i) +
                            " coincide at " + std::to_string(points[i]) + ": they must differ");
}

}  // namespace detail

/// Computes the matrices for finite points and infinity. The rows of B^T have integer leading coefficients, so that
/// ones and zeros fold away. Throws program_error for a wrong number of points, or for points that coincide.
[[nodiscard]] inline winograd_matrices make_winograd_matrices(std::int64_t m, std::int64_t r,
                                                              std::vector<double> const& points) {
  detail::check_points(m, r, points);
  auto const n = static_cast<std::size_t>(m + r - 1);
  auto const outputs = static_cast<std::size_t>(m);
  auto const taps = static_cast<std::size_t>(r);
  winograd_matrices made{small_matrix(outputs, std::vector<double>(n)), small_matrix(n, std::vector<double>(taps)),
                         small_matrix(n, std::vector<double>(n))};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    std::vector<double> others;
    double distance = 1;
    for (std::size_t j = 0; j + 1 < n; ++j) {
      if (j == i) continue;
      others.push_back(points[j]);
      distance *= points[i] - points[j];
    }
    auto const row = detail::polynomial_of_roots(others);
    std::copy(row.begin(), row.end(), made.input[i].begin());
    for (std::size_t k = 0; k < outputs; ++k) made.output[k][i] = std::pow(points[i], static_cast<double>(k));
    for (std::size_t t = 0; t < taps; ++t) made.weights[i][t] = std::pow(points[i], static_cast<double>(t)) / distance;
  }
  made.input[n - 1] = detail::polynomial_of_roots(points);
  made.output[outputs - 1][n - 1] = 1;
  made.weights[n - 1][taps - 1] = 1;
  return made;
}

/// Returns the expected root mean square error relative to a direct sum, for a convolution with these matrices in both
/// dimensions, on independent normal data: S / r^2, with S = the mean over outputs k of sum_i A[k][i]^2 |G_i|^2
/// |B_i|^2. For two different matrices, take the geometric mean of both. Accurate within an eighth of the measured
/// errors.
[[nodiscard]] inline double winograd_error(winograd_matrices const& of) {
  double sum = 0;
  auto const square = [](std::vector<double> const& row) {
    double s = 0;
    for (auto const v : row) s += v * v;
    return s;
  };
  for (auto const& row : of.output)
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * row[i] * square(of.weights[i]) * square(of.input[i]);
  auto const taps = static_cast<double>(of.weights[0].size());
  return sum / static_cast<double>(of.output.size()) / (taps * taps);
}

}}}  // namespace ttune::v0::ops
