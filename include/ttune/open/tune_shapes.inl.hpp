// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>

#include "ttune/capture/keep_open.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/open/shape_spaces.hpp"
#include "ttune/open/time_shapes.hpp"
#include "ttune/open/tune_shapes.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

void refuse_extents(open_range const& of, std::span<std::int64_t const> values) {
  std::size_t d = 0;
  while (values[d] >= of.smallest[d] && values[d] <= of.largest[d]) ++d;
  throw argument_error("kernel " + of.name + " is called with " + of.extents[d] + " = " + std::to_string(values[d]) +
                       "; the dim was declared within [" + std::to_string(of.smallest[d]) + ", " +
                       std::to_string(of.largest[d]) + "]");
}

/// Returns the likely shapes in the order of the extents.
inline std::vector<shape_use> likely_shapes(open_range const& of, shape_options const& how) {
  std::vector<shape_use> made;
  for (auto const& [values, weight] : how.likely) {
    auto& use = made.emplace_back();
    use.weight = weight;
    for (auto const& name : of.extents) {
      auto const at =
          std::find_if(values.begin(), values.end(), [&](bound_dim const& v) { return v.what.name == name; });
      if (at == values.end())
        throw argument_error("a likely shape of " + of.name + " has no value for dim " + name + ": add {" + name +
                             ", 64}");
      use.shape.push_back(at->value);
    }
    if (!of.allows(use.shape)) refuse_extents(of, use.shape);
  }
  return made;
}

/// Returns the likely shapes, then others all over the ranges, which have a small share of the calls: so that shapes
/// that nobody named get a kernel that suits them, too.
inline std::vector<shape_use> shapes_of_calls(open_range const& of, std::vector<shape_use> likely) {
  constexpr std::size_t drawn = 1024;
  constexpr double share_of_unnamed = 0.1;
  auto others = even_shapes(of.smallest, of.largest, drawn);
  double all = 0;
  for (auto const& one : likely) all += one.weight;
  if (!likely.empty())
    for (auto& use : others) use.weight = share_of_unnamed * all / drawn;
  likely.insert(likely.end(), others.begin(), others.end());
  return likely;
}

/// Kernels with open extents, each with the largest that it computes.
struct open_kernels {
  std::vector<kernel_call> calls;
  std::vector<call_shape> largest;

  [[nodiscard]] open_kernels some(std::vector<std::size_t> const& numbers) const {
    open_kernels made;
    for (auto const k : numbers) made.calls.push_back(calls[k]), made.largest.push_back(largest[k]);
    return made;
  }
  [[nodiscard]] std::vector<shape_candidate> timed(std::vector<shape_use> const& uses) const {
    return time_shapes(calls, largest, uses);
  }
};

/// Returns some uses that are far apart.
inline std::vector<shape_use> few_uses(std::vector<shape_use> const& uses, std::size_t most) {
  std::vector<shape_use> made;
  for (auto const& shape : apart_shapes(uses, most)) {
    auto const same = [&](shape_use const& u) { return u.shape == shape; };
    made.push_back(*std::find_if(uses.begin(), uses.end(), same));
  }
  return made;
}

/// Chooses kernels in rounds: all at a few shapes, the better ones at more, then those that are chosen at all shapes,
/// from which the tree is made.
inline shape_choice choose_kernels(open_kernels const& all, std::vector<shape_use> const& uses, open_range const& of,
                                   std::size_t most) {
  constexpr std::size_t shapes_of_rounds[] = {48, 256};
  constexpr std::size_t spare_kernels = 8;  // behind the first round
  auto numbers = std::vector<std::size_t>(all.calls.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (auto const shapes : shapes_of_rounds) {
    auto const few = few_uses(uses, shapes);
    auto const left = shapes == shapes_of_rounds[0] ? most + spare_kernels : most;
    auto const better = choose_for_each(all.some(numbers).timed(few), few, of.largest, left);
    std::vector<std::size_t> chosen;
    for (auto const k : better) chosen.push_back(numbers[k]);
    numbers = std::move(chosen);
  }
  auto made = tree_for(all.some(numbers).timed(uses), uses, of.smallest, of.largest);
  for (auto& k : made.kernels) k = numbers[k];
  return made;
}

/// Returns the untuned kernels of all spaces, then those that the rest of the budget finds. A kernel that was tuned at
/// one shape may suit others less than the untuned one.
inline std::vector<tuning_result> untuned_and_tuned(tuner& by, std::vector<space> const& spaces,
                                                    tuning_budget const& budget) {
  auto const start = steady::now();
  auto first = budget;
  first.trials = std::min(budget.trials, std::ssize(spaces));
  auto all = by.tune_all(spaces, first);
  auto rest = budget;
  rest.trials -= first.trials;
  rest.time -= steady::now() - start;
  if (rest.trials <= 0 || rest.time.count() <= 0) return all;
  auto tuned = by.tune_all(spaces, rest);
  all.insert(all.end(), std::make_move_iterator(tuned.begin()), std::make_move_iterator(tuned.end()));
  return all;
}

tuned_shapes tune_shapes(tuner& by, handle<ir::program> const& program, shape_options const& how,
                         tuning_budget const& budget) {
  constexpr std::size_t most_derived = 32;
  tuned_shapes made;
  made.range.name = program->name;
  for (auto const& d : ir::open_extents(*capture::keep_open(program))) {
    made.range.extents.push_back(d->name);
    made.range.smallest.push_back(d->low);
    made.range.largest.push_back(d->high);
  }
  auto const likely = likely_shapes(made.range, how);
  auto const uses = shapes_of_calls(made.range, likely);
  auto const derived = apart_shapes(uses, most_derived, std::min(likely.size(), most_derived / 2));
  auto const tried = shape_spaces(program, made.range, by.compiler().target(), by.options().derive).run(derived);
  auto const tuned = untuned_and_tuned(by, tried.spaces, budget);
  open_kernels all;
  for (std::size_t k = 0; k < tuned.size(); ++k) {
    all.calls.emplace_back(load(tuned[k].image), by.kernel_executor());
    all.largest.push_back(tried.largest[k % tried.largest.size()]);
  }
  auto const chosen = choose_kernels(all, uses, made.range, how.most_kernels);
  made.tree = chosen.tree;
  for (auto const k : chosen.kernels) {
    made.kernels.push_back(all.calls[k]);
    made.reports.push_back(tuned[k].report);
  }
  return made;
}

}}}  // namespace ttune::v0::detail
