// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stop_token>
#include <utility>

#include "ttune/capture/keep_open.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/open/cost_of_call.hpp"
#include "ttune/open/shape_records.hpp"
#include "ttune/open/shape_spaces.hpp"
#include "ttune/open/time_shapes.hpp"
#include "ttune/open/tune_shapes.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/session/deadline.hpp"
#include "ttune/tune/session/session_clock.hpp"

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

/// Returns shapes all over the ranges whose calls are small enough to be timed; the smallest one if there are none.
inline std::vector<shape_use> timed_shapes(ir::program const& open, open_range const& of) {
  constexpr std::size_t drawn = 1024;
  auto made = even_shapes(of.smallest, of.largest, drawn);
  std::erase_if(made, [&](shape_use const& use) { return !cost_of_call(open, of, use.shape).is_small(); });
  if (made.empty()) made.push_back({of.smallest, 1});
  return made;
}

/// Returns the likely shapes, then others all over the ranges, which have a small share of the calls: so that shapes
/// that nobody named get a kernel that suits them, too. Both are in random order: the first ones stand for all.
inline std::vector<shape_use> shapes_of_calls(ir::program const& open, open_range const& of,
                                              std::vector<shape_use> likely) {
  constexpr double share_of_unnamed = 0.1;
  auto others = timed_shapes(open, of);
  double all = 0;
  for (auto const& one : likely) all += one.weight;
  if (!likely.empty())
    for (auto& use : others) use.weight = share_of_unnamed * all / static_cast<double>(others.size());
  std::ranges::shuffle(likely, std::minstd_rand(1));
  std::map<call_shape, std::size_t> places;
  for (std::size_t i = 0; i < likely.size(); ++i) places.try_emplace(likely[i].shape, i);
  for (auto& use : others) {
    auto const [at, is_new] = places.try_emplace(use.shape, likely.size());
    if (is_new) likely.push_back(std::move(use));
    else likely[at->second].weight += use.weight;
  }
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
  /// Times calls of shapes until a deadline, and leaves out the shapes that are behind it.
  [[nodiscard]] std::vector<shape_candidate> timed(std::vector<shape_use>& uses, deadline const& until) const {
    auto made = time_shapes(calls, largest, uses, until);
    uses.resize(made.front().seconds.size());
    return made;
  }
};

/// Returns the first uses.
inline std::vector<shape_use> first_uses(std::vector<shape_use> const& uses, std::size_t most) {
  return {uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(std::min(most, uses.size()))};
}

/// Returns the weighted geometric mean of the seconds of calls, each by the kernel that the tree chooses.
inline double mean_seconds(std::vector<shape_candidate> const& kernels, shape_choice const& choice,
                           std::vector<shape_use> const& uses) {
  double sum = 0, weights = 0;
  for (std::size_t u = 0; u < uses.size(); ++u) {
    auto const kernel = choice.kernels[choice.tree.choose(uses[u].shape)];
    sum += uses[u].weight * std::log(kernels[kernel].seconds[u]);
    weights += uses[u].weight;
  }
  return std::exp(sum / weights);
}

/// Kernels that are chosen, and what a call takes with them.
struct timed_choice {
  shape_choice choice;
  double seconds = 0;
};

/// The time that is left for choosing kernels, in shares.
class timing_budget {
 public:
  timing_budget(session_clock const& clock, double end, std::stop_token stop)
      : clock_(clock), start_(clock.elapsed()), end_(end), stop_(std::move(stop)) {}

  /// Returns the moment at which a share of the time is over.
  [[nodiscard]] deadline until(double share) const { return {clock_, start_ + share * (end_ - start_), stop_}; }

 private:
  session_clock const& clock_;
  double start_, end_;
  std::stop_token stop_;
};

/// Chooses kernels in rounds: all at a few shapes, the better ones at more, then those that are chosen at all shapes,
/// from which the tree is made.
inline timed_choice choose_kernels(open_kernels const& all, std::vector<shape_use> uses, open_range const& of,
                                   std::size_t most, timing_budget const& time) {
  struct round {
    std::size_t shapes;
    std::size_t spare_kernels;
    double end;  ///< share of the time
  };
  constexpr round rounds[] = {{64, 8, 0.5}, {256, 0, 0.7}};
  auto numbers = std::vector<std::size_t>(all.calls.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (auto const& [shapes, spare_kernels, end] : rounds) {
    auto few = first_uses(uses, shapes);
    auto const timed = all.some(numbers).timed(few, time.until(end));
    auto const better = choose_for_each(timed, few, of.largest, most + spare_kernels);
    std::vector<std::size_t> chosen;
    for (auto const k : better) chosen.push_back(numbers[k]);
    numbers = std::move(chosen);
  }
  auto const timed = all.some(numbers).timed(uses, time.until(1));
  auto made = tree_for(timed, uses, of.smallest, of.largest);
  auto const seconds = mean_seconds(timed, made, uses);
  for (auto& k : made.kernels) k = numbers[k];
  return {made, seconds};
}

/// A kernel, and the number of its space.
struct kernel_of_space {
  tuning_result found;
  std::size_t space = 0;
};

/// Returns the untuned kernels of the spaces, in their order, until half of the budget's time is over: at least one.
/// Others stand in for those that fail; throws backend_error if all do.
inline std::vector<kernel_of_space> untuned_kernels(tuner& by, std::vector<space> const& spaces,
                                                    tuning_budget const& budget) {
  constexpr double share_of_time = 0.5;
  auto const start = steady::now();
  std::vector<kernel_of_space> made;
  std::exception_ptr failure;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    bool const is_over = seconds_since(start) > share_of_time * budget.time.count() || budget.stop.stop_requested();
    if (!made.empty() && is_over) break;
    auto one = budget;
    one.effort = effort_level::none;
    one.trials = static_cast<std::int64_t>(i) < without_level(budget).trials ? 1 : 0;
    one.time = budget.time / static_cast<double>(spaces.size());
    one.calls.clear();
    try {
      made.push_back({by.tune(spaces[i], one), i});
    } catch (backend_error const&) {
      failure = std::current_exception();
    }
  }
  if (made.empty()) std::rethrow_exception(failure);
  return made;
}

/// Returns the kernels with the largest extents that they compute.
inline open_kernels open_kernels_of(std::vector<kernel_of_space> const& found, spaces_to_try const& tried, tuner& by) {
  open_kernels made;
  for (auto const& one : found) {
    made.calls.emplace_back(load(one.found.image), by.kernel_executor());
    made.largest.push_back(tried.largest[one.space]);
  }
  return made;
}

/// Leaves out the untuned kernels that are not among the best `most` ones for some shapes.
inline void keep_best(std::vector<kernel_of_space>& untuned, open_kernels const& all,
                      std::vector<shape_use> const& uses, open_range const& of, std::size_t most,
                      deadline const& until) {
  constexpr std::size_t shapes = 64;
  auto few = first_uses(uses, shapes);
  auto const timed = all.timed(few, until);
  std::vector<kernel_of_space> best;
  for (auto const k : choose_for_each(timed, few, of.largest, most)) best.push_back(std::move(untuned[k]));
  untuned = std::move(best);
}

/// Adds the kernels that the rest of a budget finds in the spaces of untuned ones. A kernel that was tuned at one shape
/// may suit others less than the untuned one.
inline void add_tuned(std::vector<kernel_of_space>& found, tuner& by, std::vector<space> const& spaces,
                      tuning_budget rest) {
  if (without_level(rest).trials <= 0 || rest.time.count() <= 0) return;
  std::vector<space> started;
  for (auto const& one : found) started.push_back(spaces[one.space]);
  auto tuned = by.tune_all(started, rest);
  for (std::size_t i = 0; i < tuned.size(); ++i) found.push_back({std::move(tuned[i]), found[i].space});
}

/// Returns the seconds until a deadline; infinity if there is none.
inline double seconds_until(steady::time_point deadline) {
  if (deadline == no_deadline) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(deadline - steady::now()).count();
}

/// Returns what tuning may spend: the rest of the time is for timing kernels at many shapes.
inline tuning_budget part_for_tuning(tuning_budget budget) {
  constexpr double share = 0.7;
  budget.time *= share;
  if (budget.deadline != no_deadline)
    budget.deadline =
        steady::now() + std::chrono::duration_cast<steady::duration>(share * (budget.deadline - steady::now()));
  return budget;
}

/// Returns the extents that calls may give.
inline open_range range_of(handle<ir::program> const& open) {
  open_range made;
  made.name = open->name;
  for (auto const& d : ir::open_extents(*open)) {
    made.extents.push_back(d->name);
    made.smallest.push_back(d->low);
    made.largest.push_back(d->high);
  }
  return made;
}

/// Returns the effort behind all kernels that were tried: it was cut short if that of one of them was.
inline recorded_effort effort_of(std::vector<kernel_of_space> const& tuned, tuning_budget const& budget) {
  using ending = recorded_effort::ending;
  bool const stopped = budget.stop.stop_requested() || steady::now() > budget.deadline;
  recorded_effort made{0, 0, stopped ? ending::cut_short : ending::at_limit, asked_by(budget)};
  for (auto const& one : tuned) {
    made.trials += one.found.report.trials;
    made.seconds += one.found.report.tuning_seconds;
    if (one.found.report.effort.ended == ending::cut_short) made.ended = ending::cut_short;
  }
  return made;
}

/// Derives, tunes and times kernels, and chooses some.
inline std::pair<recorded_shapes, std::vector<tuning_report>> find_kernels(tuner& by,
                                                                           handle<ir::program> const& program,
                                                                           open_range const& range,
                                                                           shape_options const& how,
                                                                           tuning_budget const& budget) {
  constexpr std::size_t most_derived = 32;
  constexpr double share_of_first_timing = 0.15;
  session_clock const clock(by.options().clock);
  auto const end = std::min(budget.time.count(), seconds_until(budget.deadline));
  auto const likely = likely_shapes(range, how);
  auto const uses = shapes_of_calls(*capture::keep_open(program), range, likely);
  auto const derived = apart_shapes(uses, most_derived, std::min(likely.size(), most_derived / 2));
  auto const tried = shape_spaces(program, range, by.compiler().target(), by.options().derive).run(derived);
  auto const start = steady::now();
  auto rest = part_for_tuning(budget);
  auto tuned = untuned_kernels(by, tried.spaces, rest);
  if (!has_level(budget)) rest.trials -= std::min(rest.trials, std::ssize(tuned));
  keep_best(tuned, open_kernels_of(tuned, tried, by), uses, range, 2 * how.most_kernels,
            timing_budget(clock, end, budget.stop).until(share_of_first_timing));
  rest.time -= steady::now() - start;
  add_tuned(tuned, by, tried.spaces, rest);
  auto const [choice, seconds] = choose_kernels(open_kernels_of(tuned, tried, by), uses, range, how.most_kernels,
                                                timing_budget(clock, end, budget.stop));
  recorded_shapes made{{range, {}, choice.tree}, effort_of(tuned, budget), seconds};
  std::vector<tuning_report> reports;
  for (auto const k : choice.kernels) {
    auto const& report = reports.emplace_back(std::move(tuned[k].found.report));
    made.images.kernels.push_back({std::move(tuned[k].found.image), report.workload, report.schedule, report.seconds});
  }
  return {std::move(made), std::move(reports)};
}

/// Returns the reports of recorded kernels.
inline std::vector<tuning_report> reports_of(recorded_shapes const& known) {
  std::vector<tuning_report> made;
  for (auto const& one : known.images.kernels) {
    auto& report = made.emplace_back();
    report.source = tuning_report::origin::record;
    report.workload = one.workload;
    report.schedule = one.schedule;
    report.seconds = one.seconds;
    report.flops = one.image.signature.flops;
    report.effort = known.effort;
    report.stopped_because = "found in the records";
  }
  return made;
}

tuned_shapes tune_shapes(tuner& by, handle<ir::program> const& program, shape_options const& how,
                         tuning_budget const& budget) {
  auto const open = capture::keep_open(program);
  auto const key = key_of_shapes(open, how, by);
  auto const range = range_of(open);
  (void)likely_shapes(range, how);  // refuses wrong ones, whatever the records have
  auto const load_all = [&](recorded_shapes const& found, std::vector<tuning_report> reports) {
    tuned_shapes made{range, {}, std::move(reports), found.images.tree};
    for (auto const& one : found.images.kernels) made.kernels.emplace_back(load(one.image), by.kernel_executor());
    return made;
  };
  if (auto const known = find_shapes(key, asked_by(budget), by)) return load_all(*known, reports_of(*known));
  auto [found, reports] = find_kernels(by, program, range, how, budget);
  keep_shapes(key, found, by);
  return load_all(found, std::move(reports));
}

}}}  // namespace ttune::v0::detail
