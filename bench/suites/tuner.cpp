// SPDX-License-Identifier: Apache-2.0
// Suite tuner: the cost of each step of tuning, its share in a real run, and the cost of isolation.
#include <ttune/backends/orc.hpp>
#include <ttune/loop_nest/instantiate.hpp>
#include <ttune/model/transfer_model.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/runtime/measure/make_runner.hpp>
#include <ttune/search/annealing.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/scoring.hpp>
#include <ttune/tune/workload.hpp>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../figures.hpp"
#include "../problem.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;
using clock = std::chrono::steady_clock;

double seconds_of(std::function<void()> const& work) {
  auto const start = clock::now();
  work();
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Returns the processor time of this thread, without other threads and processes.
double processor_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Returns the time of one of `count` items that `work` handles: the median of repetitions.
double seconds_each(std::size_t count, options const& chosen, std::function<void()> const& work) {
  work();
  std::vector<double> samples;
  for (int i = 0; i < chosen.samples; ++i) samples.push_back(seconds_of(work));
  return median(samples) / static_cast<double>(count);
}

constexpr std::pair<char const*, double ttune::orc::phase_seconds::*> compile_phases[] = {
    {"emit", &ttune::orc::phase_seconds::emit},
    {"parse", &ttune::orc::phase_seconds::parse},
    {"passes", &ttune::orc::phase_seconds::passes},
    {"codegen", &ttune::orc::phase_seconds::codegen},
    {"link", &ttune::orc::phase_seconds::link}};

/// The steps of tuning one workload, each with candidates drawn at random.
class steps {
 public:
  steps(std::string name, ttune::handle<ttune::ir::program> program, options const& chosen, figure_table& table)
      : name_(std::move(name)),
        program_(std::move(program)),
        chosen_(chosen),
        table_(table),
        work_(ttune::derive_space(program_, compiler_.target()), compiler_.target()) {}

  void run() {
    seed();
    featurise();
    compile();
    measure();
    learn();
    learn_from_many();
    tune();
  }

 private:
  void add(std::string system, double seconds, std::string const& note = {}, std::string status = "ok") {
    if (!chosen_.wants_system(system)) return;
    result r{"", name_, std::move(system)};
    r.seconds = seconds;
    r.status = std::move(status);
    char rate[64] = "";
    if (seconds > 0) std::snprintf(rate, sizeof rate, " each, %.4g a second", 1 / seconds);
    table_.add(std::move(r), time_text(seconds) + rate + (note.empty() ? "" : "; " + note));
  }

  /// Measures the way from the operator to the first configuration, without records.
  void seed() {
    add("seed",
        seconds_each(1, chosen_,
                     [this] {
                       ttune::workload const fresh(ttune::derive_space(program_, compiler_.target()),
                                                   compiler_.target());
                       (void)fresh.seed();
                     }),
        "derive the space, choose its first configuration");
  }

  /// Draws distinct configurations, so that no result can be reused.
  [[nodiscard]] std::vector<ttune::configuration> draw(std::size_t count, std::uint64_t seed) const {
    ttune::rng random(seed);
    ttune::configuration_set seen;
    std::vector<ttune::configuration> drawn;
    for (std::size_t tries = 0; drawn.size() < count && tries < 20 * count; ++tries) {
      auto c = work_.sampler().draw(random);
      if (seen.insert(c).second) drawn.push_back(std::move(c));
    }
    return drawn;
  }

  void featurise() {
    auto const candidates = draw(4096, 1);
    ttune::loop_nest n;
    add("instantiate", seconds_each(candidates.size(), chosen_, [&] {
          for (auto const& c : candidates) ttune::instantiate(work_.plan(), c, n);
        }));
    rows_.reserve(candidates.size() * work_.feature_count());
    add("instantiate+features",
        seconds_each(candidates.size(), chosen_,
                     [&] {
                       rows_.clear();
                       work_.featurise(candidates, rows_);
                     }),
        "one core, " + std::to_string(candidates.size()) + " distinct configurations");
    auto const few = std::min<std::size_t>(candidates.size(), 64);
    add("lower",
        seconds_each(few, chosen_,
                     [&] {
                       for (std::size_t i = 0; i < few; ++i) (void)work_.lower(candidates[i]);
                     }),
        "to statements, all passes");
  }

  void compile() {
    std::vector<double> seconds, busy, load_seconds;
    std::vector<ttune::orc::phase_seconds> phases;
    std::string failure;
    for (auto const& c : draw(48, 2)) {
      ttune::compile_result made;
      auto const busy_before = processor_seconds();
      seconds.push_back(seconds_of([&] { made = compiler_.compile(work_.lower(c), work_.signature()); }));
      busy.push_back(processor_seconds() - busy_before);
      phases.push_back(compiler_.last_phases());
      if (!made.image) {
        failure = made.diagnostics;
        continue;
      }
      load_seconds.push_back(seconds_of([&] { (void)ttune::load(*made.image); }));
      compiled_.push_back(c);
      images_.push_back(std::move(*made.image));
    }
    auto const status = failure.empty() ? "ok" : "does not compile: " + failure;
    add("compile", median(seconds),
        "lowered, emitted, compiled, linked; " + time_text(median(busy)) + " of processor time", status);
    for (auto const& [name, member] : compile_phases) {
      std::vector<double> of_phase;
      for (auto const& p : phases) of_phase.push_back(p.*member);
      add(std::string("compile:") + name, median(of_phase), {}, status);
    }
    add("load", median(load_seconds), "an image into memory", status);
  }

  /// Measures the same images in a worker process and in this one, alternately.
  void measure() {
    ttune::runner_options const how{1, ttune::objective::warm, chosen_.threads, 2 * compiler_.target().l3_bytes};
    auto const isolated = ttune::make_runner(ttune::worker::program{}, work_.signature(), how);
    auto const local = ttune::make_runner(ttune::worker::in_process{}, work_.signature(), how);
    auto const& signature = work_.signature();
    auto const lowered = work_.lower(work_.seed());
    auto const seed = compiler_.compile(lowered, signature);
    if (!seed.image) return add("trial-in-worker", 0, {}, seed.diagnostics);
    auto const reference = isolated->set_reference(*seed.image, ttune::trial_limits{});
    (void)local->set_reference(*seed.image, ttune::trial_limits{});
    ttune::trial_limits limits;
    limits.cutoff_seconds = 2 * reference.seconds + 10e-6;

    std::vector<double> isolated_seconds, local_seconds;
    std::string failure = reference.ok() ? "" : reference.message;
    auto const take = [&](ttune::runner& m, ttune::kernel_image const& image, std::vector<double>& seconds) {
      ttune::measurement found;
      seconds.push_back(seconds_of([&] { found = m.measure(image, limits); }));
      bool const timed = found.ok() || found.status == ttune::trial_status::cut_off;
      if (!timed) failure = std::string(ttune::name_of(found.status)) + ": " + found.message;
      return found;
    };
    for (std::size_t i = 0; i < images_.size(); ++i) {
      if (i % 2 == 0) speeds_.push_back(take(*isolated, images_[i], isolated_seconds));
      (void)take(*local, images_[i], local_seconds);
      if (i % 2 != 0) speeds_.push_back(take(*isolated, images_[i], isolated_seconds));
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < images_.size(); ++i) ratios.push_back(isolated_seconds[i] / local_seconds[i]);
    char note[64];
    std::snprintf(note, sizeof note, "%.2f times the same trial in process", median(ratios));
    auto const status = failure.empty() ? "ok" : failure;
    add("trial-in-worker", median(isolated_seconds), note, status);
    add("trial-in-process", median(local_seconds), {}, status);
  }

  /// The model learns from the measurements; then it predicts for the candidates with features.
  void learn() {
    std::vector<float> rows;
    work_.featurise(compiled_, rows);
    double best = std::numeric_limits<double>::infinity();
    for (auto const& m : speeds_)
      if (m.seconds > 0) best = std::min(best, m.seconds);
    std::vector<ttune::model_target> targets;
    for (auto const& m : speeds_)
      targets.push_back({m.seconds > 0 ? static_cast<float>(best / m.seconds) : 0.0F, m.seconds <= 0, 0});
    if (targets.empty()) return add("predict", 0, {}, "nothing was measured");
    ttune::xgboost model;
    auto const fit = [&] { (void)model.fit({rows.data(), targets.size(), work_.feature_count()}, targets); };
    add("fit", seconds_each(1, chosen_, fit), std::to_string(targets.size()) + " trials");
    auto const count = rows_.size() / work_.feature_count();
    std::vector<float> scores(count);
    add("predict",
        seconds_each(count, chosen_, [&] { model.predict({rows_.data(), count, work_.feature_count()}, scores); }));
  }

  /// Measures the same late in a long tuning: 1000 trials with synthetic speeds (the estimate; every eighth failed),
  /// and a round of annealing with the model.
  void learn_from_many() {
    auto const trials = draw(1000, 3);
    std::vector<float> rows, speeds;
    work_.featurise(trials, rows);
    for (std::size_t i = 0; i < trials.size(); ++i)
      speeds.push_back(std::exp2(-ttune::log_estimate(rows.data() + i * work_.feature_count())));
    auto const best = std::ranges::max(speeds);
    std::vector<ttune::model_target> targets;
    for (std::size_t i = 0; i < trials.size(); ++i) targets.push_back({speeds[i] / best, i % 8 == 0, 0});
    ttune::xgboost model;
    add("fit-1000",
        seconds_each(1, chosen_,
                     [&] { (void)model.fit({rows.data(), targets.size(), work_.feature_count()}, targets); }),
        "and a second fit beside it, which is judged on trials that it has not seen");
    ttune::thread_pool pool(chosen_.threads);
    ttune::batch_scorer const score = [&](std::span<ttune::configuration const> candidates, std::span<float> out) {
      ttune::score_candidates(work_, model, pool, candidates, out);
    };
    ttune::annealing search({.patience = 0, .score_all = false});
    search.start(work_.sampler(), 1);
    ttune::configuration_set const visited;
    std::size_t evaluations = 0;
    auto const seconds = seconds_each(1, chosen_, [&] {
      (void)search.propose({32, visited, score, {}});
      evaluations = search.last_round().evaluations;
    });
    add("anneal", seconds, std::to_string(evaluations) + " candidates instantiated, featurised and scored");
  }

  /// Measures a real run without records.
  void tune() {
    if (!chosen_.wants_system("ttune")) return;
    ttune::tuner tuner{ttune::orc_backend{},
                       {.model = ttune::xgboost{}, .executor = std::make_shared<ttune::thread_pool>(chosen_.threads)}};
    ttune::tuning_budget budget;
    budget.trials = chosen_.trials > 0 ? chosen_.trials : 256;
    budget.time = std::chrono::duration<double>(chosen_.budget_seconds);
    auto const report = tuner.tune(program_, budget).report;
    auto const total = report.tuning_seconds;
    result r{"", name_, "ttune"};
    r.seconds = report.seconds;
    r.gflops = report.flops / report.seconds * 1e-9;
    r.peak_gflops = ttune::measure_fma_peak(chosen_.threads);
    r.tuning_seconds = total;
    r.trials = report.trials;
    char text[160];
    std::snprintf(text, sizeof text, "%.1f GFLOP/s (%.2f of peak) after %lld trials in %.1f s", r.gflops,
                  r.gflops / r.peak_gflops, static_cast<long long>(r.trials), total);
    table_.add(r, text);
    auto const phase = [&](std::string const& of, double seconds) {
      result p{"", name_, "tuning:" + of};
      p.seconds = seconds;
      p.tuning_seconds = total;
      p.trials = report.trials;
      std::snprintf(text, sizeof text, "%s, %.0f %% of the run", time_text(seconds).c_str(), 100 * seconds / total);
      table_.add(p, text);
    };
    double known = 0;
    for (std::size_t i = 0; i < ttune::tuning_phases; ++i) {
      phase(ttune::name_of(static_cast<ttune::tuning_phase>(i)), report.phase_seconds[i]);
      known += report.phase_seconds[i];
    }
    phase("rest", std::max(0.0, total - known));
  }

  std::string name_;
  ttune::handle<ttune::ir::program> program_;
  options const& chosen_;
  figure_table& table_;
  ttune::orc_backend compiler_;
  ttune::workload work_;
  std::vector<float> rows_;  ///< rows of all candidates with features
  std::vector<ttune::configuration> compiled_;
  std::vector<ttune::kernel_image> images_;  ///< images of `compiled_`
  std::vector<ttune::measurement> speeds_;   ///< measurements of `compiled_`
};

int run(options const& chosen) {
  figure_table table("tuner", chosen, "steps of tuning, each by itself, then a real run (--trials, 256)");
  for (auto const& s : conv_cases()) {
    bool const wanted = chosen.cases.empty() ? s.name == "C6" : chosen.wants_case(s.name);
    if (!wanted) continue;
    auto const op =
        ttune::ops::conv2d({s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding});
    steps(s.name, op.program(), chosen, table).run();
  }
  return table.status();
}

add_suite const tuner_suite{
    {"tuner", "the steps of tuning a second, a real run's phases, the cost of isolation (C6)", run}};

}  // namespace
