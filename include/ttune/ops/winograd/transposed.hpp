// SPDX-License-Identifier: Apache-2.0
// The stages of a transposed convolution by Winograd's method, the expected error, and the tilings worth a trial.
//
// Phases. With a stride S, rows S v + e of the output, e = 0 … S - 1, are S convolutions of stride 1 with T = ceil(R /
// S) taps each, and one output each at every position v. If S does not divide the padding, the later phases read their
// pixels one further down: the windows of all phases together have T + 1 pixels.
//
// Points. All phases share the transformed input at m + T points, for windows of T + 1 pixels and m positions in a
// tile. Taps that end before the last pixel have no product at infinity, the last of the points; taps that begin after
// the first pixel have none at 0, the first of them. Each phase has m + T - 1 products, as many as if it stood alone.
//
//   P     the padded image, channels last                 (N, Y, X, C)
//   D, V  tiles, transformed along rows, then columns     (a, b, tiles, C)
//   half, U  transformed weights, computed once (prepare) (e, g, a, b, C, F)
//   M     the products                                    (e, g, a, b, tiles, F)
//   Q, Y  the tiles' outputs                              (tiles, k, l, F)
//
// e, g are phases of rows and of columns, a, b points (in M and U counted from the first one of the phase), k, l
// outputs of a tile in all phases.
#pragma once

#include <cmath>
#include <numeric>

#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/winograd/candidates.hpp"
#include "ttune/ops/winograd/transforms.hpp"

namespace ttune { inline namespace v0 { namespace ops {
namespace detail {

/// One dimension of a transposed convolution: its phases, and the tiling of its positions.
class phases_of_dimension {
 public:
  phases_of_dimension(conv_transpose2d_shape const& s, winograd_tile const& how, std::int64_t extent,
                      std::int64_t outputs)
      : s_(s), tiling_(tiling(s, how, ceil_divide(extent, s.stride), outputs)) {}

  /// Returns the padding that phases differ by, less than the stride.
  [[nodiscard]] static std::int64_t rest(conv_transpose2d_shape const& s) { return s.padding % s.stride; }
  /// Returns the pixels that all phases of one position read.
  [[nodiscard]] static std::int64_t window(conv_transpose2d_shape const& s) { return s.taps() + (rest(s) > 0 ? 1 : 0); }

  [[nodiscard]] winograd_tiling const& positions() const { return tiling_; }
  /// Returns the number of points of a phase.
  [[nodiscard]] std::int64_t points() const { return tiling_.outputs() + s_.taps() - 1; }
  /// Returns the outputs of a tile, in all phases.
  [[nodiscard]] std::int64_t outputs() const { return s_.stride * tiling_.outputs(); }
  /// Returns the first point of a phase, which is the first pixel of its window, too.
  [[nodiscard]] std::int64_t first(std::int64_t phase) const { return (phase + rest(s_)) / s_.stride; }
  [[nodiscard]] std::int64_t taps(std::int64_t phase) const {
    return std::max<std::int64_t>(ceil_divide(s_.kernel - (phase + s_.padding) % s_.stride, s_.stride), 0);
  }

  /// Returns an output of a tile, in all phases; `read(phase, p)` is the product at the p-th point of a phase.
  template <class Output, class Read>
  [[nodiscard]] auto transformed(Output const& output, Read const& read) const {
    small_matrix rows;
    for (std::int64_t k = 0; k < outputs(); ++k) {
      rows.emplace_back();
      for (std::int64_t phase = 0; phase < s_.stride; ++phase)
        for (std::int64_t p = 0; p < points(); ++p)
          rows.back().push_back(phase == k % s_.stride ? coefficient(phase, k / s_.stride, p) : 0);
    }
    return choose_by(output, paired_forms(rows, [&](std::int64_t i) { return read(i / points(), i % points()); }));
  }

  /// Returns the expected root mean square error, relative to one sum of all terms, on independent normal data.
  [[nodiscard]] double error() const {
    double found = 0, direct = 0;
    for (std::int64_t phase = 0; phase < s_.stride; ++phase) {
      direct += static_cast<double>(taps(phase) * taps(phase) * tiling_.outputs());
      for (std::int64_t p = 0; p < points(); ++p) found += square_at(phase, p);
    }
    return std::sqrt(found / direct);
  }

 private:
  [[nodiscard]] static winograd_tiling tiling(conv_transpose2d_shape const& s, winograd_tile const& how,
                                              std::int64_t extent, std::int64_t outputs) {
    auto const m = std::clamp<std::int64_t>(outputs, 1, std::max<std::int64_t>(extent, 1));
    auto const pixels = window(s);
    return winograd_tiling({extent, pixels, 1, m, false, how.points ? *how.points : winograd_points(m, pixels, 1)});
  }
  [[nodiscard]] double coefficient(std::int64_t phase, std::int64_t output, std::int64_t p) const {
    return tiling_.output_coefficient(tiling_.outputs(), output, first(phase) + p);
  }
  /// Returns the variance of what a product adds to the outputs of a tile.
  [[nodiscard]] double square_at(std::int64_t phase, std::int64_t p) const {
    auto const point = first(phase) + p;
    auto const input = tiling_.input_row(tiling_.outputs(), 0, point);
    auto const weights = tiling_.weights_row(0, point);
    auto const end = weights.begin() + first(phase) + s_.taps();
    auto const begin = end - taps(phase);
    return tiling_.output_square(tiling_.outputs(), point) *
           std::inner_product(input.begin(), input.end(), input.begin(), 0.0) *
           std::inner_product(begin, end, begin, 0.0);
  }

  conv_transpose2d_shape s_;
  winograd_tiling tiling_;
};

[[nodiscard]] inline phases_of_dimension phases_of_rows(conv_transpose2d_shape const& s, winograd_tile const& how) {
  return {s, how, s.out_height(), how.outputs};
}
[[nodiscard]] inline phases_of_dimension phases_of_columns(conv_transpose2d_shape const& s, winograd_tile const& how) {
  return {s, how, s.out_width(), how.columns == 0 ? how.outputs : how.columns};
}

/// Returns the expected error, relative to the direct sum.
[[nodiscard]] inline double error_of(conv_transpose2d_shape const& s, winograd_tile const& how) {
  return phases_of_rows(s, how).error() * phases_of_columns(s, how).error();
}
[[nodiscard]] inline std::string transposed_name_of(winograd_tile const& how) { return "transposed_" + name_of(how); }

/// Returns the result at (n, f, y, x), by the stages listed above. `first(phase)` is the expression of
/// `phases_of_dimension::first`.
template <class T, class Image, class Filters, class First>
auto transposed_by_phases(conv_transpose2d_shape const& s, winograd_tile const& how, Image const& I, Filters const& W,
                          First const& first) {
  auto const [n, f, y, x, c, a, b, t, i, k, l] = axes<"n", "f", "y", "x", "c", "a", "b", "t", "i", "k", "l">;
  auto const [e, g] = axes<"e", "g">;
  auto const rows = phases_of_rows(s, how);
  auto const columns = phases_of_columns(s, how);
  auto const& down = rows.positions();
  auto const& across = columns.positions();
  auto const tiles = s.batch * down.tiles() * across.tiles();
  auto const window = phases_of_dimension::window(s);
  auto const before = s.taps() - 1 - s.padding / s.stride;

  auto const P = compute<"P">(n.in(s.batch), y.in(down.pixels()), x.in(across.pixels()), c.in(s.channels)) =
      zero_outside(I)(n, c, y - before, x - before);
  auto const row = t / across.tiles() % down.tiles();
  auto const column = t % across.tiles();
  auto const D = compute<"D">(a.in(down.points()), i.in(across.points()), t.in(tiles), c.in(s.channels)) =
      transformed_input(down, down.groups()[0], a, a, row < down.tiles() - 1, [&](std::int64_t, std::int64_t j) {
        return P(t / (down.tiles() * across.tiles()), row * down.outputs() + j, column * across.outputs() + i, c);
      });
  auto const V = compute<"V">(a, b.in(across.points()), t, c) =
      transformed_input(across, across.groups()[0], b, b, column < across.tiles() - 1,
                        [&](std::int64_t, std::int64_t j) { return D(a, j, t, c); });

  auto const G = weights_table<"G">(down);
  auto const H = weights_table<"H">(across);
  auto const end = phases_of_dimension::rest(s) + s.stride * (s.taps() - 1);
  auto const half = compute<"half">(e.in(s.stride), g.in(s.stride), a.in(rows.points()), i.in(window), c.in(s.channels),
                                    f.in(s.filters)) =
      transformed_weights(G, a + first(e), 0, window, [&](std::int64_t j) {
        return cast<double>(zero_outside(W)(c, f, e + (end - s.stride * j), g + (end - i * s.stride)));
      });
  auto const U = compute<"U">(e, g, a, b.in(columns.points()), c, f) =
      cast<T>(transformed_weights(H, b + first(g), 0, window, [&](std::int64_t j) { return half(e, g, a, j, c, f); }));
  auto const M = compute<"M">(e, g, a, b, t, f) =
      sum(over(c), V(a + first(e), b + first(g), t, c) * U(e, g, a, b, c, f));

  auto const Q = compute<"Q">(t, k.in(rows.outputs()), g, b, f) =
      rows.transformed(k, [&](std::int64_t phase, std::int64_t p) { return M(phase, g, p, b, t, f); });
  auto const Y = compute<"Y">(t, k, l.in(columns.outputs()), f) =
      columns.transformed(l, [&](std::int64_t phase, std::int64_t p) { return Q(t, k, phase, p, f); });
  return Y((n * down.tiles() + y / rows.outputs()) * across.tiles() + x / columns.outputs(), y % rows.outputs(),
           x % columns.outputs(), f);
}

/// Returns the work of the direct sum, in multiply-adds: all products of pixels and taps.
[[nodiscard]] inline double direct_work(conv_transpose2d_shape const& s) {
  auto const weights = static_cast<double>(s.channels * s.filters * s.kernel * s.kernel);
  return static_cast<double>(s.batch * s.height * s.width) * weights + work_beside(weights, 0);
}

/// Estimates a tiling.
[[nodiscard]] inline winograd_candidate expected_of_phases(conv_transpose2d_shape const& s, winograd_tile how) {
  auto const rows = phases_of_rows(s, how);
  auto const columns = phases_of_columns(s, how);
  auto const& down = rows.positions();
  auto const& across = columns.positions();
  auto const size = [](auto n) { return static_cast<double>(n); };
  auto const tiles = size(s.batch * down.tiles() * across.tiles());
  auto const points = size(s.stride * s.stride * rows.points() * columns.points());
  auto const weights = points * size(s.channels * s.filters);
  auto const inputs = tiles * size(down.points() * across.points()) * filled(s.channels);
  auto const work = tiles * weights + work_beside(weights, inputs + tiles * points * filled(s.filters));
  return {std::move(how), work / direct_work(s), rows.error() * columns.error()};
}

}  // namespace detail

/// Returns the tilings of the positions that are worth a trial for a transposed convolution, the least work first.
[[nodiscard]] inline std::vector<winograd_candidate> winograd_candidates(conv_transpose2d_shape const& s) {
  std::vector<winograd_candidate> all;
  if (s.taps() < 2 || s.out_height() < 1 || s.out_width() < 1) return all;
  auto const window = detail::phases_of_dimension::window(s);
  auto const fits = [&](std::int64_t m, std::int64_t extent) {
    return m <= ceil_divide(extent, s.stride) && points_needed(m, window, 1) <= most_known_points(1);
  };
  for (std::int64_t rows = 1; fits(rows, s.out_height()); ++rows)
    for (std::int64_t columns = 1; fits(columns, s.out_width()); ++columns)
      if (rows > 1 || columns > 1) all.push_back(detail::expected_of_phases(s, {rows, {}, columns}));
  return detail::worth_a_trial(std::move(all));
}

}}}  // namespace ttune::v0::ops
