// SPDX-License-Identifier: Apache-2.0
// The members of tuning_session that read and write records: the session takes a kernel from them, goes on with an
// unfinished tuning, and keeps its winner.
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/ir/print.hpp"
#include "ttune/roof/count_work.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/tuning_session.hpp"
#include "ttune/tune/session/tuning_session_records.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Finds an image that runs at once, or a configuration that only has to be compiled. If that is of too little effort,
/// the tuning goes on from there.
bool tuning_session::find_in_records() {
  auto [found, going_on] = records_->find(
      [this](configuration const& chosen) { return image_of(chosen); },
      [this](record const& r) { return answers(r, budget_.asked(), [this] { return configurations(); }); });
  earlier_ = std::move(going_on);
  report_.fallback = found.fallback;
  if (!found.image) return false;
  report_.source = tuning_report::origin::record;
  report_.seconds = found.of.result.seconds;
  report_.spread = found.of.result.spread;
  report_.effort = found.of.effort;
  report_.stopped_because = why_over_ = "found in the records";
  report_.schedule = describe_choices(found.of.choices);
  found_ = tuning_result{std::move(*found.image),
                         find_configuration(work_->space().knobs, found.of.choices).value_or(configuration()),
                         {}};
  return true;
}

/// Makes the first trial with the recorded kernel, from which the tuning goes on. Returns false if there is none, or if
/// it cannot be compiled or run here; the tuning then begins with the seed.
bool tuning_session::try_earlier(double check_seconds) {
  if (!earlier_) return false;
  try {
    if (try_first(earlier_->chosen, check_seconds)) return report_.continued = true;
  } catch (backend_error const&) {  // the seed fails with a better reason, if it fails
  }
  earlier_.reset();
  report_.seed_refused.clear();
  report_.refused = 0;
  return false;
}

/// Takes over what earlier starts learned: their trials are neither proposed again nor forgotten by the model, and
/// count as trials of this tuning if the budget is for this workload alone.
void tuning_session::go_on() {
  if (budget_.workloads() == 1) budget_.count_earlier(earlier_->effort.trials, earlier_->effort.seconds);
  for (auto const& t : earlier_->trials) {
    proposals_.visit(t.chosen);
    learn_from(t);
  }
  if (!earlier_->trials.empty()) learner_.fit();
}

/// Queues what the records suggest: first the best of other shapes, machines and versions, then configurations like the
/// best of other workloads. The latter take at most a quarter of the trials, since they may be wrong here.
void tuning_session::queue_suggestions() {
  constexpr std::size_t most = 8;
  auto known = records_->neighbours(seed_.chosen);
  if (earlier_) add_unproven(known, *earlier_, work_->seed());
  proposals_.queue(known);
  known.push_back(seed_.chosen);
  auto const count = std::min(most, static_cast<std::size_t>(budget_.trials_left()) / 4);
  proposals_.queue(records_->transferred(count, known));
}

effort_so_far tuning_session::spent() const {
  effort_so_far made{report_.trials, report_.trials, report_.trials - last_gain_, report_.tuning_seconds};
  if (earlier_) made.trials += earlier_->effort.trials, made.seconds += earlier_->effort.seconds;
  return made;
}

effort_so_far tuning_session::spent_until_now() const {
  auto made = spent();
  made.seconds += budget_.elapsed() - began_;
  return made;
}

/// Stores the winner for the next start, with what other workloads can learn from this one.
void tuning_session::keep(trial const& winner, kernel_image const& image) {
  constexpr std::size_t most_sampled = 60;
  if (!records_->writable()) return;
  auto sample = records_->sample_of(winner, report_.seconds, best_);
  learner_.sample(task_, most_sampled, sample);
  records_->keep(winner, report_.seconds, image, explain(winner.chosen), sample, report_.effort);
}

recorded_effort tuning_session::effort_until(recorded_effort::ending ended) const {
  return limits_.recorded(spent_until_now(), ended, earlier_ ? &earlier_->effort : nullptr);
}

kernel_explanation tuning_session::explain(configuration const& chosen) const {
  auto const program = work_->lower(chosen);
  return {to_cpp(work_->space(), chosen),
          ir::print(program),
          backend_.source(program, work_->signature()),
          report_.flops,
          options_.peak_flops_per_second,
          count_work(program, backend_.target(), options_.objective == objective::cold)};
}

}}}  // namespace ttune::v0::detail
