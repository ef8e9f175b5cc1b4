// SPDX-License-Identifier: Apache-2.0
// The tiling of one dimension of a convolution for Winograd's method.
//
// Phases. With stride s, output o reads pixels s * (o + u) + q with the taps q + s * u, q = 0 … s - 1: the sum of s
// convolutions of stride 1, each on every s-th pixel, with ceil((r - q) / s) taps. Later phases have fewer taps and use
// fewer of the points: all are summed in one domain and share one output transform.
//
// Tiles. All have `outputs` outputs, except the last, which may have fewer and then uses fewer of the points: the same
// transformed weights serve both. 14 = 4 + 4 + 4 + 2 takes 22 products, not 24.
//
// Groups. Points that are used by the same tiles and phases form one product stage: no product is wasted, and the
// weights are read once.
#pragma once

#include <vector>

#include "ttune/ops/winograd/matrices.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// A dimension and its tiling.
struct winograd_dimension {
  std::int64_t extent = 1;  ///< total number of outputs
  std::int64_t taps = 1;
  std::int64_t stride = 1;
  std::int64_t outputs = 1;         ///< outputs of a tile
  bool smaller_last = true;         ///< the last tile has only the remaining outputs; else it overhangs
  std::vector<double> points = {};  ///< finite interpolation points
};

/// Returns the number of finite points that tiles of `outputs` outputs need.
[[nodiscard]] inline std::int64_t points_needed(std::int64_t outputs, std::int64_t taps, std::int64_t stride) {
  return outputs + ceil_divide(taps, stride) - 2;
}

/// The tiling of one dimension: its tiles, phases, points and groups, and the coefficients of the transforms.
class winograd_tiling {
 public:
  /// Upper bound of groups per dimension: each pair of groups of two dimensions is a product stage.
  static constexpr std::int64_t most_groups = 2;

  /// Points that the first `tiles` tiles use in the first `phases` phases.
  struct group {
    std::vector<std::int64_t> points;
    std::int64_t tiles;
    std::int64_t phases;
  };

  /// Throws program_error for points that are too few, too many, or coincide.
  explicit winograd_tiling(winograd_dimension d) : d_(std::move(d)) {
    d_.outputs = std::min(d_.outputs, std::max<std::int64_t>(d_.extent, 1));
    auto const needed = points_needed(d_.outputs, d_.taps, d_.stride);
    // A dimension of few outputs has smaller tiles than requested.
    if (needed >= 0 && std::ssize(d_.points) > needed) d_.points.resize(static_cast<std::size_t>(needed));
    detail::check_points(d_.outputs, taps_of(0), d_.points);
    group_points();
  }

  [[nodiscard]] std::int64_t tiles() const { return ceil_divide(d_.extent, d_.outputs); }
  [[nodiscard]] std::int64_t stride() const { return d_.stride; }
  [[nodiscard]] std::int64_t outputs() const { return d_.outputs; }
  /// Returns the outputs of the last tile.
  [[nodiscard]] std::int64_t last_outputs() const {
    auto const rest = d_.extent % d_.outputs;
    return rest == 0 || !d_.smaller_last ? d_.outputs : rest;
  }
  [[nodiscard]] std::int64_t points() const { return d_.outputs + taps_of(0) - 1; }
  [[nodiscard]] std::int64_t phases() const { return std::min(d_.stride, d_.taps); }
  [[nodiscard]] std::int64_t taps_of(std::int64_t phase) const { return ceil_divide(d_.taps - phase, d_.stride); }
  [[nodiscard]] std::vector<group> const& groups() const { return groups_; }
  /// Returns the pixels of the padded image that all tiles together cover.
  [[nodiscard]] std::int64_t pixels() const { return d_.stride * (tiles() * d_.outputs + taps_of(0) - 1); }
  /// Returns the pixels that a tile covers.
  [[nodiscard]] std::int64_t tile_pixels() const { return d_.stride * points(); }

  /// Returns true if a tile of `outputs` outputs has a product at a point in a phase.
  [[nodiscard]] bool uses(std::int64_t outputs, std::int64_t phase, std::int64_t point) const {
    return is_infinity(point) || point < outputs + taps_of(phase) - 2;
  }

  /// Returns the coefficients of the transformed input at a point, one for each pixel of the phase; zeros if the point
  /// is unused.
  [[nodiscard]] std::vector<double> input_row(std::int64_t outputs, std::int64_t phase, std::int64_t point) const {
    std::vector<double> row(static_cast<std::size_t>(points()));
    if (!uses(outputs, phase, point)) return row;
    auto const count = outputs + taps_of(phase) - 2;
    std::vector<double> others;
    for (std::int64_t j = 0; j < count; ++j)
      if (j != point) others.push_back(d_.points[static_cast<std::size_t>(j)]);
    auto const made = detail::polynomial_of_roots(others);
    // The weights are scaled for full tiles.
    auto const scale = is_infinity(point) ? 1 : distance(d_.outputs, phase, point) / distance(outputs, phase, point);
    for (std::size_t j = 0; j < made.size(); ++j) row[j] = made[j] * scale;
    return row;
  }

  /// Returns the coefficients of the transformed weights at a point, one for each tap of the dimension.
  [[nodiscard]] std::vector<double> weights_row(std::int64_t phase, std::int64_t point) const {
    std::vector<double> row(static_cast<std::size_t>(d_.taps));
    if (!uses(d_.outputs, phase, point)) return row;
    auto const last = taps_of(phase) - 1;
    for (std::int64_t u = 0; u <= last; ++u)
      row[static_cast<std::size_t>(phase + d_.stride * u)] =
          is_infinity(point) ? (u == last ? 1 : 0) : power(point, u) / distance(d_.outputs, phase, point);
    return row;
  }

  /// Returns the coefficient of a product in an output.
  [[nodiscard]] double output_coefficient(std::int64_t outputs, std::int64_t output, std::int64_t point) const {
    if (!uses(outputs, 0, point)) return 0;
    if (is_infinity(point)) return output == outputs - 1 ? 1 : 0;
    return power(point, output);
  }

  /// Returns the number of products relative to the direct sum; below 1.
  [[nodiscard]] double products() const {
    double sum = 0;
    for (auto const& g : groups_) sum += static_cast<double>(std::ssize(g.points) * g.tiles * g.phases);
    return sum / static_cast<double>(d_.extent * d_.taps);
  }

  /// Returns the number of transformed weights per channel and filter.
  [[nodiscard]] double weights() const {
    double sum = 0;
    for (auto const& g : groups_) sum += static_cast<double>(std::ssize(g.points) * g.phases);
    return sum;
  }

  /// Returns the sum, over the outputs of one tile, of the squared coefficients of a product.
  [[nodiscard]] double output_square(std::int64_t outputs, std::int64_t point) const {
    double sum = 0;
    for (std::int64_t k = 0; k < outputs; ++k) sum += std::pow(output_coefficient(outputs, k, point), 2);
    return sum;
  }
  /// Returns the variance of a product's terms for independent normal data.
  [[nodiscard]] double term_square(std::int64_t outputs, std::int64_t phase, std::int64_t point) const {
    auto const square = [](std::vector<double> const& row) {
      double s = 0;
      for (auto const v : row) s += v * v;
      return s;
    };
    return square(input_row(outputs, phase, point)) * square(weights_row(phase, point));
  }
  /// Returns the sizes of tiles, each with the number of tiles.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> sizes() const {
    if (last_outputs() == d_.outputs) return {{d_.outputs, tiles()}};
    return {{d_.outputs, tiles() - 1}, {last_outputs(), 1}};
  }
  [[nodiscard]] std::int64_t taps() const { return d_.taps; }

 private:
  [[nodiscard]] bool is_infinity(std::int64_t point) const { return point == points() - 1; }
  [[nodiscard]] double power(std::int64_t point, std::int64_t exponent) const {
    return std::pow(d_.points[static_cast<std::size_t>(point)], static_cast<double>(exponent));
  }
  /// Returns prod (p - p_j) over the other finite points of a tile.
  [[nodiscard]] double distance(std::int64_t outputs, std::int64_t phase, std::int64_t point) const {
    double product = 1;
    auto const p = d_.points[static_cast<std::size_t>(point)];
    for (std::int64_t j = 0; j < outputs + taps_of(phase) - 2; ++j)
      if (j != point) product *= p - d_.points[static_cast<std::size_t>(j)];
    return product;
  }

  void group_points() {
    for (std::int64_t i = 0; i < points(); ++i) {
      auto const with = uses(last_outputs(), 0, i) ? tiles() : tiles() - 1;
      std::int64_t phases_here = 0;
      for (std::int64_t q = 0; q < phases(); ++q) phases_here += uses(d_.outputs, q, i) ? 1 : 0;
      auto const same = std::find_if(groups_.begin(), groups_.end(),
                                     [&](group const& g) { return g.tiles == with && g.phases == phases_here; });
      if (same != groups_.end()) same->points.push_back(i);
      else groups_.push_back({{i}, with, phases_here});
    }
    while (std::ssize(groups_) > most_groups) merge_cheapest();
  }

  /// Merges the two groups for which that adds the fewest unused products. The group with all tiles and phases stays
  /// the first.
  void merge_cheapest() {
    auto const size = [](group const& g) { return std::ssize(g.points) * g.tiles * g.phases; };
    auto const merged = [](group const& a, group const& b) {
      group made{a.points, std::max(a.tiles, b.tiles), std::max(a.phases, b.phases)};
      made.points.insert(made.points.end(), b.points.begin(), b.points.end());
      return made;
    };
    std::size_t best_a = 0;
    std::size_t best_b = 1;
    std::int64_t least = -1;
    for (std::size_t a = 0; a < groups_.size(); ++a)
      for (auto b = a + 1; b < groups_.size(); ++b) {
        auto const more = size(merged(groups_[a], groups_[b])) - size(groups_[a]) - size(groups_[b]);
        if (least < 0 || more < least) least = more, best_a = a, best_b = b;
      }
    groups_[best_a] = merged(groups_[best_a], groups_[best_b]);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(best_b));
  }

  winograd_dimension d_;
  std::vector<group> groups_;
};

namespace detail {

/// The squares of one size of tiles: those of the products' coefficients in the outputs, by point, and of their terms,
/// by phase and point.
struct tile_squares {
  std::vector<double> output;             // (points)
  std::vector<std::vector<double>> term;  // (phases, points)

  tile_squares(winograd_tiling const& of, std::int64_t outputs) : term(static_cast<std::size_t>(of.phases())) {
    for (std::int64_t i = 0; i < of.points(); ++i) {
      output.push_back(of.output_square(outputs, i));
      for (std::int64_t q = 0; q < of.phases(); ++q)
        term[static_cast<std::size_t>(q)].push_back(of.term_square(outputs, q, i));
    }
  }
};

}  // namespace detail

/// Returns the expected root mean square error relative to a direct sum, on independent normal data, of a convolution
/// with these tilings of rows and columns. Rounding errors of a chain of sums grow with the partial sums: a later phase
/// adds to the sums of the earlier ones. For one phase and equal tilings in both dimensions the result is that of
/// winograd_error(winograd_matrices). Accurate within a quarter of the measured errors.
[[nodiscard]] inline double winograd_error(winograd_tiling const& rows, winograd_tiling const& columns) {
  auto const chain = [&](detail::tile_squares const& r, std::size_t i, detail::tile_squares const& c, std::size_t j) {
    double before = 0;
    double sum = 0;
    for (auto const& of_row : r.term)
      for (auto const& of_column : c.term) {
        auto const v = of_row[i] * of_column[j];
        if (v == 0) continue;  // nothing is added in this phase
        sum += v + 2 * before;
        before += v;
      }
    return sum;
  };
  double total = 0;
  double outputs = 0;
  for (auto const& [m, m_count] : rows.sizes())
    for (auto const& [k, k_count] : columns.sizes()) {
      detail::tile_squares const r(rows, m);
      detail::tile_squares const c(columns, k);
      double tile = 0;
      for (std::size_t i = 0; i < r.output.size(); ++i)
        for (std::size_t j = 0; j < c.output.size(); ++j) tile += r.output[i] * c.output[j] * chain(r, i, c, j);
      total += tile * static_cast<double>(m_count * k_count);
      outputs += static_cast<double>(m * k * m_count * k_count);
    }
  return std::sqrt(total / outputs) / static_cast<double>(rows.taps() * columns.taps());
}

/// Returns the expected error of a convolution that is tiled along one dimension and summed directly along the other.
/// For short chains of sums, the rounding of the transforms counts, too.
[[nodiscard]] inline double winograd_error(winograd_tiling const& rows, std::int64_t terms_a_point) {
  // Counted as this number of further terms per chain, from measurements with 3 channels.
  constexpr double transforms = 16;
  double total = 0;
  double outputs = 0;
  for (auto const& [m, count] : rows.sizes()) {
    for (std::int64_t i = 0; i < rows.points(); ++i) {
      double before = 0;
      double sum = 0;
      for (std::int64_t p = 0; p < rows.phases(); ++p) {
        auto const v = rows.term_square(m, p, i);
        if (v == 0) continue;
        sum += v + 2 * before;
        before += v;
      }
      total += static_cast<double>(count) * rows.output_square(m, i) *
               (sum + before * transforms / static_cast<double>(terms_a_point));
    }
    outputs += static_cast<double>(m * count);
  }
  return std::sqrt(total / outputs) / static_cast<double>(rows.taps());
}

}}}  // namespace ttune::v0::ops
