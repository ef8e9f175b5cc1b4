// SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's method along one dimension, for one group of points each (tiling.hpp).
#pragma once

#include "ttune/ops/winograd/forms.hpp"
#include "ttune/ops/winograd/tiling.hpp"

namespace ttune { inline namespace v0 { namespace ops { namespace detail {

/// Selects `full` for all tiles except the last, and `last` for the last tile, if that is smaller and among the first
/// `some`.
template <class Condition, class Form>
auto by_tile(winograd_tiling const& tiling, std::int64_t some, Condition const& is_full, std::vector<Form> const& full,
             std::vector<Form> const& last) {
  using form = decltype(select(is_full, full[0], last[0]));
  bool const one_size = tiling.last_outputs() == tiling.outputs() || some < tiling.tiles();
  std::vector<form> forms;
  for (std::size_t i = 0; i < full.size(); ++i)
    forms.push_back(one_size ? form{full[i].node} : select(is_full, full[i], last[i]));
  return forms;
}

/// Returns the transformed input of a group along one dimension; `read(phase, j)` is pixel j of a phase of the tile.
template <class Point, class Phase, class Condition, class Read>
auto transformed_input(winograd_tiling const& tiling, winograd_tiling::group const& g, Point const& point,
                       Phase const& phase, Condition const& is_full, Read const& read) {
  auto const of_phase = [&](std::int64_t q) {
    auto const forms = [&](std::int64_t outputs) {
      small_matrix rows;
      for (auto const i : g.points) rows.push_back(tiling.input_row(outputs, q, i));
      return linear_forms(rows, [&](std::int64_t j) { return read(q, j); });
    };
    return choose_by(point, by_tile(tiling, g.tiles, is_full, forms(tiling.outputs()), forms(tiling.last_outputs())));
  };
  std::vector<decltype(of_phase(0))> phases;
  for (std::int64_t q = 0; q < g.phases; ++q) phases.push_back(of_phase(q));
  return choose_by(phase, phases);
}

/// Returns the outputs of a tile along one dimension; `read(group, p)` is the product at the p-th point of a group.
template <class Output, class Condition, class Read>
auto transformed_output(winograd_tiling const& tiling, Output const& output, Condition const& is_full,
                        Read const& read) {
  std::vector<std::pair<std::size_t, std::int64_t>> places;
  for (std::size_t g = 0; g < tiling.groups().size(); ++g)
    for (std::int64_t p = 0; p < std::ssize(tiling.groups()[g].points); ++p) places.emplace_back(g, p);
  auto const forms = [&](std::int64_t outputs) {
    small_matrix rows;
    for (std::int64_t k = 0; k < tiling.outputs(); ++k) {
      rows.emplace_back();
      for (auto const& [g, p] : places)
        rows.back().push_back(
            k < outputs ? tiling.output_coefficient(outputs, k, tiling.groups()[g].points[static_cast<std::size_t>(p)])
                        : 0);
    }
    return paired_forms(rows, [&](std::int64_t i) {
      auto const& [g, p] = places[static_cast<std::size_t>(i)];
      return read(g, p);
    });
  };
  return choose_by(output,
                   by_tile(tiling, tiling.tiles(), is_full, forms(tiling.outputs()), forms(tiling.last_outputs())));
}

/// Returns the weights' transform as a table (points of all groups, phases, taps).
template <fixed_string Name>
table<Name, double, 3> weights_table(winograd_tiling const& tiling) {
  std::vector<double> content;
  std::int64_t points = 0;
  for (auto const& g : tiling.groups())
    for (auto const i : g.points) {
      ++points;
      for (std::int64_t q = 0; q < tiling.phases(); ++q) {
        auto const row = tiling.weights_row(q, i);
        content.insert(content.end(), row.begin(), row.end());
      }
    }
  return {{points, tiling.phases(), tiling.taps()}, std::move(content)};
}

/// Returns the first row of a group in `weights_table`.
[[nodiscard]] inline std::int64_t first_point(winograd_tiling const& tiling, std::size_t group) {
  std::int64_t points = 0;
  for (std::size_t g = 0; g < group; ++g) points += std::ssize(tiling.groups()[g].points);
  return points;
}

/// Returns the transformed weights at a row of `weights_table`; `tap(j)` is tap j of a line of weights. Computed in
/// double precision: the coefficients are not binary fractions, and their rounding errors would be the same for all
/// channels.
template <class Table, class Point, class Phase, class Tap>
auto transformed_weights(Table const& G, Point const& point, Phase const& phase, std::int64_t taps, Tap const& tap) {
  auto sum = G(point, phase, 0) * tap(0);
  for (std::int64_t j = 1; j < taps; ++j) sum = sum + G(point, phase, j) * tap(j);
  return sum;
}

}}}}  // namespace ttune::v0::ops::detail
