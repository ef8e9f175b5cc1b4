// SPDX-License-Identifier: Apache-2.0
// Suite experiments: reproduces the tables and figures of Zheng's report on AutoTVM with recorded runs. README.md lists
// the claims of each source. --case names experiments, --samples gives the number of seeds. Files are written to
// $TTUNE_EXPERIMENTS_OUT, by default the current folder. Without logs a synthetic set is used, and all output says so.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include "../recorded.hpp"
#include "../suite.hpp"
#include "autotvm_model.hpp"
#include "live.hpp"
#include "svg.hpp"
#include "ttune/model/ensemble_model.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/genetic.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

/// A task with its space and its measurements.
struct subject {
  task const& of;
  space in = ops::cuda_conv2d_template(of.shape);
  plan p = make_plan(in);
  recorded_device device = device_of(of, in);
  bool synthetic = false;

  explicit subject(task const& t) : of(t) {
    if (!device.configurations().empty()) return;
    synthetic = true;
    make_up();
  }

 private:
  /// Makes times from the analytic estimate with noise of a tenth; configurations too large for such a device fail.
  void make_up() {
    auto const limited = ops::within_limits(in, of.shape);
    sampler const all(in.knobs), valid(limited.knobs, limited.constraints);
    feature_extractor const extract(p, gtx1080ti());
    rng random(7);
    loop_nest n;
    std::vector<float> row(feature_extractor::size());
    for (int i = 0; i < 3000; ++i) {
      auto const c = i % 4 == 0 ? all.draw(random) : valid.draw(random);
      instantiate(p, c, n);
      extract.extract(n, c, row);
      record r;
      r.key.compute_text = "synthetic " + of.name;
      r.choices = choices_of(in.knobs, c);
      auto const noise = 0.1 * (random.uniform() + random.uniform() - 1);
      r.result.status = valid.valid(c) ? trial_status::ok : trial_status::unsupported;
      r.result.seconds = valid.valid(c) ? 20e-6 * std::exp2(log_estimate(row.data()) + noise) : 0;
      device.add(r);
    }
  }
};

/// Returns billions of arithmetic operations per second.
double gflops(task const& t, double seconds) {
  auto const& s = t.shape;
  auto const points = static_cast<double>(s.batch * s.filters * s.out_height() * s.out_width() * s.channels) *
                      static_cast<double>(s.kernel * s.kernel);
  return 2e-9 * points / seconds;
}

/// Table 1: the number of configurations.
void table1(std::vector<subject> const& subjects) {
  std::ofstream csv(out_file("table1.csv"));
  csv << "task,space,within_limits\n";
  for (auto const& s : subjects) {
    auto const limited = ops::within_limits(s.in, s.of.shape);
    auto const all = sampler(s.in.knobs, s.in.constraints).size().text();
    auto const runs = sampler(limited.knobs, limited.constraints).size().text();
    std::printf("table1   %-4s %s configurations, %s within the device's limits\n", s.of.name.c_str(), all.c_str(),
                runs.c_str());
    csv << s.of.name << ',' << all << ',' << runs << '\n';
  }
}

/// Lines of table2.csv by task, system and trials. Lines of experiments that do not run now are kept.
class best_after_trials {
 public:
  best_after_trials() {
    std::ifstream before(out_file("table2.csv"));
    std::string line;
    std::getline(before, line);
    while (std::getline(before, line)) {
      auto end = line.find(',');
      for (int commas = 1; commas < 3 && end != std::string::npos; ++commas) end = line.find(',', end + 1);
      if (end != std::string::npos) lines_[line.substr(0, end)] = line.substr(end + 1);
    }
  }
  void note(std::string const& task_name, std::string const& system, std::size_t trials, double mean, double spread) {
    lines_[task_name + ',' + system + ',' + std::to_string(trials)] =
        std::to_string(mean) + ',' + std::to_string(spread);
  }
  void write() const {
    std::ofstream csv(out_file("table2.csv"));
    csv << "task,system,trials,gflops_mean,gflops_sd\n";
    for (auto const& [key, values] : lines_) csv << key << ',' << values << '\n';
  }

 private:
  std::map<std::string, std::string> lines_;
};

struct contender {
  enum class kind : std::uint8_t { none, trees, rank, autotvm, ensemble, forest };
  std::string name;
  feature_set const* features = nullptr;  ///< null: no model
  kind model = kind::none;
  double optimism = 0;              ///< for an ensemble
  double diversity = 0;             ///< for a batch
  any_search search = {};           ///< without a search: the pool of all recorded points
  subject const* lesson = nullptr;  ///< a task tuned before, whose lesson is in the tuner's records
};

/// Returns a model with a lesson as a tuner stores it: the best four of some trials, and a sample of all speeds.
any_cost_model told_by(subject const& s, xgboost_options const& o) {
  constexpr std::size_t trials = 512, good = 4, sampled = 60;
  std::vector<std::pair<double, configuration>> made;  // failures last
  for (auto const& c : s.device.configurations()) {
    auto const m = s.device.measure(c).result;
    if (made.size() < trials) made.emplace_back(m.ok() ? m.seconds : std::numeric_limits<double>::infinity(), c);
  }
  std::ranges::stable_sort(made, {}, &std::pair<double, configuration>::first);
  std::vector<configuration> kept;
  std::vector<model_target> targets;
  auto const keep = [&](std::size_t i) {
    bool const failed = std::isinf(made[i].first);
    kept.push_back(made[i].second);
    targets.push_back({failed ? 0.0F : static_cast<float>(made[0].first / made[i].first), failed, 0});
  };
  for (std::size_t i = 0; i < std::min(good, made.size()); ++i) keep(i);
  for (std::size_t k = 0; k < sampled; ++k) keep(k * made.size() / sampled);
  feature_table const rows(feature_sets[std::size(feature_sets) - 1], s.p, kept, true);
  detail::feature_rows const of(rows.writer(), kept);
  transfer_model told([o] { return any_cost_model(xgboost(o)); });
  told.learn_base(of.view(), targets);
  return told;
}

any_cost_model make_model(contender const& c, std::uint64_t seed) {
  xgboost_options o{.held_out = 0, .seed = seed};
  if (c.lesson) return told_by(*c.lesson, o);
  switch (c.model) {
    case contender::kind::none: return {};
    case contender::kind::autotvm: return any_cost_model(autotvm_model(seed));
    case contender::kind::forest: return any_cost_model(forest_model({.held_out = 0, .seed = seed}));
    case contender::kind::ensemble:
      return any_cost_model(ensemble_model(
          [o](std::uint64_t other) mutable {
            o.seed = other;
            return any_cost_model(xgboost(o));
          },
          {.members = 4, .optimism = c.optimism, .by_estimate = false, .seed = seed}));
    case contender::kind::rank: o.objective = xgboost_options::target::rank; break;
    case contender::kind::trees: break;
  }
  return any_cost_model(xgboost(o));
}

/// Returns the best result so far after each trial, in GFLOP/s; rows are seeds.
svg_curve summarise(std::string const& name, task const& t, std::vector<recorded_curve> const& runs,
                    std::size_t trials) {
  svg_curve c{name, {}, {}};
  for (std::size_t i = 0; i < trials; ++i) {
    double sum = 0, squares = 0;
    for (auto const& r : runs) {
      auto const best = r.best_seconds[std::min(i, r.best_seconds.size() - 1)];
      auto const g = std::isfinite(best) ? gflops(t, best) : 0;
      sum += g;
      squares += g * g;
    }
    auto const n = static_cast<double>(runs.size());
    c.mean.push_back(sum / n);
    c.spread.push_back(runs.size() < 2 ? 0 : std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1))));
  }
  return c;
}

/// Keeps features of recorded configurations; computes others when they are needed.
row_writer writer_of(subject const& s, contender const& c, std::optional<feature_table>& kept) {
  if (!c.features) return [](auto const&, auto&) {};
  if (!c.search) {
    kept.emplace(*c.features, s.p, s.device.configurations(), c.lesson != nullptr);
    return kept->writer();
  }
  return [&s, of = c.features->of(s.p)](configuration const& chosen, std::vector<float>& row) {
    loop_nest n;
    instantiate(s.p, chosen, n);
    auto const values = of(n, chosen);
    row.insert(row.end(), values.begin(), values.end());
  };
}

/// Runs searches; writes their curves to a figure, and their values after some trials to a table.
void compare(std::string const& figure, subject const& s, sampler const& in, std::vector<contender> const& contenders,
             int seeds, std::size_t trials, best_after_trials& table2, std::string const& note = "") {
  std::vector<svg_curve> curves;
  std::ofstream csv(out_file(figure + ".csv"));
  csv << "system,trial,gflops_mean,gflops_sd\n";
  std::ofstream reached(out_file(figure + "-to95.csv"));
  reached << "system,seed,trials\n";
  for (auto const& c : contenders) {
    std::optional<feature_table> kept;
    auto const write = writer_of(s, c, kept);
    std::vector<recorded_curve> runs;
    for (int i = 1; i <= seeds; ++i) {
      auto const seed = static_cast<std::uint64_t>(i);
      auto const search =
          c.search ? c.search.another()
                   : any_search(recorded_pool(s.device.configurations(), {.taste = {.diversity = c.diversity}}));
      runs.push_back(recorded_search(in, s.device, search, make_model(c, seed), write,
                                     {.trials = trials, .batch = 64, .seed = seed}));
    }
    auto curve = summarise(c.name, s.of, runs, trials);
    double to95 = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto const n = runs[i].trials_to(s.device.best_seconds(), 0.95).value_or(trials + 1);
      reached << c.name << ',' << i + 1 << ',' << n << '\n';
      to95 += static_cast<double>(n) / seeds;
    }
    std::printf("%-11s %-4s %-24s", figure.c_str(), s.of.name.c_str(), c.name.c_str());
    for (std::size_t const at : {64U, 100U, 256U, 512U})
      if (at <= trials) {
        std::printf("  @%zu %.0f±%.0f", at, curve.mean[at - 1], curve.spread[at - 1]);
        table2.note(s.of.name, c.name + note, at, curve.mean[at - 1], curve.spread[at - 1]);
      }
    std::printf("  to95 %.0f\n", to95);
    std::fflush(stdout);
    for (std::size_t i = 0; i < trials; i += 8)
      csv << c.name << ',' << i + 1 << ',' << curve.mean[i] << ',' << curve.spread[i] << '\n';
    curves.push_back(std::move(curve));
  }
  auto const title = figure + ": " + s.of.name + (s.synthetic ? " (synthetic records)" : " (recorded)") + note;
  write_svg(out_file(figure + ".svg"), title, "best GFLOP/s, mean and sd of " + std::to_string(seeds) + " seeds",
            curves);
  table2.write();
}

/// Table 3: the cost of features.
void table3(subject const& s) {
  std::ofstream csv(out_file("table3.csv"));
  csv << "features,count,microseconds\n";
  auto some = s.device.configurations();
  some.resize(std::min<std::size_t>(some.size(), 500));
  for (auto const& set : feature_sets) {
    feature_table const t(set, s.p, some);
    std::printf("table3   %-4s %-10s %5zu features, %8.2f us a candidate\n", s.of.name.c_str(), set.name, t.all(),
                t.microseconds());
    csv << set.name << ',' << t.all() << ',' << t.microseconds() << '\n';
  }
}

feature_set const* set_named(std::string const& name) {
  for (auto const& f : feature_sets)
    if (f.name == name) return &f;
  return nullptr;
}

/// Runs the named live experiments; returns true if all names belong to live experiments.
bool run_live(options const& chosen) {
  std::size_t known = 0;
  for (auto const& one : live_experiments())
    if (!chosen.cases.empty() && chosen.wants_case(one.name)) {
      one.run(chosen);
      ++known;
    }
  return known > 0 && known == chosen.cases.size();
}

int run(options const& chosen) {
  if (run_live(chosen)) return 0;
  setenv("TTUNE_RUNS", "all", 0);  // nothing is chosen here, so all runs may be used
  std::vector<subject> subjects;
  subjects.reserve(std::size(tasks));
  for (auto const& t : tasks) subjects.emplace_back(t);
  for (auto const& s : subjects)
    std::printf("# %s: %zu configurations%s\n", s.of.name.c_str(), s.device.configurations().size(),
                s.synthetic ? ", SYNTHETIC: no logs were given, times are the analytic estimate with noise" : "");
  auto const seeds = std::max(chosen.samples, 1);
  constexpr std::size_t trials = 512;
  best_after_trials table2;
  if (chosen.wants_case("table1")) table1(subjects);
  if (chosen.wants_case("table3")) table3(subjects[0]);
  using kind = contender::kind;
  auto const with = [](char const* set, kind model = kind::trees) {
    return contender{std::string(set) + (model == kind::rank      ? " (rank)"
                                         : model == kind::autotvm ? " (AutoTVM)"
                                                                  : ""),
                     set_named(set), model};
  };
  contender const random{"random"};
  auto const run_one = [&](std::string const& name, std::size_t subject_number, std::vector<contender> const& all) {
    auto const& s = subjects[subject_number];
    if (chosen.wants_case(name)) compare(name, s, sampler(s.in.knobs), all, seeds, trials, table2);
  };
  run_one("figure3", 0, {random, with("curve"), with("curve-fix"), with("ttune")});
  run_one("figure4", 1, {random, with("knob"), with("itervar"), with("curve"), with("curve-fix"), with("ttune")});
  run_one("objective", 1, {with("itervar", kind::rank), with("itervar"), with("ttune", kind::rank), with("ttune")});
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto const on = "-" + subjects[i].of.name;
    run_one("loop" + on, i, {random, with("knob", kind::autotvm), with("itervar", kind::autotvm), with("ttune")});
    auto told = with("ttune");
    auto const& other = subjects[1 - i];
    told.name = "ttune, told by " + other.of.name;
    told.lesson = &other;
    run_one("lesson" + on, i, {with("ttune"), told});
    std::vector<contender> bold, diverse;
    for (auto const optimism : {0.0, 0.5, 1.0}) {
      auto c = with("ttune", kind::ensemble);
      c.name = "ensemble +" + std::to_string(optimism).substr(0, 3) + " sd";
      c.optimism = optimism;
      bold.push_back(c);
    }
    bold.push_back(with("ttune"));
    run_one("uncertainty" + on, i, bold);
    for (auto const diversity : {0.0, 0.5, 2.0}) {
      auto c = with("ttune");
      c.name = "diversity " + std::to_string(diversity).substr(0, 3);
      c.diversity = diversity;
      diverse.push_back(c);
    }
    run_one("diversity" + on, i, diverse);
    auto& s = subjects[i];
    if (!chosen.wants_case("strategies" + on)) continue;
    // these propose unrecorded configurations; an oracle answers without a measurement
    auto const* const set = set_named("ttune");
    std::optional<feature_table> unused;
    s.device.estimate_by(fit_oracle(s.device, writer_of(s, {"", set, kind::trees, 0, 0, random_search()}, unused),
                                    any_cost_model(xgboost({.held_out = 0, .seed = 99}))));
    auto const limited = ops::within_limits(s.in, s.of.shape);
    sampler const valid(limited.knobs, limited.constraints);
    compare("strategies" + on, s, valid,
            {{"random", nullptr, kind::none, 0, 0, random_search()},
             {"genetic", nullptr, kind::none, 0, 0, genetic_search()},
             {"annealing with model", set, kind::trees, 0, 0, annealing()},
             {"annealing by single trees", set, kind::forest, 0, 0, annealing()}},
            seeds, trials, table2, " (oracle)");
    s.device.estimate_by({});
  }
  return 0;
}

ttune_bench::add_suite const experiments{
    {"experiments", "tables and figures of AutoTVM's report again, from recorded runs (experiments/README.md)", run}};

}  // namespace
