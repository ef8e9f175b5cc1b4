// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/capture/bind.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/measure/oracle_check.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/tune/configuration_prior.hpp"
#include "ttune/tune/session/analytic_trials.hpp"
#include "ttune/tune/session/compiled_trials.hpp"
#include "ttune/tune/session/recorded_trials.hpp"
#include "ttune/tune/session/stored_image.hpp"
#include "ttune/tune/session/tuning_session.hpp"
#include "ttune/tune/simpler_schedules.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::int32_t final_pairs = 20;
inline constexpr std::size_t finalists = 3;
inline constexpr int most_idle_batches = 64;  ///< consecutive batches without a trial that end a session

tuning_session::tuning_session(std::int32_t task, tuner_options const& options, backend& compiler, any_search search,
                               learner& model, budget_meter& budget, space const& in)
    : task_(task),
      options_(options),
      backend_(compiler),
      search_(std::move(search)),
      learner_(model),
      budget_(budget),
      work_(std::make_unique<workload>(in, compiler.target())),
      key_(key_of(in, compiler.target(), options.objective)) {
  if (auto const open = capture::open_dims(*in.program); !open.empty())
    throw argument_error("dim " + open[0] + " of " + in.program->name + " is not constant: bind it with op.at({{" +
                         open[0] + ", 64}})");
  report_.workload = in.program->name;
  report_.flops = work_->signature().flops;
  report_.seed_refused = in.replaces;
  make_runner();
}

void tuning_session::make_runner() {
  report_.space_size = work_->sampler().size().text();
  report_.recorded = options_.recorded != nullptr;
  known_.clear();
  if (report_.recorded) {
    runner_ = std::make_unique<recorded_trials>(work_->space().program->name, options_.recorded);
  } else if (auto* const analytic = dynamic_cast<analytic_backend*>(&backend_)) {
    report_.counted = true;
    runner_ = std::make_unique<analytic_trials>(*work_, *analytic);
  } else {
    runner_options measuring{options_.seed, options_.objective, options_.executor->threads(),
                             2 * backend_.target().l3_bytes};
    runner_ = std::make_unique<compiled_trials>(
        *work_, backend_,
        compiled_trial_options{options_.worker, std::move(measuring), options_.compilers, budget_.budget().stop});
  }
}

/// Times a phase for the report while the result lives, if trials run kernels.
std::optional<scope_timer> tuning_session::timing(tuning_phase phase) {
  if (!runner_->runs_kernels()) return std::nullopt;
  return std::optional<scope_timer>(std::in_place, budget_.clock(), seconds_of(report_, phase));
}

// ---------------------------------------------------------------------------------------------------- records

void tuning_session::start(bool is_checked_by_caller) {
  scope_timer const timing(budget_.clock(), report_.tuning_seconds);
  if (find_in_records()) return;
  if (auto const there = learner_.model().availability(); !there)
    throw backend_error("the cost model cannot be used: " + there.reason);
  find_first(is_checked_by_caller ? 0 : std::max(1e-9, budget_.seconds_each() / 10));
  if (found_) return;
  report_.seed_seconds = seed_.result.seconds;
  if (budget_.budget().trials == 0) return take_seed();
  budget_.reserve(closing_seconds());
  learner_.inform(options_.records, key_);
  search_->start(work_->sampler(), options_.seed);
  queue_neighbours();
  queue_proposals();
  settle(seed_, std::nullopt);
  why_over_ = reason_to_end();
}

/// Makes the first trial: the seed or, if it cannot be compiled, another configuration or a simpler schedule.
void tuning_session::find_first(double check_seconds) {
  constexpr int most_drawn = 3;
  if (try_first(work_->seed(), check_seconds)) return;
  auto const why = report_.seed_refused;
  rng random(options_.seed);
  for (int i = 0; i < most_drawn; ++i) {
    report_.seed_refused = why + "; another configuration of the space stands in for it";
    if (try_first(work_->sampler().draw(random), check_seconds)) return;
  }
  for (auto const& simple : simpler_schedules(work_->space().program, backend_.target())) {
    runner_.reset();
    work_ = std::make_unique<workload>(simple.in, backend_.target());
    key_ = key_of(simple.in, backend_.target(), options_.objective);
    make_runner();
    report_.seed_refused = why + "; " + simple.name + " stand in for it";
    if (find_in_records() || try_first({}, check_seconds)) return;
  }
  throw backend_error(why);
}

/// Makes the trial of the untuned kernel, and checks its result for at most `check_seconds`; 0 means no check. Returns
/// false if it cannot be compiled; the report has the reason, and counts it. Throws backend_error if the kernel does
/// not run or is wrong. A budget of no trials means that it is only compiled.
bool tuning_session::try_first(configuration const& chosen, double check_seconds) {
  if (auto const there = backend_.availability(); !report_.recorded && !there)
    throw backend_error(backend_.name() + " cannot be used: " + there.reason);
  auto [text, compiled] = compile_first(chosen);
  auto const the_first = backend_.name() + ": the first kernel of " + report_.workload;
  if (compiled.refused) {
    auto& why = report_.seed_refused;
    if (report_.refused++ == 0)
      why += (why.empty() ? "" : "; ") + the_first + " cannot be compiled: " + compiled.diagnostics;
    return false;
  }
  if (runner_->runs_kernels() && budget_.budget().trials == 0) {
    seed_ = {chosen, {}, std::move(compiled.image)};
    return true;
  }
  auto const timed = timing(tuning_phase::measure);
  seed_ = runner_->first(std::move(compiled));
  report_.isolated = runner_->isolated();
  if (!seed_.result.ok())
    throw backend_error(the_first + " does not run: " + name_of(seed_.result.status) + ": " + seed_.result.message);
  if (runner_->runs_kernels() && check_seconds > 0) check_first(check_seconds);
  known_.add(text, seed_.result);
  return true;
}

/// Lowers and compiles the first configuration; it takes as long as it takes.
std::pair<std::optional<std::uint64_t>, compiled_candidate> tuning_session::compile_first(configuration const& chosen) {
  auto const timed = timing(tuning_phase::compile);
  auto lowered = runner_->lower(std::span(&chosen, 1), {});
  auto const text = lowered.front().text;
  return {text, std::move(runner_->compile(std::move(lowered), {}).front())};
}

/// Checks the result of the first kernel, at samples of the full size.
void tuning_session::check_first(double seconds) {
  oracle_check_options how;
  how.seconds = std::min(how.seconds, seconds);
  how.seed = options_.seed;
  auto const verdict = check_against_oracle(
      *work_->space().program, work_->signature(), [this](std::size_t i) { return runner_->operand_bytes(i); }, how);
  report_.checked_elements = verdict.elements;
  if (!verdict.difference.empty())
    throw backend_error(backend_.name() + ": the first kernel of " + report_.workload +
                        " is wrong: " + verdict.difference + "; please report it with the operator");
}

/// Returns the code of a configuration without measuring it; nothing if there is no backend for a recorded device.
std::optional<kernel_image> tuning_session::image_of(configuration const& chosen) {
  if (report_.recorded && !backend_.availability()) return std::nullopt;
  auto const timed = timing(tuning_phase::compile);
  return compile_configuration(*work_, backend_, chosen);
}

/// Takes the seed as it is: there will be no trials.
void tuning_session::take_seed() {
  auto image = seed_.image ? std::move(seed_.image) : image_of(seed_.chosen);
  report_.seconds = report_.seed_seconds;
  report_.schedule = describe_choices(work_->space().knobs, seed_.chosen);
  report_.stopped_because = why_over_ = "no trials were wanted";
  found_ = tuning_result{image ? *std::move(image) : kernel_image(), seed_.chosen, {}};
}

/// Finds an image that runs at once, or a configuration that only has to be compiled.
bool tuning_session::find_in_records() {
  if (!options_.records) return false;
  auto const& knobs = work_->space().knobs;
  auto found = find_stored(*options_.records, key_, [&](record const& r) {
    auto const chosen = find_configuration(knobs, r.choices);
    return chosen && work_->sampler().valid(*chosen) ? image_of(*chosen) : std::nullopt;
  });
  report_.fallback = found.fallback;
  if (!found.image) return false;
  if (found.compiled && may_record() && !found.image->in_process_code)
    options_.records->put_image(found.of, to_bytes(*found.image));
  report_.source = tuning_report::origin::record;
  report_.seconds = found.of.result.seconds;
  report_.spread = found.of.result.spread;
  report_.stopped_because = why_over_ = "found in the records";
  report_.schedule = describe_choices(found.of.choices);
  found_ =
      tuning_result{std::move(*found.image), find_configuration(knobs, found.of.choices).value_or(configuration()), {}};
  return true;
}

/// Queues first the best of other shapes and machines, and of other versions of the library on this machine.
void tuning_session::queue_neighbours() {
  if (!options_.records) return;
  constexpr std::size_t most = 4;
  auto records = options_.records->near(key_, most);
  if (auto own = options_.records->best(key_)) records.insert(records.begin(), std::move(*own));
  for (auto const& r : records) {
    auto near = nearest_configuration(work_->space().knobs, r.choices, seed_.chosen);
    if (work_->sampler().valid(near) && near != seed_.chosen &&
        std::none_of(queue_.begin(), queue_.end(), [&](proposal const& p) { return p.chosen == near; }))
      queue_.push_back({std::move(near), proposal_origin::neighbour});
  }
}

/// Then queues configurations like the best of other workloads, for whatever operator. They take at most a quarter of
/// the trials, since they may be wrong here.
void tuning_session::queue_proposals() {
  if (!options_.records) return;
  constexpr std::size_t most = 8;
  configuration_prior model({.seed = options_.seed});
  for (auto const& l : options_.records->transfer_samples())
    if (l.of.objective == key_.objective) (void)model.learn(l);
  std::vector<configuration> known = {seed_.chosen};
  for (auto const& p : queue_) known.push_back(p.chosen);
  auto const count = std::min(most, static_cast<std::size_t>(budget_.trials_left()) / 4);
  for (auto& c : model.propose(*work_, count, known)) queue_.push_back({std::move(c), proposal_origin::transfer});
}

/// Returns true if results may be stored. A recorded device measures nothing that could be stored.
bool tuning_session::may_record() const {
  return options_.records && options_.records->writable() && !options_.recorded;
}

record tuning_session::make_record(trial const& t, std::optional<double> predicted) const {
  record r;
  r.key = key_;
  r.lowering_version = lowering_version;
  r.choices = choices_of(work_->space().knobs, t.chosen);
  r.result = t.result;
  r.timestamp =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  r.predicted = predicted;
  r.library_version = std::to_string(TTUNE_VERSION_MAJOR) + "." + std::to_string(TTUNE_VERSION_MINOR) + "." +
                      std::to_string(TTUNE_VERSION_PATCH);
  r.device = r.result.device.empty() ? options_.device : std::exchange(r.result.device, {});
  return r;
}

// ----------------------------------------------------------------------------------------------------- trials

std::string tuning_session::reason_to_end() const {
  if (auto why = budget_.exhausted(); !why.empty()) return why;
  auto const& b = budget_.budget();
  if (b.patience > 0 && report_.trials - last_gain_ >= b.patience)
    return "no gain in " + std::to_string(b.patience) + " trials";
  auto const peak = options_.peak_flops_per_second;
  if (b.share_of_peak > 0 && peak > 0 && report_.flops / best_.best_seconds() >= b.share_of_peak * peak)
    return "the wanted share of peak was reached";
  return {};
}

/// Returns the limits of a trial: a candidate much slower than the best gets no samples; one that hangs is killed.
trial_limits tuning_session::limits() const {
  trial_limits l;
  l.rival_seconds = best_.best_seconds();
  l.cutoff_seconds = 2 * l.rival_seconds + 10e-6;
  l.hang_seconds = std::max(2.0, 1000 * report_.seed_seconds);
  return l;
}

/// Returns the size of the next batch. If time is short, the model learns at least eight times; if trials are many,
/// batches are larger, since each fit takes long and adds little.
std::size_t tuning_session::batch_size() const {
  auto const each = report_.tuning_seconds / static_cast<double>(report_.trials);
  auto const affordable = budget_.seconds_left() / 8 / static_cast<double>(budget_.workloads()) / std::max(each, 1e-6);
  auto const most = std::max(static_cast<double>(options_.batch), static_cast<double>(report_.trials) / 8);
  auto const wanted = std::clamp(affordable, std::min(4.0, static_cast<double>(options_.batch)), most);
  return static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(wanted), budget_.trials_left()));
}

std::vector<proposal> tuning_session::propose() {
  if (!queue_.empty()) return std::exchange(queue_, {});
  auto const timing = time_phase(budget_.clock(), report_, tuning_phase::propose);
  auto const score = learner_.scorer(*work_);
  auto const incumbents = best_.incumbents();
  search_request const request{batch_size(), visited_, score, incumbents};
  auto chosen = score && !learner_.has_learned() ? propose_advised(*search_, request) : search_->propose(request);
  std::vector<proposal> made;
  for (auto& c : chosen) made.push_back({std::move(c), proposal_origin::search});
  return made;
}

/// Adds the model's scores to a batch, if it knows anything.
void tuning_session::predict(std::vector<proposal>& batch) {
  auto const score = learner_.scorer(*work_);
  if (!score) return;
  std::vector<configuration> chosen;
  for (auto const& p : batch) chosen.push_back(p.chosen);
  std::vector<float> scores(batch.size());
  score(chosen, scores);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i].predicted = scores[i];
}

void tuning_session::advance() {
  scope_timer const timing(budget_.clock(), report_.tuning_seconds);
  if (why_over_ = reason_to_end(); over()) return;
  auto const trials_before = report_.trials;
  auto const best_before = best_.best_seconds();
  auto batch = propose();
  if (batch.empty()) why_over_ = "the whole space was measured";
  predict(batch);
  try_batch(std::move(batch));
  idle_batches_ = report_.trials == trials_before ? idle_batches_ + 1 : 0;
  if (idle_batches_ == most_idle_batches && !over()) why_over_ = "nothing proposed was new for a long time";
  batch_gain_ = (best_before - best_.best_seconds()) / std::max(timing.elapsed(), 1e-9);
  if (budget_.stopped()) return;
  auto const learning = time_phase(budget_.clock(), report_, tuning_phase::learn);
  learner_.fit();
}

/// Makes the trials of a batch while the budget lasts: as many together as the runner handles best.
void tuning_session::try_batch(std::vector<proposal> batch) {
  auto const proposed = batch.size();
  auto prepared = prepare(std::move(batch));
  for (std::size_t i = 0; i < prepared.size() && !over();) {
    auto const together =
        std::min({runner_->width(), prepared.size() - i, static_cast<std::size_t>(budget_.trials_left())});
    auto const group = std::span(prepared).subspan(i, together);
    settle(group, run(group));
    i += together;
  }
  if (prepared.size() < proposed && !over()) why_over_ = reason_to_end();
}

/// Lowers a batch, and compiles each program that is not known yet. Returns the candidates in the same order, fewer if
/// the time is over.
std::vector<tuning_session::prepared_candidate> tuning_session::prepare(std::vector<proposal> batch) {
  auto const timed = timing(tuning_phase::compile);
  auto const until = budget_.batch_deadline();
  std::vector<configuration> chosen;
  for (auto const& p : batch) chosen.push_back(p.chosen);
  auto lowered = runner_->lower(chosen, until);
  auto const to_be_tried = known_.to_be_tried(lowered);
  std::vector<prepared_candidate> made;
  std::vector<lowered_candidate> fresh;
  for (std::size_t i = 0; i < lowered.size(); ++i) {
    made.push_back({std::move(batch[i]), lowered[i].text});
    if (to_be_tried[i]) fresh.push_back(std::move(lowered[i]));
  }
  auto compiled = runner_->compile(std::move(fresh), until);
  std::size_t next = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!to_be_tried[i]) continue;
    if (next == compiled.size()) return made.resize(i), made;
    made[i].compiled = std::move(compiled[next++]);
  }
  return made;
}

/// Makes the trials of those candidates of a group that need one.
std::vector<trial> tuning_session::run(std::span<prepared_candidate> group) {
  std::vector<compiled_candidate> compiled;
  for (auto& c : group)
    if (c.compiled) compiled.push_back(std::move(*c.compiled));
  if (compiled.empty()) return {};
  auto const timed = timing(tuning_phase::measure);
  return runner_->run(std::move(compiled), limits());
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
  visited_.insert(t.chosen);
  if (t.what == trial::kind::unknown) return;
  if (t.what == trial::kind::same) {
    ++report_.same_programs;
    return learn_from(t);
  }
  if (may_record()) options_.records->append(make_record(t, predicted));
  budget_.count_trial();
  ++report_.trials;
  ++report_.trials_by_status[static_cast<std::size_t>(t.result.status)];
  if (t.result.status == trial_status::compile_failed) ++report_.refused;
  learn_from(t);
  if (t.result.ok() && best_.add(std::move(t))) last_gain_ = report_.trials;
  report_progress(false);
  why_over_ = reason_to_end();
}

/// Gives a trial to the model and the search. Configurations of the same program are informative neighbours, too.
void tuning_session::learn_from(trial const& t) {
  bool const timed = t.result.ok() || t.result.status == trial_status::cut_off;
  learner_.add(task_, *work_, t.chosen, timed ? t.result.seconds : 0);
  observation const seen{t.chosen, timed ? 1 / t.result.seconds : 0, !timed};
  search_->observe(std::span(&seen, 1));
}

/// Follows Ansor (Zheng et al., OSDI 2020, section 6): the gain of the last batch, and the possible gain, which is
/// bounded by the machine's peak and decreases with the number of trials.
double tuning_session::expected_gain() const {
  constexpr double trust_in_the_past = 0.2;
  auto const best = best_.best_seconds();
  auto const peak = options_.peak_flops_per_second;
  auto const floor = peak > 0 ? report_.flops / peak : 0;
  auto const each = report_.tuning_seconds / static_cast<double>(report_.trials);
  auto const hoped = std::max(0.0, best - floor) / static_cast<double>(report_.trials) / std::max(each, 1e-9);
  auto const& calls = budget_.budget().calls;
  auto const weight = calls.empty() ? 1 : calls[static_cast<std::size_t>(task_)];
  return weight * (trust_in_the_past * batch_gain_ + (1 - trust_in_the_past) * hoped);
}

void tuning_session::report_progress(bool finished) {
  if (!options_.on_progress) return;
  progress p;
  p.workload = report_.workload;
  p.trials_done = report_.trials;
  p.trials_total = budget_.workloads() == 1 ? budget_.budget().trials : 0;
  p.best_seconds = best_.best_seconds();
  p.flops = report_.flops;
  p.peak_flops_per_second = options_.peak_flops_per_second;
  p.trials_by_status = report_.trials_by_status;
  p.elapsed_seconds = budget_.elapsed();
  p.seconds_left = budget_.expected_seconds_left();
  p.model_validation = learner_.validation();
  p.phase_seconds = report_.phase_seconds;
  p.finished = finished;
  options_.on_progress(p);
}

// ---------------------------------------------------------------------------------------------------- the end

/// Returns the time reserved for the final comparisons: at most a tenth of the whole.
double tuning_session::closing_seconds() const {
  auto const pair = 2 * std::max(250e-6, seed_.result.seconds);
  return std::min(static_cast<double>(finalists) * (final_pairs * pair + 8 * seed_.result.seconds + 5e-3),
                  budget_.seconds_each() / 10);
}

/// Compares the finalists with the seed in pairs. The seed stays unless one of them is faster with confidence.
trial const* tuning_session::find_winner(comparison& final) {
  if (budget_.stopped()) return clear_winner();
  trial const* winner = nullptr;
  double spent = 0;
  for (std::size_t i = 0; i < std::min(finalists, best_.trials().size()); ++i) {
    auto const& t = best_.trials()[i];
    if (t.chosen == seed_.chosen || (i > 0 && spent > closing_seconds())) continue;
    scope_timer const timing(budget_.clock(), spent);
    auto const c = runner_->compare(seed_, t, final_pairs);
    if (!c.failure.empty()) continue;
    if (c.first_seconds > 0) report_.seed_seconds = c.first_seconds;  // measured in pairs with the best
    if (c.faster && c.ratio < final.ratio) final = c, winner = &t;
  }
  return winner;
}

/// Returns the winner if there is no time for pairs: the fastest, if no noise can explain its advantage.
trial const* tuning_session::clear_winner() const {
  if (best_.trials().empty()) return nullptr;
  auto const& t = best_.trials().front();
  auto const noise = 1.1 + t.result.spread + seed_.result.spread;
  return t.result.seconds * noise < seed_.result.seconds ? &t : nullptr;
}

tuning_result tuning_session::finish() {
  if (found_) {
    found_->report = report_;
    return std::move(*found_);
  }
  comparison final;
  trial const* winner = nullptr;
  tuning_result made;
  {
    scope_timer const timing(budget_.clock(), report_.tuning_seconds);
    report_.stopped_because = why_over_;
    winner = find_winner(final);
    auto const& best = winner ? *winner : seed_;
    bool const paired = final.pairs > 0;
    report_.source = winner ? tuning_report::origin::tuned : tuning_report::origin::seed;
    report_.seconds = !winner ? report_.seed_seconds : paired ? final.second_seconds : best.result.seconds;
    if (winner && paired) report_.seed_seconds = final.first_seconds;  // measured in pairs with the winner
    report_.gain = paired ? 1 / final.ratio : report_.seed_seconds / report_.seconds;
    report_.spread = best.result.spread;
    report_.schedule = describe_choices(work_->space().knobs, best.chosen);
    made.chosen = best.chosen;
    auto image = best.image ? best.image : image_of(best.chosen);
    if (image) keep(best, *image), made.image = std::move(*image);
  }
  report_progress(true);
  made.report = report_;
  return made;
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

double tuning_session::seconds_now() {
  constexpr std::int32_t pairs = 4;
  scope_timer const timing(budget_.clock(), report_.tuning_seconds);
  if (best_.trials().empty() || !best_.trials().front().image) return best_seconds();
  auto const& image = *best_.trials().front().image;
  auto const again = compare(image, image, pairs);
  if (!again.failure.empty() || again.pairs == 0) return best_seconds();
  return std::min(again.first_seconds, again.second_seconds);
}

/// Stores the winner and its time, measured in pairs with the seed, for the next start.
void tuning_session::keep(trial const& winner, kernel_image const& image) {
  if (!may_record()) return;
  trial timed{winner.chosen, winner.result};
  timed.result.seconds = report_.seconds;
  auto const last = make_record(timed, std::nullopt);
  if (image.in_process_code) options_.records->append(last);
  else options_.records->put_image(last, to_bytes(image));
  options_.records->put_explanation(key_, explain(winner.chosen));
  options_.records->put_transfer_sample(taught_by(winner));
}

/// Returns the winner, those nearly as fast (their differences matter little), and a sample of all trials as a transfer
/// sample.
transfer_sample tuning_session::taught_by(trial const& winner) const {
  constexpr std::size_t most_good = 4;
  constexpr std::size_t most_sampled = 60;
  transfer_sample taught{key_, report_.seconds, feature_schema, work_->feature_count()};
  std::vector<configuration> good = {winner.chosen};
  taught.speeds = {1};
  for (auto const& t : best_.trials()) {
    auto const speed = static_cast<float>(std::min(1.0, winner.result.seconds / t.result.seconds));
    if (good.size() == most_good || t.chosen == winner.chosen || speed < transfer_sample::nearly) continue;
    good.push_back(t.chosen);
    taught.speeds.push_back(speed);
  }
  work_->featurise(good, taught.rows);
  learner_.sample(task_, most_sampled, taught);
  return taught;
}

kernel_explanation tuning_session::explain(configuration const& chosen) const {
  auto const program = work_->lower(chosen);
  return {to_cpp(work_->space(), chosen), ir::print(program), backend_.source(program, work_->signature()),
          report_.flops, options_.peak_flops_per_second};
}

}}}  // namespace ttune::v0::detail
