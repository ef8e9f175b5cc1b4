// SPDX-License-Identifier: Apache-2.0
// Divides the tiles of a contraction among tasks: the order of the loops over tiles, which of them the seed shares
// among threads, and how many tiles a task has. Only the seed is chosen here; the tuner may choose other chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/cpu/contraction_axes.hpp"
#include "ttune/autoschedule/cpu/contraction_tile.hpp"
#include "ttune/autoschedule/cpu/packing.hpp"
#include "ttune/autoschedule/cpu/panels.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/core/target.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class contraction_tasks {
 public:
  /// `in_blocks`: tasks are blocks of an axis that is common to several stages.
  contraction_tasks(target const& machine, contraction_axes const& axes, dot_terms const& dot,
                    contraction_tile const& tile, bool in_blocks)
      : machine_(machine), axes_(axes), dot_(dot), tile_(tile), in_blocks_(in_blocks) {}

  /// Returns the axes in the order of the middle loops. The vector axis is outside of the axes that use its packed
  /// panels again, so that a panel stays in the cache, and inside of the others, so that memory is read along its rows.
  /// The row axis is the innermost of its group.
  [[nodiscard]] std::vector<std::int32_t> ordered_axes() const {
    std::vector<std::int32_t> outside;
    std::vector<std::int32_t> inside;
    for (std::int32_t a = 0; a < axes_.free_axes(); ++a)
      if (a != axes_.vectors && a != axes_.rows && axes_.size(a) > 1)
        (uses_panels_again(a) ? inside : outside).push_back(a);
    if (axes_.rows >= 0) (uses_panels_again(axes_.rows) ? inside : outside).push_back(axes_.rows);
    outside.push_back(axes_.vectors);
    outside.insert(outside.end(), inside.begin(), inside.end());
    return outside;
  }

  /// Returns the axis that the seed divides among threads: of those with enough tiles the one whose tasks read least
  /// from distant memory again, the first of several; or the rows if the inputs and results of other stages pass
  /// through memory.
  [[nodiscard]] std::int32_t parallel_axis(std::vector<std::int32_t> const& axes) const {
    if (auto const kept = axis_kept_on_cores(); kept >= 0) return kept;
    std::int32_t chosen = -1;
    for (auto const a : axes)
      if (tiles(a) >= machine_.tasks_a_core * machine_.cores &&
          (chosen < 0 || bytes_read_again(a) < bytes_read_again(chosen)))
        chosen = a;
    if (chosen >= 0) return chosen;
    auto most = axes[0];
    for (auto const a : axes)
      if (tiles(a) > tiles(most)) most = a;
    return most;
  }

  /// Returns the largest of `sizes` that keeps all cores busy along the parallel axis and leaves a task's share of each
  /// distant operand in half of the second-level cache, if other loops of the task read it again.
  [[nodiscard]] std::int64_t parallel_chunk(std::int32_t axis, std::vector<std::int32_t> sizes) const {
    auto const count = tiles(axis);
    double share = 0;  // bytes of one tile of the axis
    for (auto const& a : axes_.reduction.accesses)
      if (is_distant(a) && moves(a, axis) && is_read_in_turns(a, axis))
        share = std::max(share, bytes_of(a) / static_cast<double>(count));
    auto const half = static_cast<double>(machine_.l2_bytes) / 2;
    while (sizes.size() > 1 && share * static_cast<double>(sizes.back()) > half) sizes.pop_back();
    auto const most = axis == axes_.vectors ? most_panels() : 0;
    if (most < 2) return balanced_chunk(axis, sizes);
    std::vector<std::int32_t> kept;  // more panels than half of those that can be kept save little
    for (auto n = ceil_divide(most, std::int64_t{2}); n <= std::min(most, count); ++n)
      kept.push_back(static_cast<std::int32_t>(n));
    return balanced_chunk(axis, kept.empty() ? sizes : kept);
  }

  /// Returns the number of panels that fit half of the second-level cache; 0 if it does not matter, because the other
  /// half holds the operands that all tiles along the vectors read, or there are no panels.
  [[nodiscard]] std::int64_t most_panels() const {
    if (in_blocks_ || axes_.rows < 0) return 0;
    auto const half = machine_.l2_bytes / 2;
    auto const each = bytes_of_panels(axes_.p, axes_.reduction, axes_.vectors, tile_.seed_vectors);
    double others = 0;
    for (auto const& a : axes_.reduction.accesses)
      if (!a.write && !moves(a, axes_.vectors)) others += bytes_of(a);
    return each == 0 || others <= static_cast<double>(half) ? 0 : half / each;
  }

  /// Returns the axis of which each core computes its share in all stages between transforms, because lines written by
  /// one core and read by another cost several times as much as a shared cache if cores are far apart. It is the
  /// innermost axis that all factors have at the same place. Returns -1 if each core would read constants several times
  /// as large as the data between the stages.
  [[nodiscard]] std::int32_t axis_kept_on_cores() const {
    bool const transforms = std::any_of(axes_.p.stages.begin(), axes_.p.stages.end(),
                                        [](auto const& st) { return !choosing_axes(*st.definition).empty(); });
    if (axes_.rows < 0 || !transforms || in_blocks_) return -1;
    double constants = 0;
    double passed = 1;
    for (std::size_t x = 0; x < axes_.reduction.definition->axes.size(); ++x)
      passed *= static_cast<double>(axes_.reduction.axis_size(x));
    for (auto const& a : axes_.reduction.accesses) {
      if (a.write || a.producer < 0) continue;
      (is_laid_out_ahead(axes_.p, axes_.reduction, a) ? constants : passed) += elements_of(axes_.p, axes_.reduction, a);
    }
    if (constants == 0 || constants > most_constants * passed) return -1;
    for (auto x = axes_.free_axes(); x-- > 0;)
      if (x != axes_.vectors && tiles(x) >= machine_.cores && is_in_place(x)) return x;
    return -1;
  }

  /// Returns the largest of `sizes` that keeps all cores busy: as many tasks per core as the machine wants, and less
  /// than a twentieth of the time spent on waiting for the last task. Tasks along a side of a triangle are unequal:
  /// threads take more, smaller ones.
  [[nodiscard]] std::int64_t balanced_chunk(std::int32_t axis, std::vector<std::int32_t> const& sizes) const {
    auto const cores = static_cast<std::int64_t>(machine_.cores);
    auto const count = tiles(axis);
    auto const x = static_cast<std::size_t>(axis);
    bool const is_unequal = is_triangular(axes_.reduction, x) || is_triangular(axes_.reader, x);
    auto const least_rounds = machine_.tasks_a_core * (is_unequal ? 4 : 1);
    std::int64_t chosen = 1;
    double best = 0;
    for (std::int64_t const chunk : sizes) {
      auto const rounds = ceil_divide(ceil_divide(count, chunk), cores);
      double const busy = static_cast<double>(count) / static_cast<double>(cores * rounds * chunk);
      if (chunk > 1 && rounds < least_rounds) break;
      if (busy > 0.95 || busy > best) chosen = chunk, best = std::max(best, busy);
    }
    return chosen;
  }

  /// Returns the number of the seed's tiles along an axis.
  [[nodiscard]] std::int64_t tiles(std::int32_t axis) const {
    return ceil_divide(axes_.size(axis), axis == axes_.vectors ? tile_.seed_vectors
                                         : axis == axes_.rows  ? tile_.seed_rows
                                                               : axes_.phases(axis));
  }

 private:
  [[nodiscard]] bool moves(access_plan const& a, std::int32_t axis) const {
    return stride(axes_.p, axes_.reduction, a, static_cast<std::size_t>(axis)) != 0;
  }

  /// Returns true if tiles along an axis read the same elements in vectors.
  [[nodiscard]] bool uses_panels_again(std::int32_t axis) const {
    return std::any_of(axes_.reduction.accesses.begin(), axes_.reduction.accesses.end(),
                       [&](access_plan const& a) { return !a.write && moves(a, axes_.vectors) && !moves(a, axis); });
  }

  [[nodiscard]] double bytes_of(access_plan const& a) const {
    auto const each = dot_.are_in_tiles() ? 4 / static_cast<std::size_t>(dot_.terms)
                                          : size_in_bytes(axes_.reduction.definition->type());
    return elements_of(axes_.p, axes_.reduction, a) * static_cast<double>(each);
  }
  /// Returns true for a read of data that no cache holds; products of tiles are too fast for the shared one.
  [[nodiscard]] bool is_distant(access_plan const& a) const {
    auto const held = dot_.are_in_tiles() ? machine_.l2_bytes : machine_.l3_bytes;
    return !a.write && bytes_of(a) > static_cast<double>(held);
  }
  /// Returns the bytes that tasks along an axis read again from memory, since they read all of a distant operand each.
  [[nodiscard]] double bytes_read_again(std::int32_t axis) const {
    double bytes = 0;
    for (auto const& a : axes_.reduction.accesses)
      if (is_distant(a) && !moves(a, axis)) bytes += bytes_of(a) * static_cast<double>(tiles(axis) - 1);
    return bytes;
  }
  /// Returns true if a loop over the tiles of another axis reads the elements of a task again.
  [[nodiscard]] bool is_read_in_turns(access_plan const& a, std::int32_t axis) const {
    for (std::int32_t x = 0; x < axes_.free_axes(); ++x)
      if (x != axis && tiles(x) > 1 && !moves(a, x)) return true;
    return false;
  }

  /// Returns true if other non-constant stages are read at the axis itself.
  [[nodiscard]] bool is_in_place(std::int32_t axis) const {
    return std::all_of(axes_.reduction.accesses.begin(), axes_.reduction.accesses.end(), [&](access_plan const& a) {
      return a.write || a.producer < 0 || is_laid_out_ahead(axes_.p, axes_.reduction, a) ||
             dimension_along(axes_.reduction, a.producer, axis) >= 0;
    });
  }

  target const& machine_;
  contraction_axes const& axes_;
  dot_terms const& dot_;
  contraction_tile const& tile_;
  bool in_blocks_;
};

}}}  // namespace ttune::v0::autoschedule
