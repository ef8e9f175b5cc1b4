// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/oracle_check.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/annealing.hpp"
#include "ttune/tune/linear_model.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0 {

namespace detail {

/// The printed program with every number replaced: equal for all shapes of an operator.
inline std::string without_numbers(std::string const& text) {
  std::string made;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const digit = text[i] >= '0' && text[i] <= '9';
    bool const word = digit || text[i] == '_' || (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
    if (digit && !in_word) {
      made += '#';
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
      continue;
    }
    in_word = word;
    made += text[i];
  }
  return made;
}

inline std::uint64_t hash_of_space(space const& s) {
  hasher h;
  for (auto const& st : s.steps) {
    h.add(static_cast<std::uint64_t>(st.what)).add(st.stage);
    for (auto const& l : st.loops) h.add(l);
    for (auto const& r : st.results) h.add(r);
    for (auto const& v : st.values) h.add(static_cast<std::uint64_t>(v.knob)).add(static_cast<std::uint64_t>(v.column)).add(static_cast<std::uint64_t>(v.literal));
  }
  for (auto const& k : s.knobs) {
    h.add(k.name);
    for (auto const v : k.values) h.add(static_cast<std::uint64_t>(v));
  }
  for (auto const& c : s.constraints) h.add(c.text);
  return h.value();
}

}  // namespace detail

TTUNE_INLINE record_key key_of(space const& in, target const& machine, objective goal) {
  record_key key;
  auto const text = ir::print(*in.program);
  key.compute = ir::hash(*in.program);
  key.compute_text = detail::without_numbers(text);
  for (auto const& t : in.program->inputs)
    for (auto const& e : t->shape) key.extents.push_back(e.value);
  for (auto const& st : in.program->stages) {
    for (auto const& a : st->axes) key.extents.push_back(a.size());
    for (auto const& a : st->reduction.axes) key.extents.push_back(a.size());
  }
  key.target = machine.name + " x" + std::to_string(machine.cores);
  key.space = detail::hash_of_space(in);
  key.objective = goal == objective::warm ? "warm" : "cold";
  return key;
}

TTUNE_INLINE tuner::tuner(std::shared_ptr<backend> compiler, tuner_options options) : backend_(std::move(compiler)), options_(std::move(options)) {
  if (inside_worker()) throw argument_error("a tuner cannot be made inside a worker: call is_worker() and run_worker() first thing in main");
  if (options_.batch < 1) throw argument_error("tuner: a batch has at least one trial");
  if (!options_.model) options_.model = linear_model{};
  if (!options_.search) options_.search = annealing{};
  if (!options_.executor) options_.executor = default_executor();
}

/// One tuning from start to end.
class tuner::session {
 public:
  session(tuner& owner, space const& in, tuning_budget const& budget)
      : o_(owner.options_), backend_(*owner.backend_), budget_(budget), work_(in, backend_.target()), key_(key_of(in, backend_.target(), o_.objective)) {
    report_.workload = in.program->name;
    report_.space_size = work_.sampler().size().text();
    report_.flops = work_.signature().flops;
  }

  tuning_result run() {
    if (auto found = from_records()) return std::move(*found);
    start_with_seed();
    while (reason_to_stop().empty() && measure_batch()) {
    }
    report_.stopped_because = reason_to_stop().empty() ? "the whole space was measured" : reason_to_stop();
    return finish();
  }

 private:
  using clock = std::chrono::steady_clock;

  struct trial {
    configuration chosen;
    measurement result;
    std::optional<kernel_image> image;  ///< of the best few only
  };

  /// Adds the seconds of a scope to a phase.
  class phase_timer {
   public:
    phase_timer(tuning_report& report, tuning_phase phase) : seconds_(report.phase_seconds[static_cast<std::size_t>(phase)]) {}
    phase_timer(phase_timer const&) = delete;
    phase_timer& operator=(phase_timer const&) = delete;
    ~phase_timer() { seconds_ += std::chrono::duration<double>(clock::now() - start_).count(); }

   private:
    double& seconds_;
    clock::time_point start_ = clock::now();
  };

  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

  // -------------------------------------------------------------------------------------------------- records

  /// An image that runs at once, or a configuration that only has to be compiled.
  [[nodiscard]] std::optional<tuning_result> from_records() {
    if (!o_.records) return std::nullopt;
    auto stored = o_.records->get_image(key_);
    auto const best = stored ? std::optional(stored.of) : o_.records->best(key_);
    if (!best || !best->result.ok()) return std::nullopt;
    auto const chosen = find_configuration(work_.space().knobs, best->choices);
    if (!chosen || !work_.sampler().valid(*chosen)) return std::nullopt;
    auto image = usable_image(stored);
    if (!image) {
      image = compile(lower(*chosen)).image;
      if (!image) return std::nullopt;
      if (o_.records->writable()) o_.records->put_image(*best, to_bytes(*image));
    }
    report_.source = tuning_report::origin::record;
    report_.seconds = best->result.seconds;
    report_.spread = best->result.spread;
    report_.stopped_because = "found in the records";
    report_.schedule = detail::describe_choices(work_.space().knobs, *chosen);
    report_.tuning_seconds = elapsed();
    return tuning_result{std::move(*image), *chosen, report_};
  }

  [[nodiscard]] static std::optional<kernel_image> usable_image(image_lookup const& stored) {
    if (!stored || stored.of.lowering_version != lowering_version) return std::nullopt;
    try {
      auto image = image_from_bytes(stored.bytes);
      if (image.abi == abi_version) return image;
    } catch (record_error const&) {  // it is compiled again
    }
    return std::nullopt;
  }

  [[nodiscard]] record make_record(trial const& t, std::optional<double> predicted) const {
    record r;
    r.key = key_;
    r.lowering_version = lowering_version;
    r.choices = choices_of(work_.space().knobs, t.chosen);
    r.result = t.result;
    r.timestamp = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    r.predicted = predicted;
    r.library_version = std::to_string(TTUNE_VERSION_MAJOR) + "." + std::to_string(TTUNE_VERSION_MINOR) + "." + std::to_string(TTUNE_VERSION_PATCH);
    r.device = o_.device;
    return r;
  }

  // --------------------------------------------------------------------------------------------------- trials

  struct lowered_candidate {
    ir::lowered program;
    kernel_signature signature;
    std::uint64_t text = 0;   ///< hash of the printed program: equal where configurations mean the same
    std::string diagnostics;  ///< not empty: there is no program
  };

  [[nodiscard]] lowered_candidate lower(configuration const& chosen) {
    phase_timer const timing(report_, tuning_phase::compile);
    lowered_candidate made;
    try {
      made.program = work_.build(chosen, made.signature);
      made.text = hasher{}.add(ir::print(made.program)).value();
    } catch (error const& failure) {
      made.diagnostics = failure.what();
      made.text = hasher{}.add(made.diagnostics).value();
    }
    return made;
  }

  [[nodiscard]] compile_result compile(lowered_candidate candidate) {
    if (!candidate.diagnostics.empty()) return {std::nullopt, candidate.diagnostics, 0};
    phase_timer const timing(report_, tuning_phase::compile);
    return backend_.compile(candidate.program, std::move(candidate.signature));
  }

  /// What candidates are compared with, in speed and in result.
  void start_with_seed() {
    if (auto const there = backend_.availability(); !there) throw backend_error(backend_.name() + " cannot be used: " + there.reason);
    auto candidate = lower(work_.seed());
    auto const text = candidate.text;
    auto made = compile(std::move(candidate));
    if (!made.image) throw backend_error(backend_.name() + ": the first kernel of " + report_.workload + " cannot be compiled: " + made.diagnostics);
    phase_timer const timing(report_, tuning_phase::measure);
    measurer_.emplace(o_.worker, work_.signature(), bench_options{o_.seed, o_.objective, o_.executor->threads(), 2 * backend_.target().l3_bytes});
    measurer_->stop_with(budget_.stop);
    report_.isolated = measurer_->isolated();
    trial t{work_.seed(), measurer_->set_reference(*made.image, trial_limits{}), std::move(made.image)};
    if (!t.result.ok())
      throw backend_error("the first kernel of " + report_.workload + " does not run: " + name_of(t.result.status) + ": " + t.result.message);
    check_seed();
    t.result.compile_seconds = made.seconds;
    report_.seed_seconds = t.result.seconds;
    seed_image_ = *t.image;
    measured_.emplace(text, t.result);
    o_.search->start(work_.sampler(), o_.seed);
    settle(std::move(t), std::nullopt);
  }

  /// Sampled at full size; a tenth of the time that there is, at most.
  void check_seed() {
    oracle_check_options how;
    how.seconds = std::min(how.seconds, budget_.time.count() / 10);
    how.seed = o_.seed;
    auto const verdict = check_against_oracle(*work_.space().program, work_.signature(), [this](std::size_t i) { return measurer_->operand_bytes(i); }, how);
    report_.checked_elements = verdict.elements;
    if (!verdict.difference.empty())
      throw backend_error(backend_.name() + ": the first kernel of " + report_.workload + " is wrong: " + verdict.difference + "; please report it with the operator");
  }

  [[nodiscard]] std::string reason_to_stop() const {
    if (budget_.stop.stop_requested()) return "stopped by request";
    if (report_.trials >= budget_.trials) return "all trials were made";
    if (elapsed() >= budget_.time.count()) return "the time is over";
    if (budget_.patience > 0 && report_.trials - last_gain_ >= budget_.patience) return "no gain in " + std::to_string(budget_.patience) + " trials";
    auto const peak = o_.peak_flops_per_second;
    if (budget_.share_of_peak > 0 && peak > 0 && report_.flops / best_seconds() >= budget_.share_of_peak * peak) return "the wanted share of peak was reached";
    return {};
  }

  [[nodiscard]] double best_seconds() const { return best_.empty() ? std::numeric_limits<double>::infinity() : best_.front().result.seconds; }

  /// False if the space has nothing new to offer.
  bool measure_batch() {
    auto const batch = propose();
    for (auto const& [chosen, predicted] : batch) {
      if (!reason_to_stop().empty()) return true;
      auto candidate = lower(chosen);
      if (auto const known = measured_.find(candidate.text); known != measured_.end()) {
        ++report_.same_programs;
        learn_from({chosen, known->second, std::nullopt});
        continue;
      }
      auto t = measure(chosen, std::move(candidate));
      if (budget_.stop.stop_requested() && !t.result.ok()) return true;  // an interrupted trial says nothing
      settle(std::move(t), predicted);
    }
    learn();
    return !batch.empty();
  }

  [[nodiscard]] trial measure(configuration const& chosen, lowered_candidate candidate) {
    trial t{chosen, {}, std::nullopt};
    auto const text = candidate.text;
    auto made = compile(std::move(candidate));
    if (made.image) {
      phase_timer const timing(report_, tuning_phase::measure);
      t.result = measurer_->measure(*made.image, limits());
      t.image = std::move(made.image);
    } else {
      t.result.status = trial_status::compile_failed;
      t.result.message = made.diagnostics;
    }
    t.result.compile_seconds = made.seconds;
    measured_.emplace(text, t.result);
    return t;
  }

  /// A candidate much slower than the best is not worth samples; one that hangs is killed.
  [[nodiscard]] trial_limits limits() const {
    trial_limits l;
    l.cutoff_seconds = 2 * best_seconds() + 10e-6;
    l.hang_seconds = std::max(2.0, 1000 * report_.seed_seconds);
    return l;
  }

  [[nodiscard]] std::vector<std::pair<configuration, std::optional<double>>> propose() {
    phase_timer const timing(report_, tuning_phase::propose);
    batch_scorer score;
    if (o_.model->fitted())
      score = [this](std::span<configuration const> candidates, std::span<float> scores) {
        scratch_.clear();
        work_.featurise(candidates, scratch_);
        o_.model->predict({scratch_.data(), candidates.size(), work_.feature_count()}, scores);
      };
    std::vector<observation> incumbents;
    for (auto const& t : best_) incumbents.push_back({t.chosen, 1 / t.result.seconds, false});
    auto const left = budget_.trials - report_.trials;
    auto const wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, o_.batch));
    auto const chosen = o_.search->propose({wanted, visited_, score, incumbents});
    std::vector<float> scores(chosen.size());
    if (score && !chosen.empty()) score(chosen, scores);
    std::vector<std::pair<configuration, std::optional<double>>> made;
    for (std::size_t i = 0; i < chosen.size(); ++i) made.emplace_back(chosen[i], score ? std::optional<double>(scores[i]) : std::nullopt);
    return made;
  }

  /// Books a trial: recorded first, then learned from, then reported.
  void settle(trial t, std::optional<double> predicted) {
    if (o_.records && o_.records->writable()) o_.records->append(make_record(t, predicted));
    ++report_.trials;
    ++report_.trials_by_status[static_cast<std::size_t>(t.result.status)];
    learn_from(t);
    if (t.result.ok()) {
      if (t.result.seconds < best_seconds()) last_gain_ = report_.trials;
      auto const at = std::upper_bound(best_.begin(), best_.end(), t, [](trial const& a, trial const& b) { return a.result.seconds < b.result.seconds; });
      best_.insert(at, std::move(t));
      if (best_.size() > keep) best_.pop_back();
    }
    report_progress(false);
  }

  /// What model and search get to know. Configurations that mean the same program are neighbours worth knowing.
  void learn_from(trial const& t) {
    visited_.insert(t.chosen);
    bool const timed = t.result.ok() || t.result.status == trial_status::cut_off;
    work_.featurise(std::span(&t.chosen, 1), features_);
    times_.push_back(timed ? t.result.seconds : 0);
    observation const seen{t.chosen, timed ? 1 / t.result.seconds : 0, !timed};
    o_.search->observe(std::span(&seen, 1));
  }

  void learn() {
    phase_timer const timing(report_, tuning_phase::learn);
    std::vector<model_target> targets;
    for (auto const s : times_) targets.push_back({s > 0 ? static_cast<float>(std::min(1.0, best_seconds() / s)) : 0.0F, s <= 0, 0});
    auto const fitted = o_.model->fit({features_.data(), times_.size(), work_.feature_count()}, targets);
    validation_ = fitted.rank_correlation;
  }

  void report_progress(bool finished) {
    if (!o_.on_progress) return;
    progress p;
    p.workload = report_.workload;
    p.trials_done = report_.trials;
    p.trials_total = budget_.trials;
    p.best_seconds = best_seconds();
    p.flops = report_.flops;
    p.peak_flops_per_second = o_.peak_flops_per_second;
    p.trials_by_status = report_.trials_by_status;
    p.elapsed_seconds = elapsed();
    auto const by_trials = p.elapsed_seconds / static_cast<double>(std::max<std::int64_t>(1, report_.trials)) * static_cast<double>(budget_.trials - report_.trials);
    p.seconds_left = std::max(0.0, std::min(by_trials, budget_.time.count() - p.elapsed_seconds));
    p.model_validation = validation_;
    p.phase_seconds = report_.phase_seconds;
    p.finished = finished;
    o_.on_progress(p);
  }

  // --------------------------------------------------------------------------------------------------- the end

  /// The finalists meet the seed in pairs; it stays unless one beats it with confidence.
  tuning_result finish() {
    trial const* winner = nullptr;
    comparison final;
    {
      phase_timer const timing(report_, tuning_phase::measure);
      for (std::size_t i = 0; i < std::min<std::size_t>(finalists, best_.size()); ++i) {
        auto const& t = best_[i];
        if (t.chosen == work_.seed()) continue;
        auto const c = measurer_->compare(seed_image_, *t.image, 20);
        if (c.failure.empty() && c.first_seconds > 0) report_.seed_seconds = c.first_seconds;  // measured beside the best
        if (c.failure.empty() && c.faster && c.ratio < final.ratio) final = c, winner = &t;
      }
    }
    auto const seed = std::find_if(best_.begin(), best_.end(), [&](trial const& t) { return t.chosen == work_.seed(); });
    tuning_result made;
    made.chosen = winner ? winner->chosen : work_.seed();
    made.image = winner ? *winner->image : seed_image_;
    report_.source = winner ? tuning_report::origin::tuned : tuning_report::origin::seed;
    report_.gain = 1 / final.ratio;
    report_.seconds = winner ? final.second_seconds : report_.seed_seconds;
    report_.spread = winner ? winner->result.spread : seed == best_.end() ? 0 : seed->result.spread;
    report_.schedule = detail::describe_choices(work_.space().knobs, made.chosen);
    if (o_.records && o_.records->writable()) {
      trial of{made.chosen, winner ? winner->result : seed_measurement(seed), std::nullopt};
      of.result.seconds = report_.seconds;
      o_.records->put_image(make_record(of, std::nullopt), to_bytes(made.image));
    }
    report_progress(true);
    report_.tuning_seconds = elapsed();
    made.report = report_;
    return made;
  }

  template <class Iterator>
  [[nodiscard]] measurement seed_measurement(Iterator seed) const {
    if (seed != best_.end()) return seed->result;
    measurement m;
    m.seconds = report_.seed_seconds;
    return m;
  }

  static constexpr std::size_t keep = 16;       ///< the fastest, with their images
  static constexpr std::size_t finalists = 3;

  tuner_options& o_;
  backend& backend_;
  tuning_budget const& budget_;
  workload work_;
  record_key key_;
  std::optional<measurer> measurer_;
  tuning_report report_;
  clock::time_point start_ = clock::now();
  std::vector<trial> best_;  ///< fastest first
  kernel_image seed_image_;
  configuration_set visited_;
  std::unordered_map<std::uint64_t, measurement> measured_;  ///< by `lowered_candidate::text`
  std::vector<float> features_;  ///< one row a trial
  std::vector<double> times_;    ///< 0: failed
  std::vector<float> scratch_;
  std::int64_t last_gain_ = 0;
  double validation_ = progress::unknown;
};

TTUNE_INLINE tuning_result tuner::tune(space const& in, tuning_budget const& budget) {
  std::scoped_lock const lock(*one_at_a_time_);
  return session(*this, in, budget).run();
}

TTUNE_INLINE tuning_result tuner::tune(handle<ir::program> const& program, tuning_budget const& budget) {
  return tune(derive_space(program, backend_->target()), budget);
}

TTUNE_INLINE std::string tuning_report::text() const {
  static constexpr char const* origins[] = {"found in the records", "tuned", "the heuristic seed"};
  char line[256];
  std::string made;
  std::snprintf(line, sizeof line, "%s: %s, %.4g ms", workload.c_str(), origins[static_cast<int>(source)], seconds * 1e3);
  made += line;
  if (flops > 0 && seconds > 0) {
    std::snprintf(line, sizeof line, " (%.1f GFLOP/s, spread %.1f %%)", flops / seconds * 1e-9, spread * 100);
    made += line;
  }
  made += "\n";
  if (trials > 0) {
    std::snprintf(line, sizeof line, "  %lld trials of a space of %s in %.1f s; %.2f times the untuned kernel (%.4g ms)\n", static_cast<long long>(trials),
                  space_size.c_str(), tuning_seconds, gain, seed_seconds * 1e3);
    made += line;
    for (std::size_t s = 1; s < trial_statuses; ++s)
      if (trials_by_status[s] != 0) made += "  " + std::to_string(trials_by_status[s]) + " " + name_of(static_cast<trial_status>(s)) + "\n";
    if (same_programs != 0) made += "  " + std::to_string(same_programs) + " more proposals meant programs that were known\n";
    made += "  stopped: " + stopped_because + (isolated ? "" : "; candidates ran in this process, unprotected") + "\n";
  }
  return made + "  " + schedule + "\n";
}

}  // namespace ttune::inline v0
