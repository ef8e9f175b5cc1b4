// SPDX-License-Identifier: Apache-2.0
// The axes of a reduction in register tiles: which one the vectors run along, which one the rows of a tile, and how the
// others move with them. contraction.hpp and the headers that it is made of share these facts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "ttune/autoschedule/phases.hpp"
#include "ttune/autoschedule/select_axis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Axes are numbers of a stage's axes: free ones, then reduced ones.
struct contraction_axes {
  plan const& p;
  stage_plan const& reduction;
  stage_plan const& reader;  ///< stores what the reduction accumulates; both have the same free axes
  std::int32_t lanes = 1;
  std::int32_t vectors = -1;        ///< axis along which the vectors run
  std::int32_t rows = -1;           ///< axis of the rows of a tile; -1: there are no rows
  bool rows_have_phases = true;     ///< false if no tile of whole periods fits the registers
  bool vectors_have_phases = true;  ///< likewise

  contraction_axes(target const& machine, plan const& of, stage_plan const& reduced, stage_plan const& stored_by)
      : p(of), reduction(reduced), reader(stored_by), lanes(machine.lanes(reduced.definition->type())) {
    vectors = choose_vector_axis(p, reduction, lanes).axis;
    rows = choose_row_axis(p, reduction, vectors);
  }

  /// Returns the number of free axes; the reduced ones follow them, up to `all_axes`.
  [[nodiscard]] std::int32_t free_axes() const { return static_cast<std::int32_t>(reduction.definition->axes.size()); }
  [[nodiscard]] std::int32_t all_axes() const { return static_cast<std::int32_t>(reduction.axis_count()); }

  [[nodiscard]] std::int64_t size(std::int32_t axis) const {
    return reduction.axis_size(static_cast<std::size_t>(axis));
  }
  [[nodiscard]] std::string const& name(std::int32_t axis) const {
    return reduction.axis_name(static_cast<std::size_t>(axis));
  }
  [[nodiscard]] std::string const& reader_axis(std::int32_t axis) const {
    return reader.axis_name(static_cast<std::size_t>(axis));
  }
  /// Returns the number of phases of an axis, in the reduction and in its reader. A tile has whole periods.
  [[nodiscard]] std::int64_t phases(std::int32_t axis) const {
    if ((axis == rows && !rows_have_phases) || (axis == vectors && !vectors_have_phases)) return 1;
    auto const own = phases_of(reduction, name(axis));
    if (axis < 0 || axis >= free_axes()) return own;
    auto const both = std::lcm(own, phases_of(reader, reader_axis(axis)));
    return both > most_phases ? 1 : both;
  }

  /// Returns true for a short reduced axis that slides along the row axis; its iterations are unrolled.
  [[nodiscard]] bool is_window(std::int32_t a) const { return size(a) > 1 && size(a) <= 7 && moves_with(a, rows); }

  [[nodiscard]] bool has_window() const {
    for (auto a = free_axes(); a < all_axes(); ++a)
      if (is_window(a)) return true;
    return false;
  }

  /// Returns true if both axes index a dimension together, as y * 2 + r.
  [[nodiscard]] static bool moves_with(access_plan const& access, std::int32_t a, std::int32_t b) {
    return std::any_of(access.indices.begin(), access.indices.end(), [&](index_plan const& i) {
      return !i.whole && i.coefficient[static_cast<std::size_t>(a)] != 0 &&
             i.coefficient[static_cast<std::size_t>(b)] != 0;
    });
  }

  [[nodiscard]] bool moves_with(std::int32_t a, std::int32_t b) const {
    return b >= 0 && std::any_of(reduction.accesses.begin(), reduction.accesses.end(),
                                 [&](access_plan const& access) { return moves_with(access, a, b); });
  }

  /// Returns true for a short reduced axis that runs through the elements between those of two lanes, as in
  /// I(2 * x + r): if its iterations are unrolled, they share loads of whole vectors.
  [[nodiscard]] bool is_interleaved(access_plan const& read, std::int32_t a) const {
    constexpr std::int64_t most_between = 4;  // more vectors between would fill the registers
    auto const between = std::abs(stride(p, reduction, read, static_cast<std::size_t>(vectors)));
    return !read.write && size(a) > 1 && size(a) <= between && between <= most_between && moves_with(read, a, vectors);
  }
  [[nodiscard]] bool is_interleaved(std::int32_t a) const {
    return std::any_of(reduction.accesses.begin(), reduction.accesses.end(),
                       [&](access_plan const& read) { return is_interleaved(read, a); });
  }

  /// Returns true for a reduced axis along which a shorter free axis slides, as the rows of an image in the gradient of
  /// the weights of a convolution.
  [[nodiscard]] bool is_slid_over(std::int32_t a) const {
    for (std::int32_t x = 0; x < free_axes(); ++x)
      if (size(x) < size(a) && moves_with(a, x)) return true;
    return false;
  }

  [[nodiscard]] std::int64_t write_stride(std::int32_t axis) const {
    return stride(p, reduction, reduction.accesses.back(), static_cast<std::size_t>(axis));
  }

  /// Returns true if neighbours of the result in memory are along the row axis, not along the vectors.
  [[nodiscard]] bool rows_contiguous() const {
    return rows >= 0 && write_stride(vectors) != 1 && write_stride(rows) == 1;
  }

  /// Returns the number of sums of an element of the result: one for each component.
  [[nodiscard]] std::int64_t sums() const { return static_cast<std::int64_t>(reduction.definition->components.size()); }
};

}}}  // namespace ttune::v0::autoschedule
