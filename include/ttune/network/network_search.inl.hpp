// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <utility>

#include "ttune/ir/print.hpp"
#include "ttune/network/copy_program.hpp"
#include "ttune/network/network_records.hpp"
#include "ttune/network/network_search.hpp"
#include "ttune/network/network_search_choice.hpp"
#include "ttune/network/network_search_records.hpp"
#include "ttune/network/output_error.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/session_effort.hpp"
#include "ttune/tune/usable_space.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A layout is dropped if it needs more than this share of its seconds less before the network uses it.
inline constexpr double hopeless_share = 2.0 / 3;
inline constexpr double start_share = 0.5;  ///< of the time, after which no first kernels are made but necessary ones
inline constexpr double end_share = 0.1;    ///< of the time, for comparisons and copies at the end
/// Rounds take at least as many times the time of weighing what they brought.
inline constexpr double rounds_over_weighing = 10;
inline constexpr std::int64_t copy_trials = 4;  ///< a copy gets no more batches then

network_search::network_search(network_graph const& net, tuner& by, tuning_budget const& budget,
                               numerics const& allowed, network_limits const& limits)
    : net_(net),
      tuner_(by),
      asked_(asked_by_network(budget)),
      budget_(for_network(budget)),
      allowed_(allowed),
      limits_(limits),
      found_(find_workloads(net, hashes_)) {
  for (auto const& tensor : net.tensors())
    if (tensor.origin == tensor_origin::weights) given_bytes_ += static_cast<double>(tensor.bytes());
  if (!(limits.weights_growth >= 1))
    throw argument_error("network_limits::weights_growth: weights take at least as many bytes as they are given with");
}

network_search::~network_search() = default;

network_steps network_search::run() {
  start_ = steady::now();
  if (auto found = from_records()) return std::move(*found);
  arrange();
  make_tasks(seconds_since(start_));
  start_all();
  search();
  auto made = conclude();
  trials_ = tasks_->trials();
  seconds_ = seconds_since(start_);
  return made;
}

void network_search::arrange() {
  for (auto& w : found_.workloads)
    if (!w.of->is_view()) w.variants = variants_of(w, machine(), tuner_.options().derive);
}

/// The trials of the budget are those of one workload on average. The time for first kernels counts.
void network_search::make_tasks(double seconds_spent) {
  task_limits limits{budget_, 0, budget_.time.count() * start_share};
  limits.budget.time = (budget_.time - std::chrono::duration<double>(seconds_spent)) * (1 - end_share);
  std::int64_t tuned = 0;
  for (auto const& w : found_.workloads) {
    tuned += w.variants.empty() ? 0 : 1;
    for (auto const& v : w.variants) limits.computes += v.computes.size();
  }
  if (budget_.trials > 0 && tuned > 0)
    limits.budget.trials = std::min(budget_.trials, std::numeric_limits<std::int64_t>::max() / tuned) * tuned;
  if (earlier_.trials > 0) limits.budget.trials = std::max(tuned, limits.budget.trials - earlier_.trials * tuned);
  limits.asked = asked_;
  tasks_.emplace(tuner_, limits);
}

// ----------------------------------------------------------------------------------------------- first kernels

void network_search::start_all() {
  for (auto& w : found_.workloads)
    if (!w.variants.empty()) start_first(w);
  if (budget_.trials == 0) return;
  std::vector<workload*> slowest_first;
  for (auto& w : found_.workloads)
    if (w.variants.size() > 1) slowest_first.push_back(&w);
  auto const total = [&](workload const* w) { return w->count * seconds_of(w->variants.front()); };
  std::sort(slowest_first.begin(), slowest_first.end(),
            [&](workload const* a, workload const* b) { return total(a) > total(b); });
  for (auto* const w : slowest_first) start_others(*w);
}

/// Takes the kernel that won an earlier tuning. With trials, a choice among several computes needs more than that.
bool network_search::add_recorded(variant& one) {
  if (!tuner_.options().records || (budget_.trials > 0 && has_several(one.computes))) return false;
  if (!tasks_->add_recorded(one.computes, allowed_)) return false;
  one.task = tasks_->size() - 1;
  return true;
}

/// Returns true if more than one compute is allowed.
bool network_search::has_several(std::vector<alternative> const& computes) const {
  return std::count_if(computes.begin(), computes.end(),
                       [&](alternative const& a) { return allowed_.allows(a.error); }) > 1;
}

std::size_t network_search::add_task(std::vector<alternative> computes) {
  bool const each = budget_.trials > 0 && has_several(computes);
  return each ? tasks_->add_each(std::move(computes), allowed_) : tasks_->add(std::move(computes), allowed_);
}

/// Makes a kernel that the network can do with. If no trials are wanted, that is each recorded one, or else the plain
/// one.
void network_search::start_first(workload& of) {
  if (budget_.trials == 0) {
    std::vector<variant> recorded;
    for (auto& one : of.variants)
      if (add_recorded(one)) recorded.push_back(std::move(one));
    if (!recorded.empty()) {
      of.variants = std::move(recorded);
      return;
    }
    of.variants.resize(1);
  }
  auto& first = of.variants.front();
  first.task = add_task(std::exchange(first.computes, {}));
}

/// Makes the first kernels of other layouts, if there are time and trials or the records have them. A layout without a
/// kernel is not used.
void network_search::start_others(workload& of) {
  std::vector<variant> made{std::move(of.variants.front())};
  for (std::size_t i = 1; i < of.variants.size(); ++i) {
    auto& one = of.variants[i];
    if (!add_recorded(one)) {
      if (tasks_->late_to_start() || !tasks_->exhausted().empty()) continue;
      try {
        one.task = add_task(one.computes);
      } catch (backend_error const&) {
        continue;
      }
    }
    one.computes.clear();
    made.push_back(std::move(one));
  }
  of.variants = std::move(made);
}

// ------------------------------------------------------------------------------------------------------ search

void network_search::search() {
  bool const has_layouts = std::any_of(found_.workloads.begin(), found_.workloads.end(),
                                       [](workload const& w) { return w.variants.size() > 1; });
  bandwidth_ = has_layouts ? measure_copy_bandwidth(tuner_.kernel_executor()->threads(), 0.02) : 1;
  task_scheduler scheduler(tuner_.options().peak_flops_per_second);
  schedule_all(scheduler);
  double weighed_at = -std::numeric_limits<double>::infinity();
  double weighing = 0;
  while (tasks_->exhausted().empty()) {
    if (auto const now = tasks_->elapsed(); now - weighed_at >= rounds_over_weighing * weighing) {
      weigh(scheduler);
      weighed_at = tasks_->elapsed();
      weighing = weighed_at - now;
    }
    auto const next = scheduler.next();
    if (!next) return;
    advance(scheduler, *next);
  }
}

void network_search::schedule_all(task_scheduler& by) {
  std::map<std::string, std::size_t> kinds;
  for (auto& w : found_.workloads)
    for (auto& one : w.variants) {
      if (tasks_->over(one.task)) continue;
      auto const kind = kinds.try_emplace(w.of->computes.front().name(), kinds.size()).first->second;
      one.scheduled =
          by.add({tasks_->flops(one.task), kind, w.count, 0}, seconds_of(one), tasks_->seconds_spent(one.task));
    }
}

/// Tells the scheduler how the network would use each kernel now, and ends tasks that are too far behind.
void network_search::weigh(task_scheduler& by) {
  choose_within_limits();
  auto const used = uses();
  for (std::size_t w = 0; w < found_.workloads.size(); ++w)
    for (std::size_t v = 0; v < found_.workloads[w].variants.size(); ++v) {
      auto& one = found_.workloads[w].variants[v];
      if (!one.ended()) tasks_->set_price(one.task, price_of(found_.workloads[w]));
      if (!one.scheduled) continue;
      if (used[w][v] > 0) {
        by.set_use(*one.scheduled, used[w][v], 0);
        continue;
      }
      auto const behind = seconds_behind(w, v);
      by.set_use(*one.scheduled, found_.workloads[w].count, behind);
      if (behind <= hopeless_share * seconds_of(one)) continue;
      by.end(*std::exchange(one.scheduled, std::nullopt));
      end(one, false);
    }
}

void network_search::advance(task_scheduler& by, std::size_t scheduled) {
  for (auto& w : found_.workloads)
    for (auto& one : w.variants) {
      if (one.scheduled != scheduled) continue;
      tasks_->advance(one.task);
      by.observe(scheduled, seconds_of(one), tasks_->seconds_spent(one.task));
      if (!tasks_->over(one.task)) return;
      by.end(scheduled);
      one.scheduled.reset();
      return;
    }
}

// --------------------------------------------------------------------------------------------------------- end

/// Ends what the network uses until that no longer changes its choice.
network_steps network_search::conclude() {
  for (;;) {
    choose_within_limits();
    bool const ended = end_used();
    auto const copies = copies_.size();
    auto made = plan();
    if (ended || copies_.size() != copies || replace_inexact(made)) continue;
    if (tuner_.options().records) end_others();
    if (budget_.trials > 0) effort_ = effort_now();
    keep();
    limit_seconds_ = std::max(0.0, seconds_of_choice() - unlimited_seconds_);
    return made;
  }
}

void network_search::end(variant& one, bool with_comparisons) {
  auto const states = tasks_->states(one.task);
  std::vector<ended_compute> found;
  if (with_comparisons) found = tasks_->finish_each(one.task);
  else found.push_back(tasks_->finish_at_once(one.task));
  for (auto& each : found) {
    auto const state =
        std::find_if(states.begin(), states.end(), [&](compute_state const& s) { return s.index == each.index; });
    add_kernel(one, *state, std::move(each.result));
  }
  one.scheduled.reset();
}

/// Adds a kernel to a variant. What won in pairs is not slower than the others, whatever single measurements say.
void network_search::add_kernel(variant& to, compute_state state, tuning_result found) {
  chosen_kernel made{std::make_shared<kernel_image const>(std::move(found.image)), to.inputs, to.results};
  made.compute = found.report.alternative.substr(0, found.report.alternative.find(" of "));  // without layouts
  made.schedule = std::move(found.report.schedule);
  made.seconds = found.report.seconds;
  state.seconds = to.ended() ? std::max(to.kernels.front().state.seconds, made.seconds) : made.seconds;
  state.constant_bytes = made.image->constant_bytes();
  to.kernels.push_back({state, std::move(made)});
}

/// Returns true if anything was not ended yet.
bool network_search::end_used() {
  bool any = false;
  auto const used = uses();
  for (std::size_t w = 0; w < found_.workloads.size(); ++w)
    for (std::size_t v = 0; v < found_.workloads[w].variants.size(); ++v) {
      auto& one = found_.workloads[w].variants[v];
      if (used[w][v] == 0 || one.ended()) continue;
      end(one, true);
      any = true;
    }
  return any;
}

/// Records the kernels that are not used, so that the next search need not make them.
void network_search::end_others() {
  for (auto& w : found_.workloads)
    for (auto& one : w.variants)
      if (!one.ended()) end(one, false);
}

network_steps network_search::plan() {
  std::vector<chosen_kernel> kernels;
  for (std::size_t op = 0; op < found_.workload_of.size(); ++op) {
    auto const& w = found_.workloads[found_.workload_of[op]];
    kernels.push_back(w.variants.empty() ? chosen_kernel() : kernel_of(w, chosen_.choices[op]).kernel);
  }
  return plan_steps(net_, kernels,
                    [this](network_tensor const& what, operand_layout const& from, operand_layout const& to) {
                      return copy(what, from, to);
                    });
}

/// Returns the kernel of a copy; makes and measures it when it is needed for the first time.
chosen_kernel const& network_search::copy(network_tensor const& what, operand_layout const& from,
                                          operand_layout const& to) {
  auto& made = copies_[copy_name(what, from, to)];
  if (made.image) return made;
  auto const key = key_of_copy(what, from, to, tuner_);
  if (auto known = find_kernel(key, tuner_)) {
    known->inputs = {from};
    known->results = {to};
    return made = std::move(*known);
  }
  auto const task = tasks_->add({{usable_space(copy_program(what, from, to), machine(), tuner_.options().derive)}});
  while (!tasks_->over(task) && tasks_->trials(task) < copy_trials) tasks_->advance(task);
  auto found = tasks_->finish(task);
  made = {std::make_shared<kernel_image const>(std::move(found.image)),
          {from},
          {to},
          "copy",
          std::move(found.report.schedule),
          found.report.seconds};
  if (budget_.trials > 0) keep_kernel(key, made, tuner_);
  return made;
}

}}}  // namespace ttune::v0::detail
