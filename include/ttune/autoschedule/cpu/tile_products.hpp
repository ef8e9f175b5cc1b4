// SPDX-License-Identifier: Apache-2.0
// Reductions for registers that hold tiles of matrices (core/tile_product.hpp): which ones are products of matrices,
// and how many tiles of rows and of columns a task adds up at a time.
//
//   for k0                              for k0
//     unroll rows, vectorize columns      unroll row_g, column_g
//       tensorize k < 2              →      tensorize row < 16, column < 16, k < 32
//         acc += A * B                        acc += A * B
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/cpu/computed_once.hpp"
#include "ttune/autoschedule/cpu/contraction_axes.hpp"
#include "ttune/autoschedule/cpu/contraction_tile.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/core/tile_product.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true if registers for tiles compute dot products faster, as far as edges allow it: the rows of the result
/// are those of the operand that dot products read in one place for all lanes.
[[nodiscard]] inline bool is_for_tiles(dot_terms const& dot, target const& machine, contraction_axes const& axes) {
  constexpr std::int64_t least_rows = 4;  // an instruction takes as long for one row as for 16
  auto const& st = axes.reduction;
  if (!machine.has_tiles || axes.rows < 0 || axes.size(axes.rows) < least_rows) return false;
  if (dot.how != dot_method::bfloats && dot.how != dot_method::bytes) return false;
  if (axes.phases(axes.rows) > 1 || axes.phases(axes.vectors) > 1) return false;
  auto const row = static_cast<std::size_t>(axes.rows);
  return stride(axes.p, st, st.accesses[1 - dot.in_vectors], row) != 0 &&
         stride(axes.p, st, st.accesses[dot.in_vectors], row) == 0;
}

/// Returns true if rows at the edges of an image have other terms than those inside.
[[nodiscard]] inline bool rows_differ_at_edges(contraction_axes const& axes) {
  for (auto a = axes.free_axes(); a < axes.all_axes(); ++a)
    if (is_guarded(axes.reduction, static_cast<std::size_t>(a)) && axes.moves_with(a, axes.rows)) return true;
  return false;
}

/// Adds to dot products the shape of tiles that compute them, if they do.
[[nodiscard]] inline dot_terms in_tiles(dot_terms dot, target const& machine, contraction_axes const& axes) {
  if (!dot || !is_for_tiles(dot, machine, axes) || rows_differ_at_edges(axes)) return dot;
  auto const terms = std::min<std::int64_t>(axes.size(dot.axis), std::int64_t{tile_product::columns} * dot.terms);
  auto const rows = axes.size(axes.rows);
  dot.tile_terms = static_cast<std::int32_t>(terms / dot.terms * dot.terms);
  dot.tile_rows = static_cast<std::int32_t>(ceil_divide(rows, ceil_divide(rows, std::int64_t{tile_product::rows})));
  return dot;
}

/// Returns the step that pads the next operand whose edges keep a sum of integers from tiles, and its plan; nothing if
/// there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_padded(space const& so_far, plan const& p,
                                                                      target const& machine) {
  if (!machine.has_tiles) return std::nullopt;
  for (auto const& st : p.stages) {
    if (!st.definition->predicate || st.definition->components.size() != 1 || is_float(st.definition->type())) continue;
    contraction_axes const axes(machine, p, st, st);
    if (axes.vectors < 0 || axes.rows < 0 || !rows_differ_at_edges(axes)) continue;
    auto const dot = find_dot_terms(machine, p, st, static_cast<std::size_t>(axes.vectors));
    if (!dot || !is_for_tiles(dot, machine, axes)) continue;
    auto const& a = st.accesses[1 - dot.in_vectors];
    auto const& source = a.producer >= 0 ? p.stages[static_cast<std::size_t>(a.producer)].definition->name
                                         : p.program->inputs[static_cast<std::size_t>(a.operand)]->name;
    auto const& name = st.definition->name;
    auto const copy = detail::unused_stage(*p.program, name, "padded");
    if (auto made = detail::with_step(so_far, {primitive::pad, name, {source}, {copy}, {}})) return made;
  }
  return std::nullopt;
}

/// Returns the bytes of the operand in vectors for some columns, as tiles.
[[nodiscard]] inline std::int64_t bytes_of_right_tiles(contraction_axes const& axes, dot_terms const& dot,
                                                       std::int64_t columns) {
  auto const& st = axes.reduction;
  auto bytes = columns * 4 / dot.terms;
  for (auto a = axes.free_axes(); a < axes.all_axes(); ++a)
    if (stride(axes.p, st, st.accesses[dot.in_vectors], static_cast<std::size_t>(a)) != 0) bytes *= axes.size(a);
  return bytes;
}

/// Chooses how many tiles a task adds up at a time: their sums stay in registers, beside those for the operands.
class tile_product_choice {
 public:
  /// Knobs get the prefix `knobs`.
  tile_product_choice(space_builder& out, contraction_axes const& axes, dot_terms const& dot, std::string knobs)
      : out_(out), axes_(axes), dot_(dot), knobs_(std::move(knobs)) {}

  [[nodiscard]] contraction_tile choose() {
    auto const row_sizes = multiples(axes_.rows, dot_.tile_rows);
    auto const column_sizes = multiples(axes_.vectors, tile_product::columns);
    contraction_tile made;
    double best = 0;
    for (auto const columns : column_sizes)
      for (auto const rows : row_sizes)
        if (auto const value = products_a_load(rows, columns); value > best)
          best = value, made.seed_rows = rows, made.seed_vectors = columns;
    made.rows = out_.one_of(knob_name(axes_.rows), row_sizes, made.seed_rows);
    made.vectors = out_.one_of(knob_name(axes_.vectors), column_sizes, made.seed_vectors);
    made.leaves_tail = axes_.size(axes_.vectors) % made.seed_vectors != 0;
    if (!made.rows.is_literal() || !made.vectors.is_literal())
      out_.require(ceil_divide(knob_expression(made.rows), knob_expression(dot_.tile_rows)) *
                           ceil_divide(knob_expression(made.vectors), knob_expression(tile_product::columns)) <=
                       knob_expression(most_sums),
                   "the tiles of sums fit the registers for tiles");
    return made;
  }

 private:
  static constexpr std::int32_t most_sums = tile_product::registers - 2;

  [[nodiscard]] std::string knob_name(std::int32_t axis) const { return knobs_ + ".tile_" + axes_.reader_axis(axis); }

  /// Returns the sizes of one to four tiles along an axis.
  [[nodiscard]] std::vector<std::int32_t> multiples(std::int32_t axis, std::int32_t tile) const {
    auto const extent = axes_.size(axis);
    std::vector<std::int32_t> sizes = {static_cast<std::int32_t>(std::min<std::int64_t>(extent, tile))};
    for (std::int32_t n = 2; n <= 4 && (n - 1) * tile < extent; ++n) sizes.push_back(n * tile);
    return sizes;
  }

  /// Returns the instructions for each load of a tile of an operand; 0 if the sums do not fit.
  [[nodiscard]] double products_a_load(std::int32_t rows, std::int32_t columns) const {
    auto const down = ceil_divide(rows, dot_.tile_rows);
    auto const across = ceil_divide(columns, tile_product::columns);
    if (down * across > most_sums) return 0;
    auto const for_columns = (tile_product::registers - down * across + 1) / 2;
    auto const loads = down + (across <= for_columns ? across : down * across);
    auto const filled = [&](std::int32_t axis, std::int64_t size) {
      return static_cast<double>(axes_.size(axis)) / static_cast<double>(ceil_divide(axes_.size(axis), size) * size);
    };
    return filled(axes_.rows, rows) * filled(axes_.vectors, columns) * static_cast<double>(down * across) /
           static_cast<double>(loads);
  }

  space_builder& out_;
  contraction_axes const& axes_;
  dot_terms const& dot_;
  std::string knobs_;
};

}}}  // namespace ttune::v0::autoschedule
