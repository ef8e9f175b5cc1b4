// SPDX-License-Identifier: Apache-2.0
// Scans whose results continue each other (schedule/primitive/carry.hpp) keep the last results in registers if these
// are few:
//
//   for t                                      last = 0
//     S[t] = t < 1 ? 0 : S[t - 1]         →    for t
//     S[t] += e(t)                               last += e(t)
//                                                S[t] = last
//
// A scan in the loop of its reader, one result an iteration, needs no buffer but that of the last results: readers read
// these.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/lowering/statements/scope.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

class accumulators {
 public:
  explicit accumulators(scope const& s) : scope_(s), buffers_(s.p.stages.size()) {}

  /// Returns true if a stage keeps its last results: an iteration of the loop around continues them, or they are few,
  /// and all loops inside of the scanned axis are unrolled, or are lanes.
  [[nodiscard]] bool keeps(std::size_t st) const {
    constexpr std::int64_t most_elements = 64;  // four vectors of f32 with AVX-512
    if (along(st) < 0) return false;
    if (scope_.n.stages[st].continued) return true;
    std::int64_t elements = 1;
    bool simple = true;
    for_each_inside(st, [&](loop_nest::loop const& l, std::int32_t) {
      elements *= l.extent;
      simple = simple && (l.extent == 1 || l.kind == ir::loop_kind::vectorized || l.kind == ir::loop_kind::unrolled);
    });
    return simple && elements <= most_elements;
  }

  /// Returns true if readers read the last results themselves: each iteration of the loop around has one along the
  /// scanned axis.
  [[nodiscard]] bool are_results(std::size_t st) const {
    auto const& nest = scope_.n.stages[st];
    return nest.continued && !scope_.p.stages[st].output && nest.extent[static_cast<std::size_t>(along(st))] == 1;
  }

  /// Returns true for an axis along which results continue the one that is kept.
  [[nodiscard]] bool is_along(std::size_t st, std::size_t axis) const {
    return along(st) == static_cast<std::int32_t>(axis) && keeps(st);
  }

  /// Makes the buffers of a stage anew, one a component.
  std::vector<handle<ir::buffer>> const& declare(std::size_t st) {
    auto const& definition = *scope_.p.stages[st].definition;
    std::vector<std::int64_t> extents(definition.axes.size() + 1, 1);
    for_each_inside(st, [&](loop_nest::loop const& l, std::int32_t) {
      extents[static_cast<std::size_t>(l.axis)] += static_cast<std::int64_t>(l.extent - 1) * l.stride;
    });
    buffers_[st].clear();
    for (auto const& c : definition.components) {
      auto const name = definition.name + ".last" + (definition.components.size() == 1 ? "" : "." + c.name);
      buffers_[st].push_back(share(ir::buffer{{}, name, c.type, extents, ir::memory::registers, -1, {}}));
    }
    return buffers_[st];
  }

  [[nodiscard]] std::vector<handle<ir::buffer>> const& operator[](std::size_t st) const { return buffers_[st]; }

  /// Returns the indices of the last result that the loops around continue.
  [[nodiscard]] exprs indices(std::size_t st) const {
    exprs made(scope_.p.stages[st].definition->axes.size() + 1, ir::make_index(0));
    for_each_inside(st, [&](loop_nest::loop const& l, std::int32_t level) {
      auto& index = made[static_cast<std::size_t>(l.axis)];
      index = index + scope_.position(st, level) * l.stride;
    });
    return scope_.simplified(made);
  }

 private:
  [[nodiscard]] std::int32_t along(std::size_t st) const { return scope_.p.stages[st].carried; }

  /// Calls `f(loop, level)` for each loop over another free axis than the scanned one whose iterations each keep a
  /// result: those inside of the scanned axis, or all of them if iterations of a loop around continue the results.
  template <class Function>
  void for_each_inside(std::size_t st, Function const& f) const {
    bool inside = scope_.n.stages[st].continued;
    for (std::int32_t level = 0; level < scope_.n.stages[st].count; ++level) {
      auto const& l = scope_.loop(st, level);
      if (l.axis == along(st)) inside = true;
      else if (inside && scope_.is_free(st, l)) f(l, level);
    }
  }

  scope const& scope_;
  std::vector<std::vector<handle<ir::buffer>>> buffers_;  ///< by stage and component
};

}}}  // namespace ttune::v0::lowering
