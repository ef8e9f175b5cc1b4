// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "ttune/live/background_executor.hpp"
#include "ttune/live/live_engine.hpp"
#include "ttune/live/shared_backend.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/low_priority.hpp"
#include "ttune/tune/record_keys.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the processor time of the calling thread.
inline double thread_seconds() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the options of the tuner that looks kernels up: it measures nothing, and so needs no model.
inline tuner_options lookup_options(tuner_options from) {
  from.model = {};
  from.on_progress = {};
  from.clock = {};
  return from;
}

live_engine::live_engine(std::shared_ptr<backend> compiler, tuner_options options, live_options how)
    : compiler_(std::move(compiler)),
      options_(std::move(options)),
      how_(std::move(how)),
      clock_(how_.clock ? how_.clock : steady_seconds),
      lookup_(shared(compiler_, compiling_, {}), lookup_options(options_)),
      began_(clock_()) {
  if (!(how_.share > 0 && how_.share <= 1))
    throw argument_error("live_options: the share of a core is " + std::to_string(how_.share) +
                         "; it must be above 0 and at most 1");
  if (!options_.records) options_.records = memory_store{};  // a tuning that is left goes on from there
  share_.emplace(
      how_.share, clock_, [this] { return how_.processor_seconds ? how_.processor_seconds() : processor_seconds(); },
      how_.pause ? how_.pause : [this](double seconds) { sleep(seconds); });
  if (how_.background) thread_ = std::thread([this] { run(); });
}

live_engine::~live_engine() { stop(); }

// ------------------------------------------------------------------------------------------- parts of the two tuners

/// Returns the backend behind a mutex. An analytic one remains what it is, since tuners treat it differently.
std::shared_ptr<backend> live_engine::shared(std::shared_ptr<backend> by, std::shared_ptr<std::mutex> guard,
                                             std::function<void()> after) {
  if (dynamic_cast<analytic_backend*>(by.get())) return by;
  return std::make_shared<shared_backend>(std::move(by), std::move(guard), std::move(after));
}

/// Returns a second compiler, so that the application never waits for a compilation in the background; if the backend
/// makes none, the same behind its mutex.
std::shared_ptr<backend> live_engine::background_compiler() {
  auto const rest_after = [this] { rest(); };
  std::shared_ptr<backend> another = [&] {
    std::scoped_lock const lock(*compiling_);
    return compiler_->another();
  }();
  if (!another || !another->availability()) return shared(compiler_, compiling_, rest_after);
  return shared(std::move(another), std::make_shared<std::mutex>(), rest_after);
}

tuner_options live_engine::background_options() {
  constexpr std::int32_t most_in_batch = 8;  // what is learned late, and swapped late, is worth less
  auto made = options_;
  made.executor = std::make_shared<background_executor>(lookup_.kernel_executor()->threads());
  made.batch = std::clamp(made.batch, 1, most_in_batch);
  made.compilers = 1;
  made.clock = [this] { return clock_() - share_->rested(); };
  made.on_progress = [this, also = options_.on_progress](progress const& p) {
    rest();
    if (also) also(p);
  };
  return made;
}

// --------------------------------------------------------------------------------------------------- the application

workload_text live_engine::text_of(std::vector<alternative> const& computes) const {
  workload_text made;
  for (auto const& one : computes) {
    auto const key = key_of(one.in, target(), lookup_.options().objective);
    if (made.title.empty()) made.title = title_of(key);
    made.id += id_of(key) + " ";
  }
  return made;
}

tuning_result live_engine::first_kernel(std::vector<alternative> const& computes,
                                        std::unique_lock<std::mutex> const& /*alone*/) {
  tuning_budget const at_once = effort::estimate;
  auto const look = [&](tuner& by) {
    return computes.size() == 1 ? by.tune(computes.front().in, at_once)
                                : by.tune_alternatives(computes, at_once, how_.allowed);
  };
  std::unique_lock no_slice(stepping_, std::defer_lock);  // an analytic backend has no mutex
  if (dynamic_cast<analytic_backend*>(compiler_.get())) no_slice.lock();
  try {
    return look(lookup_);
  } catch (record_error const& failure) {
    note_records(failure.what());
  }
  auto without = lookup_.without_records();
  return look(without);
}

void live_engine::add(std::shared_ptr<live_workload> const& one, tuning_result const& first) {
  std::scoped_lock const lock(guard_);
  one->state.code = first.image.code;
  std::erase_if(workloads_, [](auto const& w) { return w.expired(); });
  workloads_.push_back(one);
}

std::vector<std::shared_ptr<live_workload>> live_engine::workloads() const {
  std::scoped_lock const lock(guard_);
  std::vector<workload_handle> made;
  for (auto const& w : workloads_)
    if (auto one = w.lock()) made.push_back(std::move(one));
  return made;
}

live_report live_engine::report() const {
  auto const all = workloads();
  live_report made;
  made.seconds = clock_() - began_;
  made.running = !stopping_.stop_requested();
  std::scoped_lock const lock(guard_);
  made.processor_seconds = spent_;
  made.failure = failure_;
  made.records_failure = records_failure_;
  for (auto const& one : all) made.kernels.push_back(report_of(*one));
  return made;
}

live_kernel_report live_engine::report_of(live_workload const& one) const {
  auto const& s = one.state;
  auto const totals = one.calls.totals();
  return {one.named.title,
          s.now,
          totals.calls,
          totals.since(s.at_swap).seconds_each(),
          s.gain,
          s.swaps,
          s.trials + s.present_trials,
          s.failures,
          s.failure};
}

void live_engine::stop() {
  stopping_.request_stop();
  if (background_.load() == std::this_thread::get_id()) return;  // a callback of the tuning itself
  std::call_once(stopped_, [this] {
    if (thread_.joinable()) thread_.join();
    std::scoped_lock const one(stepping_);
    leave();
  });
}

// ----------------------------------------------------------------------------------------------- time, and its share

void live_engine::run() {
  constexpr double idle_seconds = 0.25;
  background_ = std::this_thread::get_id();
  lower_priority(how_.nice);
  while (!stopping_.stop_requested())
    if (!step()) sleep(idle_seconds);
}

void live_engine::sleep(double seconds) {
  constexpr double longest = 3600;  // the type of the clock counts nanoseconds
  std::unique_lock lock(asleep_);
  wake_.wait_for(lock, stopping_.get_token(), std::chrono::duration<double>(std::min(seconds, longest)),
                 [] { return false; });
}

double live_engine::processor_seconds() {
  auto const of_slice = slice_began_ >= 0 ? thread_seconds() - slice_began_ : 0;
  return own_seconds_ + of_slice + workers_->seconds();
}

void live_engine::rest() {
  if (!stopping_.stop_requested()) share_->rest();
  std::scoped_lock const lock(guard_);
  spent_ = how_.processor_seconds ? how_.processor_seconds() : processor_seconds();
}

// ---------------------------------------------------------------------------------------------------------- a slice

bool live_engine::step() {
  std::scoped_lock const one(stepping_);
  if (stopping_.stop_requested()) return false;
  worker::counting_workers const counting(workers_);
  slice_began_ = thread_seconds();
  auto const next = most_worth();
  if (turn_.of != next) leave();
  turn_.of = next;
  if (next) try_slice();
  rest();
  own_seconds_ += thread_seconds() - std::exchange(slice_began_, -1);
  return next != nullptr;
}

/// Returns the kernel whose tuning promises most; null if none is worth it. The one that has the turn keeps it until
/// another one is worth twice as much, since each change starts a worker.
live_engine::workload_handle live_engine::most_worth() {
  constexpr double worth_a_change = 2;
  auto const moment = clock_();
  if (turn_.of && turn_.of.use_count() == 1) leave();  // the application has it no more
  auto const all = workloads();
  std::scoped_lock const lock(guard_);
  workload_handle best;
  double most = 0;
  for (auto const& one : all) {
    auto& s = one->state;
    s.interest.note(one->calls.totals(), moment);
    if (s.now == live_kernel_report::state::done || moment < s.retry_at) continue;
    auto const worth = s.interest.hoped_saving(s.trials + s.present_trials) * (one == turn_.of ? worth_a_change : 1);
    if (worth > most) best = one, most = worth;
  }
  return best;
}

void live_engine::try_slice() {
  auto& of = *turn_.of;
  try {
    slice(of);
    return;
  } catch (record_error const& failure) {
    note_failure(of, failure.what(), true);
  } catch (std::exception const& failure) {
    note_failure(of, failure.what(), false);
  } catch (...) {
    note_failure(of, "an exception that is no std::exception", false);
  }
}

void live_engine::slice(live_workload& of) {
  if (!turn_.tasks) begin(of);
  else if (!turn_.tasks->over(0)) turn_.tasks->advance(0);
  if (auto const better = turn_.tasks->improvement(0, how_.least_gain)) publish(of, *better);
  {
    std::scoped_lock const lock(guard_);
    of.state.present_trials = turn_.tasks->trials(0);
    of.state.failures_in_a_row = 0;
  }
  if (!stopping_.stop_requested() && turn_.tasks->over(0)) end(of);
}

/// Takes a finished tuning from the records, or makes the first trial of a new one or of one that goes on.
void live_engine::begin(live_workload& of) {
  {
    std::scoped_lock const lock(guard_);
    of.state.now = live_kernel_report::state::tuning;
  }
  if (!tuner_) tuner_.emplace(background_compiler(), background_options());
  tuning_budget budget;
  budget.effort = how_.effort;
  budget.stop = stopping_.get_token();
  turn_.tasks.emplace(*tuner_, task_limits{budget, of.computes.size()});
  (void)turn_.tasks->add(of.computes, how_.allowed);
}

void live_engine::publish(live_workload& of, tuning_result const& better) {
  of.use(better.image);
  std::scoped_lock const lock(guard_);
  auto& s = of.state;
  s.code = better.image.code;
  s.at_swap = of.calls.totals();
  s.gain *= better.report.gain;
  ++s.swaps;
}

/// Ends a tuning that has had its effort. A kernel that another process put into the records meanwhile is used.
void live_engine::end(live_workload& of) {
  auto const found = turn_.tasks->finish(0);
  bool const from_records = found.report.source == tuning_report::origin::record && !found.report.continued;
  if (from_records && found.image.code != of.state.code) publish(of, found);
  leave();
  std::scoped_lock const lock(guard_);
  of.state.now = live_kernel_report::state::done;
}

/// Ends the turn. The records have all trials, and the last kernel that was published.
void live_engine::leave() {
  if (auto const of = std::exchange(turn_.of, nullptr)) {
    std::scoped_lock const lock(guard_);
    of->state.now = live_kernel_report::state::waiting;
    of->state.trials += std::exchange(of->state.present_trials, 0);
  }
  turn_.tasks.reset();
}

void live_engine::note_failure(live_workload& of, std::string const& why, bool of_records) {
  constexpr double most_seconds = 3600;
  auto const kept = turn_.of;  // `of` lives on
  leave();
  if (stopping_.stop_requested()) return;
  if (of_records) forget_records(why);
  auto const moment = clock_();
  std::scoped_lock const lock(guard_);
  auto& s = of.state;
  s.now = live_kernel_report::state::failing;
  ++s.failures;
  failure_ = s.failure = why;
  auto const wait = of_records ? 0 : std::exp2(std::min(s.failures_in_a_row++, 20));
  s.retry_at = moment + std::min(wait, most_seconds);
}

/// Goes on with records in memory: what was learned is lost at the end, but kernels still become faster.
void live_engine::forget_records(std::string const& why) {
  tuner_.reset();
  options_.records = memory_store{};
  note_records(why);
}

void live_engine::note_records(std::string const& why) {
  std::scoped_lock const lock(guard_);
  records_failure_ = why;
}

}}}  // namespace ttune::v0::detail
