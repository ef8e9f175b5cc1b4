// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/capture/keep_open.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/open/time_shapes.hpp"
#include "ttune/open/tune_shapes.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/usable_space.hpp"

namespace ttune { inline namespace v0 { namespace detail {

void refuse_extents(tuned_shapes const& of, std::span<std::int64_t const> values) {
  std::size_t d = 0;
  while (values[d] >= of.smallest[d] && values[d] <= of.largest[d]) ++d;
  throw argument_error("kernel " + of.name + " is called with " + of.extents[d] + " = " + std::to_string(values[d]) +
                       "; the dim was declared within [" + std::to_string(of.smallest[d]) + ", " +
                       std::to_string(of.largest[d]) + "]");
}

/// Returns the likely shapes in the order of the extents.
inline std::vector<shape_use> likely_shapes(tuned_shapes const& of, shape_options const& how) {
  constexpr std::size_t drawn = 48;
  if (how.likely.empty()) return even_shapes(of.smallest, of.largest, drawn);
  std::vector<shape_use> made;
  for (auto const& [values, weight] : how.likely) {
    auto& use = made.emplace_back();
    use.weight = weight;
    for (auto const& name : of.extents) {
      auto const at = std::find_if(values.begin(), values.end(), [&](bound_dim const& v) { return v.what.name == name; });
      if (at == values.end())
        throw argument_error("a likely shape of " + of.name + " has no value for dim " + name + ": add {" + name +
                             ", 64}");
      use.shape.push_back(at->value);
    }
    if (!of.allows(use.shape)) refuse_extents(of, use.shape);
  }
  return made;
}

tuned_shapes tune_shapes(tuner& by, handle<ir::program> const& program, shape_options const& how,
                         tuning_budget const& budget) {
  constexpr std::size_t most_tried = 27;
  auto const whole = capture::keep_open(program);
  tuned_shapes made;
  made.name = program->name;
  for (auto const& d : ir::open_extents(*whole)) {
    made.extents.push_back(d->name);
    made.smallest.push_back(d->low);
    made.largest.push_back(d->high);
  }
  auto const uses = likely_shapes(made, how);
  std::vector<space> spaces;
  std::vector<call_shape> largest;
  for (auto const& sizes : sizes_to_try(uses, made.smallest, made.largest, most_tried)) {
    std::vector<dim> ranges;
    for (std::size_t d = 0; d < sizes.largest.size(); ++d)
      ranges.push_back({made.extents[d], made.smallest[d], sizes.largest[d]});
    spaces.push_back(usable_space(capture::keep_open(program, ranges), by.compiler().target()));
    spaces.back().trial_extents = sizes.typical;
    largest.push_back(sizes.largest);
  }
  auto const tuned = by.tune_all(spaces, budget);
  std::vector<kernel_call> kernels;
  for (auto const& t : tuned) kernels.emplace_back(load(t.image), by.kernel_executor());
  auto const candidates = time_shapes(kernels, largest, uses);
  auto const chosen = choose_by_shape(candidates, uses, made.smallest, made.largest, how.most_kernels);
  made.tree = chosen.tree;
  for (auto const k : chosen.kernels) {
    made.kernels.push_back(kernels[k]);
    made.reports.push_back(tuned[k].report);
  }
  return made;
}

}}}  // namespace ttune::v0::detail
