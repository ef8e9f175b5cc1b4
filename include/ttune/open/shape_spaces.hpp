// SPDX-License-Identifier: Apache-2.0
// The schedules of kernels for many shapes: those that are derived for likely shapes, with loops that end where the
// extents of a call do.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/capture/bind.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/runtime/open_range.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/usable_space.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Spaces of kernels, and the largest extents that each computes.
struct spaces_to_try {
  std::vector<space> spaces;
  std::vector<call_shape> largest;
};

/// Makes the spaces that are tried: that of the largest shape, and those of likely ones, each with the tasks that its
/// shape needs, and with more, which smaller shapes need.
class shape_spaces {
 public:
  shape_spaces(handle<ir::program> const& program, open_range const& of, target const& machine,
               space_source const& derive)
      : program_(program), of_(of), machine_(machine), derive_(derive) {}

  [[nodiscard]] spaces_to_try run(std::vector<call_shape> const& shapes) {
    auto whole = usable_space(open_up_to(of_.largest), machine_, derive_);
    whole.trial_extents = shapes.front();
    add(std::move(whole), of_.largest);
    auto more_tasks = machine_;
    more_tasks.cores *= 4;
    for (auto const& shape : shapes)
      for (auto const* machine : {&machine_, static_cast<target const*>(&more_tasks)}) add_derived_for(shape, *machine);
    return std::move(made_);
  }

 private:
  /// Iterations of an unrolled or vectorised loop that are too many, if a kernel for larger extents had them.
  static constexpr std::int64_t most_in_tile = 256;

  [[nodiscard]] handle<ir::program> open_up_to(call_shape const& largest) const {
    std::vector<dim> ranges;
    for (std::size_t d = 0; d < largest.size(); ++d) ranges.push_back({of_.extents[d], of_.smallest[d], largest[d]});
    return capture::keep_open(program_, ranges);
  }
  /// Adds a space, unless another one has the same kernel as its first.
  void add(space made, call_shape largest) {
    auto text = to_cpp(made, made.seed);
    for (auto const extent : largest) text += " " + std::to_string(extent);
    if (!known_.insert(std::move(text)).second) return;
    made_.spaces.push_back(std::move(made));
    made_.largest.push_back(std::move(largest));
  }

  /// Adds the space of a shape for all extents. Where it unrolls a whole axis, larger extents than the shape's would
  /// make too much code: then the kernel is one for extents up to that.
  void add_derived_for(call_shape const& shape, target const& machine) {
    auto made = derived_for(shape, machine);
    made.trial_extents = shape;
    auto largest = of_.largest;
    for (bool shrunk = true; shrunk;) {
      made.program = open_up_to(largest);
      auto const plan = plan_of(made);
      if (!plan) return;
      shrunk = shrink(*plan, made.seed, shape, largest);
    }
    add(std::move(made), std::move(largest));
  }

  /// Returns the space of a shape; where its steps give operands other dimensions, that of extents up to the shape's.
  [[nodiscard]] space derived_for(call_shape const& shape, target const& machine) const {
    std::vector<bound_dim> values;
    for (std::size_t d = 0; d < shape.size(); ++d) values.push_back({dim{of_.extents[d]}, shape[d]});
    auto made = usable_space(capture::bind(program_, values), machine, derive_);
    made.program = open_up_to(of_.largest);
    return plan_of(made) ? made : usable_space(open_up_to(shape), machine, derive_);
  }

  /// Returns the plan of a space; nothing if its steps need constant extents.
  [[nodiscard]] static std::optional<plan> plan_of(space const& of) {
    try {
      return make_plan(of);
    } catch (schedule_error const&) {
      return std::nullopt;
    }
  }

  /// Makes extents smaller that tiles of a configuration pass whole; returns true if there is one.
  [[nodiscard]] bool shrink(plan const& p, configuration const& chosen, call_shape const& shape,
                            call_shape& largest) const {
    loop_nest nest;
    instantiate(p, chosen, nest);
    bool shrunk = false;
    for (std::int16_t st = 0; st < nest.stage_count; ++st) {
      auto const& stage = nest.stages[static_cast<std::size_t>(st)];
      if (stage.inlined) continue;  // the kernel has none of its loops
      for (std::int16_t l = 0; l < stage.count; ++l) {
        auto const& loop = nest.loops[static_cast<std::size_t>(stage.first + l)];
        auto const& end = p.stages[static_cast<std::size_t>(st)].axis_end(static_cast<std::size_t>(loop.axis));
        bool const in_tile = loop.kind != ir::loop_kind::serial && loop.kind != ir::loop_kind::parallel;
        if (!in_tile || loop.extent <= most_in_tile || end.is_constant()) continue;
        auto const name = std::find(of_.extents.begin(), of_.extents.end(), end.symbol->name);
        auto& most = largest[static_cast<std::size_t>(name - of_.extents.begin())];
        auto const own = shape[static_cast<std::size_t>(name - of_.extents.begin())];
        if (most > own) most = own, shrunk = true;
      }
    }
    return shrunk;
  }

  handle<ir::program> const& program_;
  open_range const& of_;
  target const& machine_;
  space_source const& derive_;
  spaces_to_try made_;
  std::set<std::string> known_;
};

}}}  // namespace ttune::v0::detail
