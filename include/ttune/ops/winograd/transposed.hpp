// SPDX-License-Identifier: Apache-2.0
// A transposed convolution as a convolution of its phases: the shape of that, the expected error, and the tilings worth
// a trial.
#pragma once

#include <cmath>
#include <numeric>

#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/winograd/candidates.hpp"

namespace ttune { inline namespace v0 { namespace ops {

namespace detail {

/// Returns the position of the output's first row.
[[nodiscard]] inline std::int64_t first_position(conv_transpose2d_shape const& s) { return s.padding / s.stride; }

/// Returns the convolution that computes all phases, of an image that is padded already. Its filters are those of the
/// first phase, then those of the next.
/// Shape: image (N, C, positions + taps - 1 ...), filters (stride * stride * F, C, taps, taps)
[[nodiscard]] inline conv2d_shape convolution_of_phases(conv_transpose2d_shape const& s) {
  auto const pixels = [&](std::int64_t outputs) {
    return (outputs - 1 + s.padding) / s.stride - first_position(s) + s.taps();
  };
  return {s.batch, s.channels, pixels(s.out_height()), pixels(s.out_width()), s.stride * s.stride * s.filters, s.taps(),
          1,       0};
}

/// Returns the number of taps that are summed along one dimension in a phase.
[[nodiscard]] inline std::int64_t taps_of_phase(conv_transpose2d_shape const& s, std::int64_t phase) {
  return std::max<std::int64_t>(ceil_divide(s.kernel - phase, s.stride), 0);
}

/// Returns the variance of a tile's outputs in a phase, summed over the tile, for independent normal data.
[[nodiscard]] inline double square_of_tile(winograd_tiling const& tiling, std::int64_t outputs, std::int64_t taps) {
  auto const square = [](std::vector<double> const& row, std::int64_t first) {
    return std::inner_product(row.begin() + first, row.end(), row.begin() + first, 0.0);
  };
  double sum = 0;
  for (std::int64_t i = 0; i < tiling.points(); ++i)
    sum += tiling.output_square(outputs, i) * square(tiling.input_row(outputs, 0, i), 0) *
           square(tiling.weights_row(0, i), tiling.taps() - taps);  // the other taps are zeros
  return sum;
}

/// Returns the root mean square error of all phases, relative to the direct sum, with tiles along one dimension.
/// `winograd_error` is the same for phases that all have the same number of taps.
[[nodiscard]] inline double error_of_phases(conv_transpose2d_shape const& s, winograd_tiling const& tiling) {
  double found = 0, direct = 0, outputs = 0;
  for (auto const& [m, count] : tiling.sizes()) outputs += static_cast<double>(m * count);
  for (std::int64_t phase = 0; phase < s.stride; ++phase) {
    auto const taps = taps_of_phase(s, phase);
    direct += static_cast<double>(taps * taps) * outputs;
    for (auto const& [m, count] : tiling.sizes()) found += static_cast<double>(count) * square_of_tile(tiling, m, taps);
  }
  return std::sqrt(found / direct);
}

/// Returns the expected error, relative to the direct sum.
[[nodiscard]] inline double error_of(conv_transpose2d_shape const& s, winograd_tile const& how) {
  auto const all = convolution_of_phases(s);
  auto const rows = error_of_phases(s, tiling_of_rows(all, how));
  if (!how.one_dimension) return rows * error_of_phases(s, tiling_of_columns(all, how));
  return rows * std::sqrt(1 + winograd_transforms_as_terms / static_cast<double>(s.channels * s.taps()));
}

/// Returns the work of the direct sum, in multiply-adds: all products of pixels and taps.
[[nodiscard]] inline double direct_work(conv_transpose2d_shape const& s) {
  auto const weights = static_cast<double>(s.channels * s.filters * s.kernel * s.kernel);
  return static_cast<double>(s.batch * s.height * s.width) * weights + work_beside(weights, 0);
}

[[nodiscard]] inline std::string transposed_name_of(winograd_tile const& how) { return "transposed_" + name_of(how); }

}  // namespace detail

/// Returns the tilings of the positions that are worth a trial for a transposed convolution, as for a convolution.
[[nodiscard]] inline std::vector<winograd_candidate> winograd_candidates(conv_transpose2d_shape const& s) {
  return detail::tilings_worth_a_trial(detail::convolution_of_phases(s), detail::direct_work(s),
                                       [&](auto const& how) { return detail::error_of(s, how); });
}

}}}  // namespace ttune::v0::ops
