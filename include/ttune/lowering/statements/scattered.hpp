// SPDX-License-Identifier: Apache-2.0
// The places that the terms of scatters go to (schedule/primitive/scatter.hpp), in place of loops over the results:
//
//   for k                                        for k
//     for b < B                            →       if 0 <= G[k] && G[k] < B
//       if G[k] == b: H[b] += e(k)                   let b = G[k]: H[b] += e(k)
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "ttune/arith/scatter_form.hpp"
#include "ttune/lowering/statements/bases.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Finds the loops that places replace: those over scattered axes, inside of the first reduced one. A variable for each
/// axis takes their place.
class scattered {
 public:
  scattered(scope const& s, bases const& base) : scope_(s), base_(base) {}

  /// Returns true for a loop that places replace: for the terms, it does not run.
  [[nodiscard]] bool replaces(std::size_t st, std::int32_t level) const {
    if (!form(st)) return false;
    bool reduced = false;
    for (std::int32_t l = 0; l < level; ++l) reduced = reduced || !scope_.is_free(st, scope_.loop(st, l));
    auto const axis = static_cast<std::size_t>(scope_.loop(st, level).axis);
    auto const& axes = form(st)->axes;
    return reduced && std::any_of(axes.begin(), axes.end(), [&](auto const& s) { return s.axis == axis; });
  }

  /// Returns the name of the variable of a scattered axis.
  [[nodiscard]] std::string variable(std::size_t st, std::size_t axis) const {
    return scope_.p.stages[st].definition->name + "." + scope_.p.stages[st].axis_name(axis);
  }

  /// Returns the number of places along an axis that the replaced loops have.
  [[nodiscard]] std::int64_t extent(std::size_t st, std::size_t axis) const {
    std::int64_t made = 1;
    for (std::int32_t level = 0; level < scope_.n.stages[st].count; ++level) {
      auto const& l = scope_.loop(st, level);
      if (static_cast<std::size_t>(l.axis) == axis && replaces(st, level))
        made += std::int64_t{l.extent - 1} * l.stride;
    }
    return std::min<std::int64_t>(made, scope_.n.stages[st].extent[axis]);
  }

  /// Returns the position of every axis of a stage relative to the base of its region, where a term is added.
  [[nodiscard]] exprs relative(std::size_t st) const {
    auto made = outside(st);
    if (form(st))
      for (auto const& s : form(st)->axes)
        if (extent(st, s.axis) > 1) made[s.axis] = made[s.axis] + ir::make_variable(variable(st, s.axis));
    return made;
  }

  /// Returns `inner`, which adds a term, with the variables of the scattered axes, under the condition that their
  /// values are places of the loops. `in_buffers(e)`: an expression of the stage, whose reads become those of buffers.
  template <class InBuffers>
  [[nodiscard]] ir::stmt located(std::size_t st, ir::stmt inner, InBuffers const& in_buffers) const {
    using ir::binary_op;
    auto condition = ir::make_bool(true);
    auto const around = outside(st);
    for (auto const& s : form(st)->axes) {
      auto const value = arith::simplify(in_buffers(s.place) - base_[st][s.axis] - around[s.axis], scope_.ranges);
      auto const size = extent(st, s.axis);
      for (auto const& part : {ir::make_binary(binary_op::less_equal, ir::make_index(0), value),
                               ir::make_binary(binary_op::less, value, ir::make_index(size))})
        condition = ir::make_binary(binary_op::logical_and, condition, arith::simplify(part, scope_.ranges));
      if (size > 1) inner = ir::make_let(variable(st, s.axis), value, 0, size, inner);
    }
    return ir::make_conditional(condition, inner);
  }

  [[nodiscard]] arith::scatter_form const* form(std::size_t st) const { return scope_.p.stages[st].scattered.get(); }

 private:
  /// Returns the position of every axis from the loops that are not replaced.
  [[nodiscard]] exprs outside(std::size_t st) const {
    exprs made(scope_.p.stages[st].axis_count(), ir::make_index(0));
    for (std::int32_t level = 0; level < scope_.n.stages[st].count; ++level) {
      auto const& l = scope_.loop(st, level);
      auto& position = made[static_cast<std::size_t>(l.axis)];
      if (!replaces(st, level)) position = position + scope_.distance(st, level);
    }
    return made;
  }

  scope const& scope_;
  bases const& base_;
};

}}}  // namespace ttune::v0::lowering
