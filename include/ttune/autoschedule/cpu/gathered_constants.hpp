// SPDX-License-Identifier: Apache-2.0
// The schedule of a stage that is computed once from constants whose lines do not run along the result, such as the
// transform of Winograd's filters, whose taps are contiguous but whose results are contiguous along the filters:
//
//   parallel blocks of f and c
//     for c, then taps: the order of the constants' addresses
//       unroll points: vectorize f: half[point, tap, c, f] = sums of W[f, c, …, tap]
//
// Each vector reads a line of each of its filters; the next ones find these lines in the cache. In the order of the
// result every point and tap reads all lines from memory again (512 x 512 filters of 3 x 3, tiles of 3 x 3, two
// threads).
//
// If only one stage reads it, whose panels are divided among the cores, each panel computes what it reads:
//
//   parallel panels of U
//     for f, c, taps: as above, without tasks
//     for points, c: U[panel, point, c, f] = sums of half[point, tap, c, f]
//
// In f64 the whole of `half` would be larger than the constants and the panels together.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class gathered_constants {
 public:
  gathered_constants(space_builder& out, plan const& p, stage_plan const& st)
      : out_(out), p_(p), st_(st), name_(st.definition->name), rows_(rows_of(out.machine(), st)) {
    v_ = contiguous_axis(p, st);
    order_ = by_addresses();
  }

  /// Returns true for a large stage of constants that reads several elements of an operand for each result, none of
  /// which is a neighbour of the next result's.
  [[nodiscard]] static bool suits(plan const& p, stage_plan const& st, target const& machine) {
    if (!is_of_constants(p, st) || iterations_of(st) <= most_sequential_elements) return false;
    auto const v = contiguous_axis(p, st);
    if (v < 0 || st.axis_size(static_cast<std::size_t>(v)) < 2 * rows_of(machine, st)) return false;
    return std::count_if(st.accesses.begin(), st.accesses.end(),
                         [&](access_plan const& a) { return is_gathered(p, st, a, v); }) > 1;
  }

  void write() {
    auto const place = panel_of_reader();
    auto const blocks = axis(v_) + "_0", lanes = axis(v_) + "_1";
    out_.step(primitive::split, name_, {axis(v_)}, {blocks, lanes}, {literal(rows_)});
    std::vector<std::string> tasks{blocks};
    std::vector<std::string> inside;
    std::vector<std::string> points;
    for (auto const x : order_) {
      if (!place && x == order_.front() && size(x) > 1) {
        out_.step(primitive::split, name_, {axis(x)}, {axis(x) + "_0", axis(x) + "_1"}, {literal(chunk_of(x))});
        tasks.push_back(axis(x) + "_0");
        inside.push_back(axis(x) + "_1");
      } else if (size(x) > 1) {
        (is_point(x) ? points : inside).push_back(axis(x));
      }
    }
    auto loops = unit_axes(st_);
    for (auto const& some : {tasks, inside, points, {lanes}}) loops.insert(loops.end(), some.begin(), some.end());
    out_.step(primitive::reorder, name_, loops);
    if (place) out_.step(primitive::compute_at, name_, *place);
    else out_.step(primitive::parallel, name_, {out_.fused(name_, tasks, "tasks")});
    out_.step(primitive::vectorize, name_, {lanes});
    for (auto const& n : points) out_.step(primitive::unroll, name_, {n});
  }

 private:
  static constexpr std::int64_t most_points = 8;  ///< that are unrolled

  /// Two vectors a row: their lines fit the ways of a first-level cache even if all rows begin in the same set.
  [[nodiscard]] static std::int32_t rows_of(target const& machine, stage_plan const& st) {
    return 2 * machine.lanes(st.definition->type());
  }
  /// Returns the last axis along which the result is contiguous; -1 if there is none.
  [[nodiscard]] static std::int32_t contiguous_axis(plan const& p, stage_plan const& st) {
    std::int32_t found = -1;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (st.axis_size(x) > 1 && stride(p, st, st.accesses.back(), x) == 1) found = static_cast<std::int32_t>(x);
    return found;
  }
  [[nodiscard]] static bool is_gathered(plan const& p, stage_plan const& st, access_plan const& a, std::int32_t v) {
    return !a.write && a.operand >= 0 && std::abs(stride(p, st, a, static_cast<std::size_t>(v))) > 1 &&
           p.program->inputs[static_cast<std::size_t>(a.operand)]->role == ir::tensor_role::constant;
  }

  /// Returns the only stage that reads this one, and its loop over panels of the vectors' axis; nothing if it has none.
  [[nodiscard]] std::optional<std::vector<std::string>> panel_of_reader() const {
    auto const index = static_cast<std::int32_t>(&st_ - p_.stages.data());
    auto const readers = readers_of(p_, index);
    if (readers.size() != 1) return std::nullopt;
    auto const& reader = p_.stages[static_cast<std::size_t>(readers[0])];
    if (!is_of_constants(p_, reader)) return std::nullopt;
    for (std::size_t x = 0; x < reader.definition->axes.size(); ++x) {
      auto const panels = reader.axis_name(x) + "_o";
      if (!out_.is_parallel(reader.definition->name, panels)) continue;
      for (auto const& a : reader.accesses)
        if (!a.write && a.producer == index && !is_along(a, x)) return std::nullopt;
      return std::vector{reader.definition->name, panels};
    }
    return std::nullopt;
  }

  /// Returns true if a reader's axis is the vectors' axis of this stage.
  [[nodiscard]] bool is_along(access_plan const& a, std::size_t axis) const {
    return axis_alone(a.indices[static_cast<std::size_t>(v_)], true) == static_cast<std::int32_t>(axis);
  }

  [[nodiscard]] std::int64_t size(std::int32_t x) const { return st_.axis_size(static_cast<std::size_t>(x)); }
  [[nodiscard]] std::string const& axis(std::int32_t x) const { return st_.axis_name(static_cast<std::size_t>(x)); }

  /// Returns the distance in memory between the constants of neighbours along an axis.
  [[nodiscard]] std::int64_t apart(std::int32_t x) const {
    auto const read = std::find_if(st_.accesses.begin(), st_.accesses.end(),
                                   [&](access_plan const& a) { return is_gathered(p_, st_, a, v_); });
    return std::abs(stride(p_, st_, *read, static_cast<std::size_t>(x)));
  }

  /// Returns the axes but that of the vectors in the order of the constants' addresses, the farthest first.
  [[nodiscard]] std::vector<std::int32_t> by_addresses() const {
    std::vector<std::pair<std::int64_t, std::int32_t>> sorted;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(st_.definition->axes.size()); ++x)
      if (x != v_) sorted.emplace_back(-apart(x), x);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int32_t> made;
    for (auto const& one : sorted) made.push_back(one.second);
    return made;
  }

  /// Returns true for a short axis that does not move the constants: its results share their loads in registers.
  [[nodiscard]] bool is_point(std::int32_t x) const { return apart(x) == 0 && size(x) <= most_points; }

  /// Returns the part of the outermost axis that is a task: some eight tasks for each core.
  [[nodiscard]] std::int32_t chunk_of(std::int32_t x) const {
    auto const wanted = 8 * static_cast<std::int64_t>(out_.machine().cores);
    auto const parts = ceil_divide(wanted, ceil_divide(size(v_), std::int64_t{rows_}));
    return static_cast<std::int32_t>(ceil_divide(size(x), std::min(parts, size(x))));
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& st_;
  std::string const& name_;
  std::int32_t rows_;
  std::int32_t v_ = -1;
  std::vector<std::int32_t> order_;
};

}}}  // namespace ttune::v0::autoschedule
