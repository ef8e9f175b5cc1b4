// SPDX-License-Identifier: Apache-2.0
// The plan and the loop nest that are lowered, and the place of the statement that is being made.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

using exprs = std::vector<ir::expr>;

/// A loop around the statement that is being made, which runs more than once.
struct loop_around {
  ir::loop_kind kind;
  std::string name;
  std::int64_t extent;
};

/// All parts of the lowering read this; only `statements` (lower.inl.hpp) and the guards change it.
struct scope {
  plan const& p;
  loop_nest const& n;
  arith::ranges ranges;                     ///< of the loop variables around
  std::vector<loop_around> around;          ///< outermost first
  std::vector<bool> computed;               ///< by stage: it is computed before the statement that is being made
  std::vector<handle<ir::dimension>> open;  ///< the extents that calls give
  std::vector<arith::affine> facts;         ///< forms of open extents that are at least 0 where the statement runs
  using stage_axis = std::pair<std::size_t, std::size_t>;
  std::set<stage_axis> asked;  ///< a condition around says which tiles along these axes are whole
  /// Tiles that begin at another place than the iterations of the loops around: the innermost of these, and the place.
  std::map<stage_axis, std::pair<std::int32_t, ir::expr>> moved;
  /// How a parallel loop passes the tiles of an axis: a loop inside passes the tiles of a task.
  struct task_share {
    std::int32_t inner;  ///< that loop
    std::string count;   ///< the variable with the number of tiles of a task
    std::string tasks;   ///< the variable with the number of tasks
  };
  std::map<std::pair<std::size_t, std::int32_t>, task_share> shares;  ///< by stage and parallel loop
  /// Lanes of a vectorised loop, or iterations of an unrolled one, that are enough where the statement runs.
  std::map<stage_axis, std::int32_t> some_iterations;

  scope(plan const& of, loop_nest const& nest)
      : p(of), n(nest), computed(of.stages.size(), false), open(ir::open_extents(*of.program)) {
    for (auto const& d : open) ranges[d->name] = {d->low, d->high};
  }

  [[nodiscard]] loop_nest::loop const& loop(std::size_t st, std::int32_t level) const {
    return n.loops[static_cast<std::size_t>(n.stages[st].first + level)];
  }
  /// Returns true if a loop runs as one with the loop before or behind it.
  [[nodiscard]] bool is_fused(std::size_t st, std::int32_t level) const {
    return loop(st, level).fused || (level > 0 && loop(st, level - 1).fused);
  }
  /// Returns the name of a loop's variable: `stage.loop`.
  [[nodiscard]] std::string variable(std::size_t st, std::int32_t level) const {
    auto const& planned = p.stages[st];
    return planned.definition->name + "." + planned.loops[static_cast<std::size_t>(loop(st, level).source)].name;
  }

  /// Returns the value of a loop's variable. A loop that runs once has none: conditions then speak of real loops only.
  [[nodiscard]] ir::expr position(std::size_t st, std::int32_t level) const {
    return positions(st, level) == 1 ? ir::make_index(0) : ir::make_variable(variable(st, level));
  }
  /// Returns the number of values of a loop's variable at most: its iterations, or tiles of all tasks.
  [[nodiscard]] std::int64_t positions(std::size_t st, std::int32_t level) const {
    auto const* share = share_of(st, level);
    return std::int64_t{loop(st, level).extent} * (share ? loop(st, share->inner).extent : 1);
  }
  /// Returns how a parallel loop passes the tiles of its axis, if calls decide that; its variable then is the number of
  /// the first tile of a task.
  [[nodiscard]] task_share const* share_of(std::size_t st, std::int32_t level) const {
    auto const found = shares.find({st, level});
    return found == shares.end() ? nullptr : &found->second;
  }
  /// Returns by how much the iterations of a loop so far have moved the values of its axis.
  [[nodiscard]] ir::expr distance(std::size_t st, std::int32_t level) const {
    auto const& l = loop(st, level);
    auto const* share = share_of(st, level);
    auto const tile = moved.find({st, static_cast<std::size_t>(l.axis)});
    if (tile == moved.end() || level > tile->second.first)
      return position(st, level) * (share ? loop(st, share->inner).stride : l.stride);
    return level == tile->second.first ? tile->second.second : ir::make_index(0);
  }
  /// Returns the position of every axis of a stage relative to the base of its region, from its loops.
  [[nodiscard]] exprs relative(std::size_t st) const {
    exprs values(p.stages[st].axis_count(), ir::make_index(0));
    for (std::int32_t l = 0; l < n.stages[st].count; ++l) {
      auto& v = values[static_cast<std::size_t>(loop(st, l).axis)];
      v = v + distance(st, l);
    }
    return values;
  }
  [[nodiscard]] exprs simplified(exprs indices) const {
    for (auto& i : indices) i = arith::simplify(i, ranges);
    return indices;
  }

  /// Returns true if calls give the extent of an axis.
  [[nodiscard]] bool is_open(std::size_t st, std::size_t axis) const {
    return !open.empty() && !p.stages[st].axis_end(axis).is_constant();
  }
  /// Returns the number of values of an axis: a constant, or the variable of an open extent.
  [[nodiscard]] ir::expr size_of(std::size_t st, std::size_t axis) const {
    if (!is_open(st, axis)) return ir::make_index(p.stages[st].axis_size(axis));
    auto const run = run_of(st, axis);
    auto const all = values_of(st, axis);
    return run == 1 ? all : ir::make_binary(ir::binary_op::floor_divide, all + (run - 1), ir::make_index(run));
  }
  /// Returns the variable of the extent of an open axis; the axis counts runs of so many of its values.
  [[nodiscard]] ir::expr values_of(std::size_t st, std::size_t axis) const {
    return ir::make_variable(p.stages[st].axis_end(axis).symbol->name);
  }
  [[nodiscard]] std::int64_t run_of(std::size_t st, std::size_t axis) const { return p.stages[st].axis_end(axis).run; }

  /// Returns true if a loop runs over a free axis of its stage, not over a reduced one.
  [[nodiscard]] bool is_free(std::size_t st, loop_nest::loop const& l) const {
    return static_cast<std::size_t>(l.axis) < p.stages[st].definition->axes.size();
  }
  [[nodiscard]] std::size_t index_of(handle<ir::stage> const& st) const {
    for (std::size_t i = 0; i < p.program->stages.size(); ++i)
      if (p.program->stages[i] == st) return i;
    return p.program->stages.size();
  }
  /// Returns the stages that are computed inside loop `level` of a stage, around its next one.
  [[nodiscard]] std::vector<std::size_t> computed_inside(std::size_t st, std::int32_t level) const {
    std::vector<std::size_t> made;
    for (std::size_t q = 0; q < st && level >= 0; ++q)
      if (!n.stages[q].inlined && n.stages[q].attached_to == static_cast<std::int16_t>(st) &&
          n.stages[q].depth == level)
        made.push_back(q);
    return made;
  }

  template <class Is>
  [[nodiscard]] bool any_around(Is const& is) const {
    return std::any_of(around.begin(), around.end(), [&](loop_around const& l) { return is(l.kind); });
  }
  /// Returns true if iterations of a loop around run at once.
  [[nodiscard]] bool is_concurrent() const {
    return any_around([](ir::loop_kind k) {
      return k != ir::loop_kind::serial && k != ir::loop_kind::unrolled && k != ir::loop_kind::tensorized;
    });
  }
  [[nodiscard]] bool in_kernel() const {
    return any_around([](ir::loop_kind k) { return k >= ir::loop_kind::block_x; });
  }
  /// Returns true if the same threads come here again.
  [[nodiscard]] bool is_repeated() const {
    return any_around([](ir::loop_kind k) { return k < ir::loop_kind::block_x; });
  }
  [[nodiscard]] std::optional<loop_around> threads_around(ir::loop_kind kind) const {
    for (auto const& l : around)
      if (l.kind == kind && primitives::is_thread(kind)) return l;
    return std::nullopt;
  }
};

}}}  // namespace ttune::v0::lowering
