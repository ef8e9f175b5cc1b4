// SPDX-License-Identifier: Apache-2.0
// Selects the tilings that are worth a trial for a shape, by their expected work and error.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "ttune/ops/winograd/tile.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// A tiling of the image, with its expected work and error.
struct winograd_candidate {
  winograd_tile how;
  double work = 0;   ///< relative to the direct sum
  double error = 0;  ///< relative to the direct sum
};

namespace detail {

/// Makes the last tile smaller if that saves enough products to justify the additional stages.
template <class Products>
void choose_last_tile(winograd_tile& how, Products const& products) {
  how.smaller_last = false;
  auto const uniform = products();
  how.smaller_last = true;
  how.smaller_last = products() < 0.96 * uniform;
}

/// Returns the work apart from the products, in units of multiply-adds. Weights are read from an outer cache, partly
/// while products are computed: three products per element. Transforms move tiles through inner caches: eight products
/// per element.
[[nodiscard]] inline double work_beside(double weights, double transformed) { return 3 * weights + 8 * transformed; }

[[nodiscard]] inline double products_of(conv2d_shape const& s) {
  return static_cast<double>(s.batch * s.out_height() * s.out_width()) * static_cast<double>(s.channels * s.filters) *
         static_cast<double>(s.kernel * s.kernel);
}
[[nodiscard]] inline double direct_work(conv2d_shape const& s) {
  return products_of(s) + work_beside(static_cast<double>(s.channels * s.filters * s.kernel * s.kernel), 0);
}
/// Rounds up to whole vectors of 16 elements.
[[nodiscard]] inline double filled(std::int64_t elements) {
  return static_cast<double>(ceil_divide(elements, 16) * 16);
}

/// Estimates a tiling along both dimensions.
[[nodiscard]] inline winograd_candidate expected_of_tiles(conv2d_shape const& s, winograd_tile how) {
  auto const products = [&] { return tiling_of_rows(s, how).products() * tiling_of_columns(s, how).products(); };
  choose_last_tile(how, products);
  auto const rows = tiling_of_rows(s, how);
  auto const columns = tiling_of_columns(s, how);
  auto const size = [](auto n) { return static_cast<double>(n); };
  auto const tiles = size(s.batch * rows.tiles() * columns.tiles());
  auto const weights = rows.weights() * columns.weights() * size(s.channels * s.filters);
  auto const inputs = tiles * size(rows.tile_pixels() * columns.tile_pixels()) * filled(s.channels);
  auto const outputs = tiles * size(rows.points() * columns.points()) * filled(s.filters);
  auto const work = products_of(s) * rows.products() * columns.products() + work_beside(weights, inputs + outputs);
  return {std::move(how), work / direct_work(s), winograd_error(rows, columns)};
}

/// Estimates a tiling along one dimension.
[[nodiscard]] inline winograd_candidate expected_of_columns(conv2d_shape const& s, std::int64_t outputs) {
  winograd_tile how{outputs};
  how.one_dimension = true;
  choose_last_tile(how, [&] { return tiling_of_rows(s, how).products(); });
  auto const rows = tiling_of_rows(s, how);
  auto const tiles = static_cast<double>(s.batch * rows.tiles());
  auto const weights = rows.weights() * static_cast<double>(s.kernel * s.channels * s.filters);
  auto const inputs = tiles * static_cast<double>(rows.tile_pixels() * s.channels) * filled(s.width);
  auto const outputs_moved = tiles * static_cast<double>(rows.points() * s.out_width()) * filled(s.filters);
  auto const work = products_of(s) * rows.products() + work_beside(weights, inputs + outputs_moved);
  return {how, work / direct_work(s), error_of(s, how)};
}

}  // namespace detail

inline constexpr std::size_t most_winograd_candidates = 3;  ///< the tuner divides its trials among them

/// Upper bound on the error: numerics that allow more than a direct sum's error rarely allow more than this factor.
inline constexpr double most_winograd_error = 4;

namespace detail {

/// Returns the tilings with less work than the direct sum, the least first, each with a clearly smaller error than all
/// those with less work.
[[nodiscard]] inline std::vector<winograd_candidate> worth_a_trial(std::vector<winograd_candidate> all) {
  std::erase_if(all, [](auto const& a) { return a.error > most_winograd_error; });
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.work < b.work; });
  std::vector<winograd_candidate> kept;
  for (auto& one : all) {
    if (one.work > 0.95 || kept.size() == most_winograd_candidates) break;
    if (kept.empty() || one.error < 0.9 * kept.back().error) kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace detail

/// Returns the tilings that are worth a trial for a shape, the least work first: they need less work than the direct
/// sum, and each has a clearly smaller error than all those with less work.
[[nodiscard]] inline std::vector<winograd_candidate> winograd_candidates(conv2d_shape const& s) {
  std::vector<winograd_candidate> all;
  if (s.dilation != 1 || s.groups != 1 || s.kernel < 2 || s.out_height() < 1 || s.out_width() < 1) return all;
  auto const fits = [&](std::int64_t m, std::int64_t extent) {
    return m <= extent && points_needed(m, s.kernel, s.stride) <= most_known_points(s.stride);
  };
  for (std::int64_t rows = 1; fits(rows, s.out_height()); ++rows)
    for (std::int64_t columns = 1; fits(columns, s.out_width()); ++columns)
      if (rows > 1 || columns > 1) all.push_back(detail::expected_of_tiles(s, {rows, {}, columns}));
  for (std::int64_t m = 2; fits(m, s.out_height()); ++m) all.push_back(detail::expected_of_columns(s, m));
  return detail::worth_a_trial(std::move(all));
}

}}}  // namespace ttune::v0::ops
