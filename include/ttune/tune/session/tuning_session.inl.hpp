// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/capture/bind.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/tune/session/analytic_trials.hpp"
#include "ttune/tune/session/compiled_trials.hpp"
#include "ttune/tune/session/recorded_trials.hpp"
#include "ttune/tune/session/tuning_session.hpp"
#include "ttune/tune/session/tuning_session_records.hpp"
#include "ttune/tune/simpler_schedules.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr int most_idle_batches = 64;  ///< consecutive batches without a trial that end a session

tuning_session::tuning_session(std::int32_t task, tuner_options const& options, backend& compiler, any_search search,
                               learner& model, budget_meter& budget, space const& in)
    : task_(task),
      options_(options),
      backend_(compiler),
      learner_(model),
      budget_(budget),
      work_(std::make_unique<workload>(in, compiler.target())),
      proposals_(std::move(search)) {
  if (auto const open = capture::open_dims(*in.program); !open.empty() && !ir::keeps_extents_open(*in.program))
    throw argument_error("dim " + open[0] + " of " + in.program->name + " is not constant: bind it with op.at({{" +
                         open[0] + ", 64}})");
  report_.workload = in.program->name;
  report_.flops = work_->signature().flops;
  report_.seed_refused = in.replaces;
  prepare_work();
}

/// Makes what depends on the workload.
void tuning_session::prepare_work() {
  report_.space_size = work_->sampler().size().text();
  records_.emplace(options_, *work_);
  known_.clear();
  runner_ = make_runner();
}

std::unique_ptr<trial_runner> tuning_session::make_runner() {
  report_.recorded = options_.recorded != nullptr;
  if (report_.recorded) return std::make_unique<recorded_trials>(work_->space().program->name, options_.recorded);
  if (auto* const analytic = dynamic_cast<analytic_backend*>(&backend_)) {
    report_.counted = true;
    return std::make_unique<analytic_trials>(*work_, *analytic);
  }
  runner_options measuring{options_.seed, options_.objective, options_.executor->threads(),
                           2 * backend_.target().l3_bytes};
  return std::make_unique<compiled_trials>(
      *work_, backend_,
      compiled_trial_options{options_.worker, std::move(measuring), options_.compilers, budget_.budget().stop});
}

/// Times a phase for the report while the result lives, if trials run kernels.
std::optional<scope_timer> tuning_session::timing(tuning_phase phase) {
  if (!runner_->runs_kernels()) return std::nullopt;
  return std::optional<scope_timer>(std::in_place, budget_.clock(), seconds_of(report_, phase));
}

// ---------------------------------------------------------------------------------------------------- the start

void tuning_session::start(bool is_checked_by_caller) {
  scope_timer const timing(budget_.clock(), report_.tuning_seconds);
  began_ = budget_.elapsed();
  if (find_in_records()) return;
  if (auto const there = learner_.model().availability(); !there)
    throw backend_error("the cost model cannot be used: " + there.reason);
  find_first(is_checked_by_caller ? 0 : std::max(1e-9, budget_.seconds_each() / 10));
  if (found_) return;
  report_.seed_seconds = seed_.result.ok() ? seed_.result.seconds : 0;
  if (budget_.budget().trials == 0 || !seed_.result.ok()) return take_seed();
  limits_.set(configurations(), seed_.result.seconds);
  budget_.reserve(closing_seconds(seed_.result.seconds, budget_.seconds_each()));
  learner_.inform(options_.records, records_->key());
  proposals_.start(work_->sampler(), options_.seed);
  if (earlier_) go_on();
  queue_suggestions();
  settle(seed_, std::nullopt);
  if (earlier_) last_gain_ = -earlier_->since_gain;
  why_over_ = reason_to_end();
}

/// Makes the first trial: the seed or, if it cannot be compiled, another configuration or a simpler schedule.
void tuning_session::find_first(double check_seconds) {
  constexpr int most_drawn = 3;
  if (try_earlier(check_seconds) || try_first(work_->seed(), check_seconds)) return;
  auto const why = report_.seed_refused;
  rng random(options_.seed);
  for (int i = 0; i < most_drawn; ++i) {
    report_.seed_refused = why + "; another configuration of the space stands in for it";
    if (try_first(work_->sampler().draw(random), check_seconds)) return;
  }
  for (auto const& simple : simpler_schedules(work_->space().program, backend_.target())) {
    runner_.reset();
    work_ = std::make_unique<workload>(simple.in, backend_.target());
    prepare_work();
    report_.seed_refused = why + "; " + simple.name + " stand in for it";
    if (find_in_records() || try_earlier(check_seconds) || try_first({}, check_seconds)) return;
  }
  throw backend_error(why);
}

/// Makes the trial of the untuned kernel, and checks its result for at most `check_seconds`; 0 means no check. Returns
/// false if it cannot be compiled; the report has the reason, and counts it. Throws backend_error if the kernel does
/// not run or is wrong. A budget of no trials means that it is only compiled.
bool tuning_session::try_first(configuration const& chosen, double check_seconds) {
  if (auto const there = backend_.availability(); !report_.recorded && !there)
    throw backend_error(backend_.name() + " cannot be used: " + there.reason);
  auto one = [&] {
    auto const timed = timing(tuning_phase::compile);
    return compile_first(*runner_, chosen);
  }();
  if (one.compiled.refused) {
    auto& why = report_.seed_refused;
    if (report_.refused++ == 0)
      why += (why.empty() ? "" : "; ") + the_first() + " cannot be compiled: " + one.compiled.diagnostics;
    return false;
  }
  if (runner_->runs_kernels() && budget_.budget().trials == 0) seed_ = {chosen, {}, std::move(one.compiled.image)};
  else make_first(std::move(one), check_seconds);
  return true;
}

/// Runs and checks the untuned kernel. A run that a stop interrupts says nothing about it.
void tuning_session::make_first(compiled_first one, double check_seconds) {
  auto const timed = timing(tuning_phase::measure);
  seed_ = runner_->first(std::move(one.compiled));
  report_.isolated = runner_->isolated();
  if (seed_.result.status == trial_status::timed_out && budget_.stopped()) return;
  if (!seed_.result.ok())
    throw backend_error(the_first() + " does not run: " + name_of(seed_.result.status) + ": " + seed_.result.message);
  if (runner_->runs_kernels() && check_seconds > 0) {
    auto const verdict = check_first(*runner_, *work_, options_.seed, check_seconds);
    report_.checked_elements = verdict.elements;
    if (!verdict.difference.empty())
      throw backend_error(the_first() + " is wrong: " + verdict.difference + "; please report it with the operator");
  }
  known_.add(one.text, seed_.result);
}

/// Returns the beginning of a sentence about the first kernel.
std::string tuning_session::the_first() const { return backend_.name() + ": the first kernel of " + report_.workload; }

/// Returns the code of a configuration without measuring it; nothing if there is no backend for a recorded device.
std::optional<kernel_image> tuning_session::image_of(configuration const& chosen) {
  if (report_.recorded && !backend_.availability()) return std::nullopt;
  auto const timed = timing(tuning_phase::compile);
  return compile_configuration(*work_, backend_, chosen);
}

/// Takes the seed as it is: there will be no trials, or a stop came before the first one ended.
void tuning_session::take_seed() {
  auto image = seed_.image ? std::move(seed_.image) : image_of(seed_.chosen);
  report_.seconds = report_.seed_seconds;
  report_.schedule = describe_choices(work_->space().knobs, seed_.chosen);
  report_.stopped_because = why_over_ = budget_.budget().trials == 0 ? "no trials were wanted" : stopped_text;
  if (!seed_.result.ok()) report_.effort = effort_until(recorded_effort::ending::cut_short);
  found_ = tuning_result{image ? *std::move(image) : kernel_image(), seed_.chosen, {}};
}

// ----------------------------------------------------------------------------------------------------- trials

std::string tuning_session::reason_to_end() const {
  auto why = detail::reason_to_end(report_, last_gain_, best_.best_seconds(), options_, budget_);
  return why.empty() && ends_itself_ ? limits_.exhausted(spent_until_now()) : why;
}

double tuning_session::expected_gain() const {
  auto const& calls = budget_.budget().calls;
  auto const weight = calls.empty() ? 1 : calls[static_cast<std::size_t>(task_)];
  return weight * detail::expected_gain(report_, batch_gain_, best_.best_seconds(), options_.peak_flops_per_second);
}

std::vector<proposal> tuning_session::propose() {
  if (auto queued = proposals_.take_queued(); !queued.empty()) return queued;
  auto const timing = time_phase(budget_.clock(), report_, tuning_phase::propose);
  auto const left = static_cast<std::size_t>(limits_.trials_left(spent()));
  auto const wanted = std::min(batch_size(report_, options_, budget_), left);
  return proposals_.search(wanted, learner_.scorer(*work_), learner_.opinions(*work_), learner_.has_learned(),
                           best_.incumbents());
}

void tuning_session::advance() {
  scope_timer const timing(budget_.clock(), report_.tuning_seconds);
  began_ = budget_.elapsed();
  if (why_over_ = reason_to_end(); over()) return;
  auto const trials_before = report_.trials;
  auto const best_before = best_.best_seconds();
  auto batch = propose();
  if (batch.empty()) why_over_ = whole_space_text;
  predict(batch, learner_.scorer(*work_));
  try_batch(std::move(batch));
  idle_batches_ = report_.trials == trials_before ? idle_batches_ + 1 : 0;
  if (idle_batches_ == most_idle_batches && !over()) why_over_ = nothing_new_text;
  batch_gain_ = (best_before - best_.best_seconds()) / std::max(timing.elapsed(), 1e-9);
  if (budget_.stopped()) return;
  auto const learning = time_phase(budget_.clock(), report_, tuning_phase::learn);
  learner_.fit();
}

/// Makes the trials of a batch while the budget lasts: as many together as the runner handles best.
void tuning_session::try_batch(std::vector<proposal> batch) {
  auto const proposed = batch.size();
  auto prepared = [&] {
    auto const timed = timing(tuning_phase::compile);
    return prepare(*runner_, known_, std::move(batch), budget_.batch_deadline());
  }();
  for (std::size_t i = 0; i < prepared.size() && !over();) {
    auto const together =
        std::min({runner_->width(), prepared.size() - i, static_cast<std::size_t>(budget_.trials_left())});
    auto const group = std::span(prepared).subspan(i, together);
    settle(group, run(group));
    i += together;
  }
  if (prepared.size() < proposed && !over()) why_over_ = reason_to_end();
}

/// Makes the trials of those candidates of a group that need one.
std::vector<trial> tuning_session::run(std::span<prepared_candidate> group) {
  auto compiled = take_compiled(group);
  if (compiled.empty()) return {};
  auto const timed = timing(tuning_phase::measure);
  return runner_->run(std::move(compiled), limits_of_trials(best_.best_seconds(), report_.seed_seconds));
}

/// Settles a group in the order of its proposals. Ends where a stop left a candidate without a result.
void tuning_session::settle(std::span<prepared_candidate const> group, std::vector<trial> made) {
  auto next = made.begin();
  for (auto const& c : group) {
    if (c.compiled ? next == made.end() : !known_.find(c.text)) break;
    auto t =
        c.compiled ? std::move(*next++) : trial{c.from.chosen, *known_.find(c.text), std::nullopt, trial::kind::same};
    if (budget_.stopped() && !t.result.ok()) {  // an interrupted trial has no meaning
      why_over_ = reason_to_end();
      continue;
    }
    if (c.compiled) known_.add(c.text, t.result);
    settle(std::move(t), c.from.predicted);
  }
}

/// Records a trial, then learns from it, then reports it.
void tuning_session::settle(trial t, std::optional<double> predicted) {
  proposals_.visit(t.chosen);
  if (t.what == trial::kind::unknown) return;
  if (t.what == trial::kind::same) {
    ++report_.same_programs;
    return learn_from(t);
  }
  budget_.count_trial();
  ++report_.trials;
  records_->append(t, predicted, effort_until(recorded_effort::ending::cut_short));
  ++report_.trials_by_status[static_cast<std::size_t>(t.result.status)];
  if (t.result.status == trial_status::compile_failed) ++report_.refused;
  learn_from(t);
  if (t.result.ok() && best_.add(std::move(t))) last_gain_ = report_.trials;
  report_progress(false);
  why_over_ = reason_to_end();
}

/// Gives a trial to the model and the search. Configurations of the same program are informative neighbours, too.
void tuning_session::learn_from(trial const& t) {
  learner_.add(task_, *work_, t.chosen, is_timed(t.result) ? t.result.seconds : 0);
  proposals_.learn(t);
}

void tuning_session::report_progress(bool finished) {
  if (!options_.on_progress) return;
  auto p = progress_of(report_, best_.best_seconds(), options_, budget_);
  p.model_validation = learner_.validation();
  p.finished = finished;
  options_.on_progress(p);
}

// ------------------------------------------------------------------------------------------------ on the way

inline bool faster_by(double least_gain, trial const& a, trial const& b) noexcept {
  return a.result.seconds <= (1 - least_gain) * b.result.seconds;
}

std::optional<tuning_result> tuning_session::improvement(double least_gain, kernel_image const* over) {
  if (found_ || best_.trials().empty() || budget_.stopped()) return std::nullopt;
  auto const& fastest = best_.trials().front();
  auto const& last = given_ ? *given_ : seed_;
  bool const known = !over && (fastest.chosen == last.chosen || !faster_by(least_gain, fastest, last));
  if (known || fastest.chosen == compared_) return std::nullopt;
  scope_timer const timed(budget_.clock(), report_.tuning_seconds);
  began_ = budget_.elapsed();
  auto const pairs = compare_with(over, last, fastest);
  compared_ = fastest.chosen;
  if (!pairs.failure.empty() || !pairs.faster || pairs.ratio > 1 - least_gain) return std::nullopt;
  report_result({&fastest, pairs, pairs.first_seconds});
  report_.effort = effort_until(recorded_effort::ending::cut_short);
  auto image = fastest.image ? fastest.image : image_of(fastest.chosen);
  if (!image) return std::nullopt;
  keep(fastest, *image);
  given_ = fastest;
  return tuning_result{std::move(*image), fastest.chosen, report_};
}

comparison tuning_session::compare_with(kernel_image const* over, trial const& last, trial const& fastest) {
  if (!over) return runner_->compare(last, fastest, final_pairs);
  return fastest.image ? compare(*over, *fastest.image, final_pairs) : comparison();
}

// ---------------------------------------------------------------------------------------------------- the end

tuning_result tuning_session::finish(bool with_pairs) {
  if (found_) {
    found_->report = report_;
    return std::move(*found_);
  }
  auto made = conclude(with_pairs);
  report_progress(true);
  made.report = report_;
  return made;
}

/// Compares the fastest kernels with the seed, and keeps the winner.
tuning_result tuning_session::conclude(bool with_pairs) {
  scope_timer const timed(budget_.clock(), report_.tuning_seconds);
  began_ = budget_.elapsed();
  report_.stopped_because = over() ? why_over_ : reason_to_end();
  auto const found =
      budget_.stopped() || !with_pairs
          ? clear_winner(best_, seed_)
          : compare_finalists(*runner_, best_, seed_, closing_seconds(seed_.result.seconds, budget_.seconds_each()),
                              budget_.clock());
  report_result(found);
  report_.effort = effort_until(ending_of(report_.stopped_because));
  auto const& best = found.winner ? *found.winner : seed_;
  tuning_result made;
  made.chosen = best.chosen;
  auto image = best.image ? best.image : image_of(best.chosen);
  if (image) keep(best, *image), made.image = std::move(*image);
  return made;
}

void tuning_session::report_result(final_result const& found) {
  auto const& best = found.winner ? *found.winner : seed_;
  bool const paired = found.pairs.pairs > 0;
  if (found.seed_seconds > 0) report_.seed_seconds = found.seed_seconds;  // measured in pairs with the best
  auto const unchanged = report_.continued ? tuning_report::origin::record : tuning_report::origin::seed;
  report_.source = found.winner ? tuning_report::origin::tuned : unchanged;
  report_.seconds = !found.winner ? report_.seed_seconds : paired ? found.pairs.second_seconds : best.result.seconds;
  if (found.winner && paired) report_.seed_seconds = found.pairs.first_seconds;  // measured in pairs with the winner
  report_.gain = paired ? 1 / found.pairs.ratio : report_.seed_seconds / report_.seconds;
  report_.spread = best.result.spread;
  report_.schedule = describe_choices(work_->space().knobs, best.chosen);
}

std::string tuning_session::disagreement(tuning_session& oracle, double tolerance) {
  auto const& signature = oracle.work_->signature();
  for (std::size_t i = 0; i < signature.operands.size(); ++i) {
    auto const direction = signature.operands[i].direction;
    if (direction != operand_direction::out && direction != operand_direction::inout) continue;
    auto const found = runner_->operand_bytes(i);
    auto wanted = oracle.runner_->operand_bytes(i);
    if (found.empty() || found.size() != wanted.size()) continue;
    expected_output const right(signature.operands[i], std::move(wanted), signature.terms, tolerance);
    if (auto difference = right.difference(found.data()); !difference.empty()) return difference;
  }
  return {};
}

comparison tuning_session::compare(kernel_image const& a, kernel_image const& b, std::int32_t pairs) {
  if (found_ || budget_.stopped() || report_.counted || report_.recorded) return {};
  trial const first{{}, {}, a};
  trial const second{{}, {}, b};
  return runner_->compare(first, second, pairs);
}

kernel_image const* tuning_session::best_image() const noexcept {
  if (found_) return &found_->image;
  return best_.trials().empty() || !best_.trials().front().image ? nullptr : &*best_.trials().front().image;
}

double tuning_session::seconds_now() {
  constexpr std::int32_t pairs = 4;
  scope_timer const timing(budget_.clock(), report_.tuning_seconds);
  if (best_.trials().empty() || !best_.trials().front().image) return best_seconds();
  auto const& image = *best_.trials().front().image;
  auto const again = compare(image, image, pairs);
  if (!again.failure.empty() || again.pairs == 0) return best_seconds();
  return std::min(again.first_seconds, again.second_seconds);
}

}}}  // namespace ttune::v0::detail
