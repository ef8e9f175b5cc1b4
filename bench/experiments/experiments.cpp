// SPDX-License-Identifier: Apache-2.0
// Suite experiments: the tables and figures of Zheng's report on AutoTVM again, on recorded runs. README.md says what
// each source claimed. --case names experiments, --samples the seeds; files are written where $TTUNE_EXPERIMENTS_OUT
// says (here, if nothing does). Without logs a synthetic set takes their place, and everything says so.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "../recorded.hpp"
#include "../suite.hpp"
#include "svg.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/schedule/sampling.hpp"
#include "ttune/tune/replay_pool.hpp"
#include "ttune/tune/replay_search.hpp"
#include "ttune/tune/transfer_model.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

std::string out_file(std::string const& name) {
  char const* const folder = std::getenv("TTUNE_EXPERIMENTS_OUT");
  return (folder ? std::string(folder) + "/" : "") + name;
}

/// A task, its space and what is known of it.
struct subject {
  task const& of;
  space in = ops::cuda_conv2d_template(of.shape);
  plan p = make_plan(in);
  replay_device device = device_of(of, in);
  bool synthetic = false;

  explicit subject(task const& t) : of(t) {
    if (!device.configurations().empty()) return;
    synthetic = true;
    make_up();
  }

 private:
  /// Times by the analytic estimate with a tenth of noise; what no device of that size runs fails.
  void make_up() {
    auto const limited = ops::within_limits(in, of.shape);
    sampler const all(in.knobs), valid(limited.knobs, limited.constraints);
    feature_extractor const extract(p, gtx1080ti());
    rng random(7);
    nest n;
    std::vector<float> row(feature_extractor::size());
    for (int i = 0; i < 3000; ++i) {
      auto const c = i % 4 == 0 ? all.draw(random) : valid.draw(random);
      replay(p, c, n);
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

/// Billions of arithmetic operations a second.
double gflops(task const& t, double seconds) {
  auto const& s = t.shape;
  auto const points = static_cast<double>(s.batch * s.filters * s.out_height() * s.out_width() * s.channels) *
                      static_cast<double>(s.kernel * s.kernel);
  return 2e-9 * points / seconds;
}

/// Table 1: how many configurations there are.
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

struct contender {
  std::string name;
  feature_set const* features;  ///< null: no model
  bool rank = false;
};

any_cost_model make_model(contender const& c, std::uint64_t seed) {
  if (!c.features) return {};
  xgboost_options o{.held_out = 0, .seed = seed};
  if (c.rank) o.objective = xgboost_options::target::rank;
  return any_cost_model(xgboost(o));
}

/// Best so far by trial, in GFLOP/s: rows are seeds.
svg_curve summarise(std::string const& name, task const& t, std::vector<replay_curve> const& runs, std::size_t trials) {
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

/// Searches on all recorded points; curves go into a figure, and their values after some trials into a table.
void compare(std::string const& figure, subject const& s, std::vector<contender> const& contenders, int seeds,
             std::size_t trials, std::ofstream& table2) {
  sampler const whole(s.in.knobs);
  std::vector<svg_curve> curves;
  std::ofstream csv(out_file(figure + ".csv"));
  csv << "system,trial,gflops_mean,gflops_sd\n";
  for (auto const& c : contenders) {
    row_writer write = [](auto const&, auto&) {};
    std::optional<feature_table> features;
    if (c.features) features.emplace(*c.features, s.p, s.device.configurations());
    if (features) write = features->writer();
    std::vector<replay_curve> runs;
    for (int seed = 1; seed <= seeds; ++seed)
      runs.push_back(replay_search(whole, s.device, any_search(replay_pool(s.device.configurations())),
                                   make_model(c, static_cast<std::uint64_t>(seed)), write,
                                   {.trials = trials, .batch = 64, .seed = static_cast<std::uint64_t>(seed)}));
    auto curve = summarise(c.name, s.of, runs, trials);
    double to95 = 0;
    for (auto const& r : runs)
      to95 += static_cast<double>(r.trials_to(s.device.best_seconds(), 0.95).value_or(trials + 1)) / seeds;
    std::printf("%-8s %-4s %-16s", figure.c_str(), s.of.name.c_str(), c.name.c_str());
    for (std::size_t const at : {64U, 100U, 256U, 512U})
      if (at <= trials) {
        std::printf("  @%zu %.0f±%.0f", at, curve.mean[at - 1], curve.spread[at - 1]);
        table2 << s.of.name << ',' << c.name << ',' << at << ',' << curve.mean[at - 1] << ',' << curve.spread[at - 1]
               << '\n';
      }
    std::printf("  to95 %.0f\n", to95);
    std::fflush(stdout);
    for (std::size_t i = 0; i < trials; i += 8)
      csv << c.name << ',' << i + 1 << ',' << curve.mean[i] << ',' << curve.spread[i] << '\n';
    curves.push_back(std::move(curve));
  }
  auto const title = figure + ": " + s.of.name + (s.synthetic ? " (synthetic records)" : " (recorded)");
  write_svg(out_file(figure + ".svg"), title, "best GFLOP/s, mean and sd of " + std::to_string(seeds) + " seeds",
            curves);
}

/// Table 3: what features cost.
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

int run(options const& chosen) {
  setenv("TTUNE_RUNS", "all", 0);  // nothing is chosen here
  std::vector<subject> subjects;
  subjects.reserve(std::size(tasks));
  for (auto const& t : tasks) subjects.emplace_back(t);
  for (auto const& s : subjects)
    std::printf("# %s: %zu configurations%s\n", s.of.name.c_str(), s.device.configurations().size(),
                s.synthetic ? ", SYNTHETIC: no logs were given, times are the analytic estimate with noise" : "");
  auto const seeds = std::max(chosen.samples, 1);
  constexpr std::size_t trials = 512;
  std::ofstream table2(out_file("table2.csv"));
  table2 << "task,system,trials,gflops_mean,gflops_sd\n";
  if (chosen.wants_case("table1")) table1(subjects);
  if (chosen.wants_case("table3")) table3(subjects[0]);
  auto const with = [](char const* set, bool rank = false) {
    return contender{std::string(set) + (rank ? " (rank)" : ""), set_named(set), rank};
  };
  contender const random{"random", nullptr};
  if (chosen.wants_case("figure3"))
    compare("figure3", subjects[0], {random, with("curve"), with("curve-fix"), with("ttune")}, seeds, trials, table2);
  if (chosen.wants_case("figure4"))
    compare("figure4", subjects[1],
            {random, with("knob"), with("itervar"), with("curve"), with("curve-fix"), with("ttune")}, seeds, trials,
            table2);
  if (chosen.wants_case("objective"))
    compare("objective", subjects[1], {with("itervar", true), with("itervar"), with("ttune", true), with("ttune")},
            seeds, trials, table2);
  return 0;
}

ttune_bench::add_suite const experiments{
    {"experiments", "tables and figures of AutoTVM's report again, from recorded runs (experiments/README.md)", run}};

}  // namespace
