// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/runtime/measure/kernel_runner.hpp"
#include "ttune/runtime/measure/loaded_candidate.hpp"
#include "ttune/runtime/measure/operand_copies.hpp"
#include "ttune/runtime/measure/sample_set.hpp"
#include "ttune/runtime/measure/sample_statistics.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

/// Two copies of an operand, one flush against either end of its memory: a read over one of the ends faults in one of
/// two runs. Each copy also serves to detect changes of an input in the other.
struct kernel_runner::operand_memory {
  guarded_memory at_end;
  guarded_memory at_start;            ///< used for timing: aligned to a page
  std::vector<std::uint8_t> initial;  ///< initial content of inputs
  expected_output expected;           ///< expected content of outputs

  [[nodiscard]] guarded_memory const& at(bool end) const noexcept { return end ? at_end : at_start; }
};

kernel_runner::kernel_runner(kernel_signature const& signature, runner_options options)
    : signature_(signature), options_(std::move(options)), executor_(std::make_shared<thread_pool>(options_.threads)) {
  table_ = make_runtime_table(*executor_);
  options_.data.resize(signature_.operands.size());
  rng seeds(options_.seed);
  for (std::size_t i = 0; i < signature_.operands.size(); ++i) {
    auto const& o = signature_.operands[i];
    auto const seed = seeds();
    auto& own = options_.data[i];
    if (!own.empty() && own.size() != static_cast<std::size_t>(o.bytes()))
      throw argument_error("data for operand " + o.name + " has " + std::to_string(own.size()) + " bytes, it takes " +
                           std::to_string(o.bytes()));
    auto& m = operands_.emplace_back();
    m.at_end = guarded_memory(o.bytes(), true);
    m.at_start = guarded_memory(o.bytes(), false);
    if (o.direction == operand_direction::out) continue;
    m.initial = own.empty() ? make_input(o, seed) : std::move(own);
    for (bool const at_end : {true, false}) std::copy(m.initial.begin(), m.initial.end(), m.at(at_end).data());
  }
}

kernel_runner::~kernel_runner() = default;

bool kernel_runner::is_written(std::size_t operand) const noexcept {
  auto const direction = signature_.operands[operand].direction;
  return direction == operand_direction::out || direction == operand_direction::inout;
}

/// Returns true if a call reads what the previous call wrote.
bool kernel_runner::updates_operands() const noexcept {
  return std::any_of(signature_.operands.begin(), signature_.operands.end(),
                     [](operand_info const& o) { return o.direction == operand_direction::inout; });
}

/// Poisons the outputs and resets operands that are both read and written.
void kernel_runner::restore(bool at_end, int round) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    auto const& m = operands_[i];
    auto const& memory = m.at(at_end);
    if (!is_written(i)) continue;
    if (m.initial.empty()) poison(signature_.operands[i], {memory.data(), memory.bytes()}, round);
    else std::memcpy(memory.data(), m.initial.data(), memory.bytes());
  }
}

/// Detects writes of a candidate to memory that is not its own; repairs the memory and reports in `m`. True if it found
/// one.
bool kernel_runner::find_damage(running const& r, bool at_end, measurement& m) {
  auto const found = [&](std::string what) {
    if (m.message.empty()) m.message = std::move(what);
    m.status = trial_status::wrote_outside;
  };
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    auto const& o = signature_.operands[i];
    auto const& memory = operands_[i].at(at_end);
    if (auto const offset = memory.overwritten(); offset != 0) {
      auto const past = offset - static_cast<std::int64_t>(memory.bytes());
      found(offset < 0 ? "wrote " + std::to_string(-offset) + " bytes before the start of " + o.name
                       : "wrote " + std::to_string(past + 1) + " bytes past the end of " + o.name);
      memory.paint_red_zones();
    }
    if (is_written(i) || std::memcmp(memory.data(), operands_[i].initial.data(), memory.bytes()) == 0) continue;
    found("changed its input " + o.name);
    std::memcpy(memory.data(), operands_[i].initial.data(), memory.bytes());
  }
  for (auto const& b : r.prepared)
    if (b.overwritten() != 0) found("wrote outside of a prepared buffer");
  if (r.workspace.bytes() > 0 && r.workspace.overwritten() != 0) found("wrote outside of its workspace");
  return m.status == trial_status::wrote_outside;
}

bool kernel_runner::find_difference(bool at_end, measurement& m) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    auto const& expected = operands_[i].expected;
    m.message = expected.difference(operands_[i].at(at_end).data());
    if (m.message.empty()) continue;
    m.status = trial_status::wrong_result;
    damaged_ = damaged_ || !expected.intact();
    return true;
  }
  return false;
}

/// Makes one run with the operands at one end of their memory; returns true if it did no damage.
bool kernel_runner::check_run(running& r, measurement& m, bool at_end) {
  int const round = at_end ? 0 : 1;
  restore(at_end, round);
  r.poison_workspace(round);
  r.pointers.clear();
  for (auto const& o : operands_) r.pointers.push_back(o.at(at_end).data());
  for (auto const& b : r.prepared) r.pointers.push_back(b.data());
  if (observer_ && at_end) observer_(stage::first_run, regions(r));
  r.prepare();
  auto const took = r.seconds(1);
  m.seconds = at_end ? took : std::min(m.seconds, took);
  if (observer_ && at_end) observer_(stage::other_runs, {});
  return !find_damage(r, at_end, m);
}

/// Makes the outputs of the last run the reference; returns false if the kernel did not write all of them.
bool kernel_runner::take_reference(measurement& m) {
  std::vector<std::vector<std::uint8_t>> outputs(operands_.size());
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (!is_written(i)) continue;
    auto const& out = operands_[i].at_end;
    outputs[i].assign(out.data(), out.data() + out.bytes());
    if (operands_[i].initial.empty()) m.message = unwritten(signature_.operands[i], outputs[i]);
    if (m.message.empty()) continue;
    m.status = trial_status::wrong_result;
    return false;
  }
  expect(std::move(outputs));
  return true;
}

/// Makes two runs, one with the operands at each end. Returns false if the trial ends here, with its status in `m`.
bool kernel_runner::check(running& r, measurement& m, trial_limits const& limits, bool is_reference) {
  if (!check_run(r, m, true)) return false;
  if (is_reference ? !take_reference(m) : find_difference(true, m)) return false;
  // Caches and pages were cold in the first run, so a short time means little.
  bool const far_too_slow = limits.cutoff_seconds > 0 && m.seconds > std::max(4 * limits.cutoff_seconds, 1e-3);
  if (!far_too_slow && !stop_.stop_requested()) {
    if (!check_run(r, m, false)) return false;
    if (find_difference(false, m)) {
      if (is_reference) m.message = "two runs of it differ: " + m.message;
      return false;
    }
  }
  if (!far_too_slow && !stop_.stop_requested() && !updates_operands() && r.settles_slowly())
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
  has_reference_ = false;
  for (auto& o : operands_) o.expected = {};
  auto m = guarded([&](measurement& made) {
    running r(image, table_, signature_);
    if (check(r, made, limits, true)) time(r, made, limits);
  });
  has_reference_ = m.ok() || m.status == trial_status::cut_off;
  if (!has_reference_)
    for (auto& o : operands_) o.expected = {};
  return m;
}

void kernel_runner::set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
  outputs.resize(operands_.size());
  for (std::size_t i = 0; i < operands_.size(); ++i)
    if (is_written(i) && outputs[i].size() != operands_[i].at_end.bytes())
      throw argument_error("the reference for " + signature_.operands[i].name + " has " +
                           std::to_string(outputs[i].size()) + " bytes, the operand " +
                           std::to_string(operands_[i].at_end.bytes()));
  expect(std::move(outputs));
  has_reference_ = true;
}

void kernel_runner::expect(std::vector<std::vector<std::uint8_t>> outputs) {
  for (std::size_t i = 0; i < operands_.size(); ++i)
    if (is_written(i))
      operands_[i].expected =
          expected_output(signature_.operands[i], std::move(outputs[i]), signature_.terms, options_.tolerance);
}

measurement kernel_runner::measure(kernel_image const& image, trial_limits const& limits) {
  return guarded([&](measurement& m) {
    running r(image, table_, signature_);
    if (check(r, m, limits, false)) time(r, m, limits);
  });
}

measurement kernel_runner::run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) {
  outputs.assign(operands_.size(), {});
  return guarded([&](measurement& m) {
    running r(image, table_, signature_);
    for (bool const at_end : {true, false})
      if (!check_run(r, m, at_end)) return;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (auto const& out = operands_[i].at_start; is_written(i))
        outputs[i].assign(out.data(), out.data() + out.bytes());
  });
}

std::vector<std::uint8_t> kernel_runner::operand_bytes(std::size_t operand) const {
  auto const& o = operands_.at(operand);
  if (is_written(operand) && has_reference_) return o.expected.bytes();
  if (!o.initial.empty()) return o.initial;
  return {o.at_start.data(), o.at_start.data() + o.at_start.bytes()};
}

std::vector<std::vector<std::uint8_t>> kernel_runner::reference_bytes() const {
  std::vector<std::vector<std::uint8_t>> all(operands_.size());
  for (std::size_t i = 0; has_reference_ && i < operands_.size(); ++i) all[i] = operands_[i].expected.bytes();
  return all;
}

std::vector<memory_region> kernel_runner::regions(running const& r) const {
  std::vector<memory_region> all;
  auto const add = [&](guarded_memory const& memory, std::int32_t operand) {
    all.push_back({memory.where(), operand});
  };
  for (std::size_t i = 0; i < operands_.size(); ++i)
    for (bool const at_end : {true, false}) add(operands_[i].at(at_end), static_cast<std::int32_t>(i));
  for (auto const& b : r.prepared) add(b, -1);
  if (r.workspace.bytes() > 0) add(r.workspace, -1);
  return all;
}

// ------------------------------------------------------------------------------------------------ timing

/// Times a kernel: the median of samples, each of enough calls; takes more samples while they disagree and time is
/// left.
void kernel_runner::time(running& r, measurement& m, trial_limits const& limits) {
  restore(false, 1);
  set_caches(r);
  bool const mutates = updates_operands();
  auto calls = mutates ? 1 : detail::calls_for(limits.sample_seconds, m.seconds);
  detail::sample_set samples;
  auto const budget = detail::steady::now();
  auto const spent = [&] { return detail::seconds_since(budget); };
  for (bool first = true; static_cast<std::int32_t>(samples.all.size()) < limits.max_samples; first = false) {
    if (samples.all.size() >= 3 &&
        (spent() > limits.total_seconds || samples.stable() || samples.slower_than(limits.rival_seconds)))
      break;
    if (stop_.stop_requested()) break;
    if (mutates) restore(false, 1);
    auto const before = detail::interruptions();
    auto const took = r.seconds(calls);
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
  if (options_.objective == objective::cold || find_damage(r, false, m)) return;
  if (!mutates) (void)find_difference(false, m);
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
  for (std::size_t i = 0; i < operands_.size(); ++i)
    if (signature_.operands[i].direction == operand_direction::constant && r.code->reads(i)) add(operands_[i].at_start);
  for (std::size_t b = 0; b < r.prepared.size(); ++b)
    if (r.code->reads(operands_.size() + b)) add(r.prepared[b]);
}

/// Makes a kernel use copies of its operands in turn; no copy is in a cache when its turn comes.
void kernel_runner::rotate(running& r) {
  if (!copies_) {
    std::vector<guarded_memory const*> operands;
    for (auto const& o : operands_) operands.push_back(&o.at_start);
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
        if (updates_operands()) restore(false, 1);
        else if (r.settles_slowly()) (void)r.settle(1e-3);  // the other kernel used the caches before
        took[which] = r.seconds(calls[which]) / static_cast<double>(calls[which]);
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
