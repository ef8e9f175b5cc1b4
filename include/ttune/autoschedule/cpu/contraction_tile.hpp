// SPDX-License-Identifier: Apache-2.0
// Chooses the register tile of a contraction: how many vectors and how many rows of accumulators a task holds in
// registers at a time. The choice is made of two knobs; the seed is the tile that register_tile.hpp estimates as
// fastest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/cpu/contraction_axes.hpp"
#include "ttune/autoschedule/cpu/packing.hpp"
#include "ttune/autoschedule/cpu/register_tile.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The part of an axis that a task of another stage computes at a time; without a name, all of all axes.
struct part_at_once {
  std::string axis;
  std::int64_t elements = 0;
};

/// The register tile of a contraction.
struct contraction_tile {
  knob_value vectors;
  knob_value rows;
  std::int64_t seed_vectors = 1;  ///< elements along the vectors
  std::int64_t seed_rows = 1;
  bool leaves_tail = false;  ///< true if a tile of vectors is partly filled
};

class contraction_tile_choice {
 public:
  /// Knobs get the prefix `knobs`. `part` is what a task computes of the result at a time.
  contraction_tile_choice(space_builder& out, contraction_axes& axes, dot_terms const& dot, std::string knobs,
                          part_at_once const& part)
      : out_(out), axes_(axes), dot_(dot), knobs_(std::move(knobs)), part_(part) {}

  /// Makes the knobs of the tile, and requires that it fits the registers; some of them remain for loaded values.
  /// Phases for which no tile fits are left out of the axes.
  [[nodiscard]] contraction_tile choose() {
    leave_out_phases();
    auto const vector_sizes = sizes_along_vectors();
    auto const row_sizes = sizes_along_rows();
    contraction_tile made;
    made.leaves_tail = std::any_of(vector_sizes.begin(), vector_sizes.end(), [&](std::int32_t tile) {
      return axes_.size(axes_.vectors) > tile && axes_.size(axes_.vectors) % tile != 0;
    });
    auto const model = tiles();
    double best = 0;
    for (auto const tv : vector_sizes)
      for (auto const tw : row_sizes) {
        auto const score = model.score(tv, tw);
        if (score > best) best = score, made.seed_vectors = tv, made.seed_rows = tw;
      }
    made.vectors = out_.one_of(knob_name(axes_.vectors), vector_sizes, made.seed_vectors);
    made.rows = axes_.rows < 0 ? literal(1) : out_.one_of(knob_name(axes_.rows), row_sizes, made.seed_rows);
    if (!made.vectors.is_literal() || !made.rows.is_literal()) require_fit(made);
    return made;
  }

 private:
  [[nodiscard]] std::string knob_name(std::int32_t axis) const { return knobs_ + ".tile_" + axes_.reader_axis(axis); }
  [[nodiscard]] std::int64_t row_extent() const { return axes_.rows < 0 ? 1 : axes_.size(axes_.rows); }
  [[nodiscard]] std::int64_t size_at_once(std::int32_t axis) const {
    return axes_.name(axis) == part_.axis ? std::min(part_.elements, axes_.size(axis)) : axes_.size(axis);
  }

  /// Returns the tiles to choose from along the vectors, in elements: whole vectors, or whole periods of them.
  [[nodiscard]] std::vector<std::int32_t> sizes_along_vectors() const {
    auto const extent = axes_.size(axes_.vectors);
    auto const turns = static_cast<std::int32_t>(axes_.phases(axes_.vectors));
    std::vector<std::int32_t> sizes;
    if (turns > 1) {
      for (std::int32_t n = 1; n <= 4 && (n - 1) * turns * axes_.lanes < extent; n *= 2)
        sizes.push_back(n * turns * axes_.lanes);
    } else if (extent <= axes_.lanes) {
      sizes = {static_cast<std::int32_t>(extent)};
    } else {
      auto const most = row_extent() == 1 ? 28 : 4;
      for (std::int32_t n = 1; n <= most && (n - 1) * axes_.lanes < extent; n += n < 4 ? 1 : 4)
        sizes.push_back(n * axes_.lanes);
    }
    return sizes;
  }

  /// Returns the tiles to choose from along the rows: whole periods of phases.
  [[nodiscard]] std::vector<std::int32_t> sizes_along_rows() const {
    auto const turns = axes_.rows < 0 ? 1 : static_cast<std::int32_t>(axes_.phases(axes_.rows));
    std::vector<std::int32_t> sizes = {turns};
    for (auto t = 2 * turns; t <= std::min<std::int64_t>(row_extent(), 16); t += turns) sizes.push_back(t);
    return sizes;
  }

  /// Returns the registers that a tile may have: those of the machine, or what one vector needs, if that is more. The
  /// sums of a long list are spilled then.
  [[nodiscard]] std::int64_t most_registers() const {
    auto const beside = row_extent() == 1 ? 2 : dot_.registers_each() + beside_all();
    return std::max<std::int64_t>(out_.machine().vector_registers, axes_.sums() + beside);
  }

  void require_fit(contraction_tile const& tile) {
    auto const registers = knob_expression(static_cast<std::int32_t>(most_registers()));
    auto const vectors = ceil_divide(knob_expression(tile.vectors), knob_expression(axes_.lanes));
    // with one row, a loaded value is used once, by the multiply-add that loads it
    auto const columns = vectors * axes_.sums();
    out_.require(
        row_extent() == 1
            ? columns + 2 <= registers
            : knob_expression(tile.rows) * columns + vectors * dot_.registers_each() + beside_all() <= registers,
        "the register tile fits the vector registers");
  }

  /// Removes phases if the smallest tile, one period of rows and one of vectors, does not fit the registers.
  void leave_out_phases() {
    auto const fit = [&] {
      return tiles().fits(axes_.phases(axes_.vectors) * axes_.lanes, axes_.rows < 0 ? 1 : axes_.phases(axes_.rows));
    };
    if (!fit()) axes_.rows_have_phases = false;
    if (!fit()) axes_.vectors_have_phases = false;
  }

  /// Returns the model by which the seed is chosen.
  [[nodiscard]] register_tiles tiles() const {
    register_tiles made;
    made.vector_extent = size_at_once(axes_.vectors);
    made.row_extent = axes_.rows < 0 ? 1 : size_at_once(axes_.rows);
    made.lanes = axes_.lanes;
    made.registers = most_registers();
    made.terms = terms();
    made.operands_each = dot_.registers_each();
    made.operands_once = beside_all();
    made.sums = axes_.sums();
    made.loads_each = loads_each();
    made.unrolls_taps = axes_.has_window();
    made.kept_each = kept_each();
    made.held_each = held_each();
    made.stores_across = axes_.rows_contiguous();
    return made;
  }

  /// Returns the registers for values common to all vectors of a row, and for products that are no multiply-adds.
  [[nodiscard]] std::int32_t beside_all() const {
    bool const unfused = !dot_ && !out_.machine().has_fma && is_float(axes_.reduction.definition->type());
    return dot_.registers_once() + (unfused ? 1 : 0);
  }

  /// Returns the most loads that a vector of an operand takes: one for each element of the distance between lanes. With
  /// rows, a tile uses each vector several times.
  [[nodiscard]] std::int64_t loads_each() const {
    std::int64_t most = 1;
    if (axes_.rows >= 0 && axes_.size(axes_.rows) > 1) return most;
    for (auto const& a : axes_.reduction.accesses) {
      if (a.write || (is_packable(axes_.p, axes_.reduction, a, axes_.vectors) &&
                      (is_constant_operand(axes_.p, a) || has_reuse(axes_.p, axes_.reduction, a))))
        continue;
      most = std::max(most, std::min<std::int64_t>(
                                std::abs(stride(axes_.p, axes_.reduction, a, static_cast<std::size_t>(axes_.vectors))),
                                axes_.lanes));
    }
    return most;
  }

  /// Returns the number of terms of an element of the result.
  [[nodiscard]] std::int64_t terms() const {
    std::int64_t n = 1;
    for (auto a = axes_.reduction.definition->axes.size(); a < axes_.reduction.axis_count(); ++a)
      n *= axes_.reduction.axis_size(a);
    return std::max<std::int64_t>(n, 1);
  }

  /// Returns the registers per accumulator for vectors that taps share: those of a row under one tap of a window are
  /// under the next tap for another row (a blur of 5x5: 0.46 of peak with 20 accumulators, 1.07 with 16); those under
  /// one tap of an interleaved axis hold the elements of the next one.
  [[nodiscard]] std::int64_t kept_each() const {
    std::int64_t most = 0;
    if (axes_.rows < 0) return most;
    for (auto const& access : axes_.reduction.accesses)
      for (auto a = axes_.free_axes(); a < axes_.all_axes(); ++a) {
        if (access.write || !moves(access, axes_.vectors)) continue;
        if (axes_.is_window(a) && axes_.moves_with(access, a, axes_.rows)) most = std::max<std::int64_t>(most, 1);
        if (axes_.is_interleaved(access, a) && moves(access, axes_.rows)) most = std::max(most, axes_.size(a));
      }
    return most;
  }

  /// Returns the number of vectors of operands, without rows, that are the same for all terms.
  [[nodiscard]] std::int64_t held_each() const {
    if (row_extent() > 1) return 0;
    return std::count_if(axes_.reduction.accesses.begin(), axes_.reduction.accesses.end(), [&](access_plan const& a) {
      if (a.write || !moves(a, axes_.vectors)) return false;
      for (auto x = axes_.free_axes(); x < axes_.all_axes(); ++x)
        if (moves(a, x)) return false;
      return true;
    });
  }

  [[nodiscard]] bool moves(access_plan const& access, std::int32_t axis) const {
    return stride(axes_.p, axes_.reduction, access, static_cast<std::size_t>(axis)) != 0;
  }

  space_builder& out_;
  contraction_axes& axes_;
  dot_terms const& dot_;
  std::string knobs_;
  part_at_once const& part_;
};

}}}  // namespace ttune::v0::autoschedule
