// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/runtime/measure/kernel_runner.hpp"
#include "ttune/runtime/measure/loaded_candidate.hpp"
#include "ttune/runtime/measure/operand_copies.hpp"
#include "ttune/runtime/measure/sample_set.hpp"
#include "ttune/runtime/measure/sample_statistics.hpp"
#include "ttune/runtime/measure/trial_operands.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

kernel_runner::kernel_runner(kernel_signature const& signature, runner_options options)
    : signature_(signature),
      options_(std::move(options)),
      executor_(std::make_shared<thread_pool>(options_.threads)),
      table_(make_runtime_table(*executor_)),
      operands_(std::make_unique<detail::trial_operands>(signature_, options_)) {}

kernel_runner::~kernel_runner() = default;

/// Detects writes of a candidate to memory that is not its own; repairs the operands and reports in `m`. Returns true
/// if it found one.
bool kernel_runner::find_damage(running const& r, bool at_end, measurement& m) {
  auto const is_damaged = [](guarded_memory const& memory) { return memory.bytes() > 0 && memory.overwritten() != 0; };
  auto found = operands_->repair(at_end);
  if (found.empty() && std::any_of(r.prepared.begin(), r.prepared.end(), is_damaged))
    found = "wrote outside of a prepared buffer";
  if (found.empty() && is_damaged(r.workspace)) found = "wrote outside of its workspace";
  if (found.empty()) return false;
  m.status = trial_status::wrote_outside;
  m.message = std::move(found);
  return true;
}

bool kernel_runner::find_difference(bool at_end, measurement& m) {
  m.message = operands_->difference(at_end);
  if (m.message.empty()) return false;
  m.status = trial_status::wrong_result;
  damaged_ = damaged_ || !operands_->reference_intact();
  return true;
}

/// Returns the operands at one end of their memory, then the prepared buffers.
std::vector<void*> kernel_runner::pointers(running const& r, bool at_end) const {
  auto made = operands_->pointers(at_end);
  for (auto const& b : r.prepared) made.push_back(b.data());
  return made;
}

/// Makes one run with the operands at one end of their memory, or on the copies that a device has; returns true if it
/// did no damage. A kernel that works on copies can do none.
bool kernel_runner::check_run(running& r, measurement& m, bool at_end, bool on_taken_copies) {
  int const round = at_end ? 0 : 1;
  bool const copies = r.works_on_copies();
  if (!copies || operands_->updated_in_place()) operands_->restore(at_end, round);
  r.poison_workspace(round);
  r.pointers = pointers(r, at_end);
  if (observer_ && at_end) observer_(stage::first_run, regions(r));
  r.prepare();
  auto const took = on_taken_copies ? r.seconds_again(1) : r.seconds(1);
  if (on_taken_copies) r.copy_results();
  m.seconds = at_end ? took : std::min(m.seconds, took);
  if (observer_ && at_end) observer_(stage::other_runs, {});
  return copies || !find_damage(r, at_end, m);
}

/// Makes the first run and judges its results. On a device it works on the inputs that the last candidate left; if the
/// results are wrong, these may be damaged, and the run is repeated with fresh ones.
bool kernel_runner::first_check(running& r, measurement& m, bool is_reference) {
  bool const taken = !is_reference && !operands_->updated_in_place() && r.take_operands(on_device_);
  on_device_.reset();
  if (!check_run(r, m, true, taken)) return false;
  if (is_reference) return take_reference(m);
  if (!find_difference(true, m)) return true;
  if (!taken) return false;
  m = {};
  return check_run(r, m, true) && !find_difference(true, m);
}

/// Makes the outputs of the last run the reference; returns false if the kernel did not write all of them.
bool kernel_runner::take_reference(measurement& m) {
  m.message = operands_->unwritten(true);
  if (m.message.empty()) operands_->expect(operands_->outputs(true), options_.tolerance);
  else m.status = trial_status::wrong_result;
  return m.message.empty();
}

/// Makes two runs, one with the operands at each end; on copies, the samples are the second run. Returns false if the
/// trial ends here, with its status in `m`.
bool kernel_runner::check(running& r, measurement& m, trial_limits const& limits, bool is_reference) {
  if (!first_check(r, m, is_reference)) return false;
  // Caches and pages were cold in the first run, so a short time means little.
  bool const far_too_slow = limits.cutoff_seconds > 0 && m.seconds > std::max(4 * limits.cutoff_seconds, 1e-3);
  bool const samples_check = r.works_on_copies() && !is_reference && !operands_->updated_in_place();
  if (!far_too_slow && !samples_check && !stop_.stop_requested()) {
    if (!check_run(r, m, false)) return false;
    if (find_difference(false, m)) {
      if (is_reference) m.message = "two runs of it differ: " + m.message;
      return false;
    }
  }
  if (!far_too_slow && !stop_.stop_requested() && !operands_->updated_in_place() && r.settles_slowly())
    m.seconds = std::min(m.seconds, r.settle(limits.total_seconds));
  if (stop_.stop_requested()) {
    m.status = trial_status::timed_out;
    m.message = "stopped";
  } else if (limits.cutoff_seconds > 0 && m.seconds > limits.cutoff_seconds) {
    m.status = trial_status::cut_off;
  }
  return m.ok();
}

/// Common frame of all requests: measures the total time and turns exceptions into a result.
template <class Work>
measurement kernel_runner::guarded(Work const& work) {
  measurement m;
  auto const start = detail::steady::now();
  try {
    work(m);
  } catch (std::bad_alloc const&) {
    m.status = trial_status::out_of_memory;
    m.message = "no memory for its workspace";
  } catch (device_failure const& failure) {
    m.status = failure.status();
    m.message = failure.what();
    damaged_ = damaged_ || failure.lasting();
  } catch (std::exception const& failure) {
    m.status = trial_status::unsupported;
    m.message = failure.what();
  }
  if (!m.ok() && m.status != trial_status::cut_off) m.seconds = 0;
  m.measure_seconds = detail::seconds_since(start);
  return m;
}

measurement kernel_runner::set_reference(kernel_image const& image, trial_limits const& limits) {
  operands_->forget_reference();
  auto m = guarded([&](measurement& made) {
    running r(image, table_, signature_);
    if (check(r, made, limits, true)) time(r, made, limits);
    if (made.ok()) on_device_ = r.device_copies();
  });
  if (!m.ok() && m.status != trial_status::cut_off) operands_->forget_reference();
  return m;
}

void kernel_runner::set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
  operands_->expect(std::move(outputs), options_.tolerance);
}

measurement kernel_runner::measure(kernel_image const& image, trial_limits const& limits) {
  return guarded([&](measurement& m) {
    running r(image, table_, signature_);
    if (check(r, m, limits, false)) time(r, m, limits);
    if (m.ok() || m.status == trial_status::cut_off) on_device_ = r.device_copies();
  });
}

measurement kernel_runner::run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) {
  outputs.assign(operands_->size(), {});
  return guarded([&](measurement& m) {
    running r(image, table_, signature_);
    for (bool const at_end : {true, false})
      if (!check_run(r, m, at_end)) return;
    outputs = operands_->outputs(false);
  });
}

std::vector<std::uint8_t> kernel_runner::operand_bytes(std::size_t operand) const { return operands_->bytes(operand); }

std::vector<std::vector<std::uint8_t>> kernel_runner::reference_bytes() const { return operands_->reference(); }

std::vector<memory_region> kernel_runner::regions(running const& r) const {
  std::vector<memory_region> all;
  auto const add = [&](guarded_memory const& memory, std::int32_t operand) {
    all.push_back({memory.where(), operand});
  };
  for (std::size_t i = 0; i < operands_->size(); ++i)
    for (bool const at_end : {true, false}) add(operands_->memory(i, at_end), static_cast<std::int32_t>(i));
  for (auto const& b : r.prepared) add(b, -1);
  if (r.workspace.bytes() > 0) add(r.workspace, -1);
  return all;
}

// ------------------------------------------------------------------------------------------------ timing

/// Times a kernel: the median of samples, each of enough calls; takes more samples while they disagree and time is
/// left.
void kernel_runner::time(running& r, measurement& m, trial_limits const& limits) {
  bool const mutates = operands_->updated_in_place();
  bool const copies = r.works_on_copies();
  if (!copies || mutates) operands_->restore(false, 1);
  else r.poison_workspace(1), r.pointers = pointers(r, false);
  set_caches(r);
  auto calls = mutates ? 1 : detail::calls_for(limits.sample_seconds, m.seconds);
  detail::sample_set samples;
  auto const budget = detail::steady::now();
  auto const spent = [&] { return detail::seconds_since(budget); };
  for (bool first = true; static_cast<std::int32_t>(samples.all.size()) < limits.max_samples; first = false) {
    if (samples.all.size() >= 3 &&
        (spent() > limits.total_seconds || samples.stable() || samples.slower_than(limits.rival_seconds)))
      break;
    if (stop_.stop_requested()) break;
    if (mutates) operands_->restore(false, 1);
    auto const before = detail::interruptions();
    auto const took = mutates ? r.seconds(calls) : r.seconds_again(calls);
    bool const disturbed = detail::interruptions() != before;
    auto const once = took / static_cast<double>(calls);
    // The check runs were cold; if calls turn out to be shorter, a sample takes more of them.
    if (first && !mutates && took < limits.sample_seconds / 2) {
      calls = detail::calls_for(limits.sample_seconds, once);
      continue;
    }
    samples.add(once, disturbed);
  }
  auto const& seconds = samples.best();
  m.seconds = median_of(seconds);
  m.spread = spread_of(seconds);
  m.samples = static_cast<std::int32_t>(seconds.size());
  if (stop_.stop_requested() && samples.all.size() < 3) {
    m.status = trial_status::timed_out;
    m.message = "stopped";
    return;
  }
  if (!mutates) r.copy_results();
  if (options_.objective == objective::cold || (!copies && find_damage(r, false, m))) return;
  if (!mutates && !(copies && operands_->has_same_outputs())) (void)find_difference(false, m);
}

/// Prepares the state of the caches in which a kernel is timed. A device empties its own caches.
void kernel_runner::set_caches(running& r) {
  if (options_.objective == objective::warm) return;
  if (r.code->device()) r.cold = true;
  else if (options_.objective == objective::cold) rotate(r);
  else evict_constants(r);
}

/// Makes calls find the constants that they read in no cache.
void kernel_runner::evict_constants(running& r) const {
  auto const add = [&](guarded_memory const& memory) { r.evicted.emplace_back(memory.data(), memory.bytes()); };
  for (std::size_t i = 0; i < operands_->size(); ++i)
    if (signature_.operands[i].direction == operand_direction::constant && r.code->reads(i))
      add(operands_->memory(i, false));
  for (std::size_t b = 0; b < r.prepared.size(); ++b)
    if (r.code->reads(operands_->size() + b)) add(r.prepared[b]);
}

/// Makes a kernel use copies of its operands in turn; no copy is in a cache when its turn comes.
void kernel_runner::rotate(running& r) {
  if (!copies_) {
    std::vector<guarded_memory const*> operands;
    for (std::size_t i = 0; i < operands_->size(); ++i) operands.push_back(&operands_->memory(i, false));
    copies_ = std::make_unique<detail::operand_copies>(operands, options_.last_level_bytes);
  }
  copies_->rotate(r);
}

comparison kernel_runner::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  comparison made;
  measurement m = guarded([&](measurement& failure) {
    running a(first, table_, signature_);
    running b(second, table_, signature_);
    std::int64_t calls[2] = {1, 1};
    for (auto* r : {&a, &b}) {
      for (bool const at_end : {true, false})
        if (!check_run(*r, failure, at_end) || find_difference(at_end, failure)) return;
      set_caches(*r);
      auto const sample_seconds = r->settles_slowly() ? 1e-3 : 200e-6;
      (r == &a ? calls[0] : calls[1]) = detail::calls_for(sample_seconds, std::min(failure.seconds, r->seconds(1)));
    }
    std::vector<double> ratios;
    std::vector<double> seconds[2];
    for (std::int32_t i = 0; i < 2 * pairs && static_cast<std::int32_t>(ratios.size()) < pairs; ++i) {
      if (stop_.stop_requested()) break;
      double took[2] = {0, 0};
      auto const before = detail::interruptions();
      for (int const turn : {0, 1}) {
        int const which = turn ^ (i & 1);  // each kernel goes first in every other pair
        auto& r = which == 0 ? a : b;
        if (operands_->updated_in_place()) operands_->restore(false, 1);
        else if (r.settles_slowly()) (void)r.settle(1e-3);  // the other kernel used the caches before
        auto const count = calls[which];
        took[which] =
            (operands_->updated_in_place() ? r.seconds(count) : r.seconds_again(count)) / static_cast<double>(count);
      }
      bool const disturbed = detail::interruptions() != before;
      if (disturbed && static_cast<std::int32_t>(ratios.size()) + 2 * pairs - i > pairs) continue;
      ratios.push_back(took[1] / took[0]);
      for (int const which : {0, 1}) seconds[which].push_back(took[which]);
    }
    made.pairs = static_cast<std::int32_t>(ratios.size());
    made.first_seconds = median_of(seconds[0]);
    made.second_seconds = median_of(seconds[1]);
    std::tie(made.low, made.high) = median_bounds(ratios);
    made.ratio = ratios.empty() ? 1 : median_of(std::move(ratios));
    made.faster = made.high < 1;
  });
  if (!m.ok()) made.failure = std::string(name_of(m.status)) + ": " + m.message;
  return made;
}

}}  // namespace ttune::v0
