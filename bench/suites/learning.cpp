// SPDX-License-Identifier: Apache-2.0
// Suite learning: how well models rank unseen recorded measurements, and how fast a search on them finds the best one.
// Cases are the tasks of AutoTVM's logs in $TTUNE_DATA or ../shared/data (c12, c7); systems are pairs of features and
// model ("knob/linear"); --samples is the number of splits and of searches.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "../recorded.hpp"
#include "../suite.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

// ---------------------------------------------------------------------------------------------------------- models

struct model_kind {
  char const* name;
  any_cost_model (*make)(std::uint64_t seed);
};
model_kind const models[] = {
    // number of trees for a fit that may take a second
    {"xgboost-250",
     [](std::uint64_t seed) {
       return any_cost_model(xgboost({.rounds = 250, .eta = 0.05, .held_out = 0, .seed = seed}));
     }},
    {"forest", [](std::uint64_t seed) { return any_cost_model(forest_model({.held_out = 0, .seed = seed})); }},
    {"linear", [](std::uint64_t) { return any_cost_model(linear_model{}); }},
    {"xgboost", [](std::uint64_t seed) { return any_cost_model(xgboost({.held_out = 0, .seed = seed})); }},
    {"xgboost-rank",
     [](std::uint64_t seed) {
       return any_cost_model(xgboost({.objective = xgboost_options::target::rank, .held_out = 0, .seed = seed}));
     }},
};

// ----------------------------------------------------------------------------------------------------- experiments

struct mean_of {
  double sum = 0;
  double squares = 0;
  int n = 0;

  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  [[nodiscard]] double mean() const { return n == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / n; }
  /// Returns the standard deviation of the sample.
  [[nodiscard]] double spread() const {
    return n < 2 ? 0 : std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
  }
};

/// Prints lines to stdout for people, and to a file for programs.
class report_file {
 public:
  explicit report_file(std::string const& path) {
    if (!path.empty()) json_.open(path, std::ios::app);
    if (!path.empty() && !json_) throw std::invalid_argument("--json: cannot write " + path);
  }
  void line(std::string const& experiment, std::string const& task_name, std::string const& system,
            std::vector<std::pair<std::string, mean_of>> const& values) {
    std::printf("%-8s %-4s %-24s", experiment.c_str(), task_name.c_str(), system.c_str());
    for (auto const& [name, v] : values) std::printf("  %s %.3f±%.3f", name.c_str(), v.mean(), v.spread());
    std::printf("\n");
    std::fflush(stdout);
    if (!json_.is_open()) return;
    json_ << R"({"suite":"learning","experiment":")" << experiment << R"(","case":")" << task_name << R"(","system":")"
          << system << '"';
    for (auto const& [name, v] : values)
      if (v.n > 0)
        json_ << ",\"" << name << "\":{\"mean\":" << v.mean() << ",\"sd\":" << v.spread() << ",\"n\":" << v.n << "}";
    json_ << "}\n" << std::flush;
  }

 private:
  std::ofstream json_;
};

/// Records of a task in a random order: models learn from the first ones; the last 2000 evaluate them.
struct split {
  static constexpr std::size_t records = 4000;
  static constexpr std::size_t held_out = 2000;  ///< half of the records if there are fewer
  std::vector<configuration> of;
  std::vector<model_target> targets;

  [[nodiscard]] std::size_t held() const { return std::min(held_out, of.size() / 2); }

  split(recorded_device const& device, std::uint64_t seed) : of(device.configurations()) {
    rng random(seed);
    shuffle(std::span(of), random);
    of.resize(std::min(of.size(), records));
    auto const best = device.best_seconds();
    for (auto const& c : of) {
      auto const m = device.measure(c).result;
      targets.push_back({m.ok() ? static_cast<float>(best / m.seconds) : 0.0F, !m.ok(), 0});
    }
  }
};

/// Returns the rank correlation of held-out successes, and the share of the best 16 among the predicted best 64.
std::pair<double, double> judge_held_out(split const& s, std::span<float const> scores) {
  std::vector<float> predicted;
  std::vector<float> truth;
  auto const first = s.targets.size() - scores.size();
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!s.targets[first + i].failed) {
      predicted.push_back(scores[i]);
      truth.push_back(s.targets[first + i].speed);
    }
  return {rank_correlation(predicted, truth), top_recall(predicted, truth, 16, 64)};
}

void predict_held_out(task const& t, recorded_device const& device, feature_table const& features,
                      std::string const& system, model_kind const& kind, int splits, report_file& report) {
  std::vector<std::pair<std::string, mean_of>> values;
  for (std::size_t const n : {64U, 256U, 1024U}) {
    mean_of rho;
    mean_of recall;
    for (int seed = 1; seed <= splits; ++seed) {
      split const s(device, static_cast<std::uint64_t>(seed));
      detail::feature_rows const known(features.writer(), std::span(s.of).first(n));
      detail::feature_rows const asked(features.writer(), std::span(s.of).last(s.held()));
      auto const model = kind.make(static_cast<std::uint64_t>(seed));
      model->fit(known.view(), std::span(s.targets).first(n));
      std::vector<float> scores(asked.rows);
      model->predict(asked.view(), scores);
      auto const [r, k] = judge_held_out(s, scores);
      rho.add(r);
      recall.add(k);
    }
    values.emplace_back("rho" + std::to_string(n), rho);
    values.emplace_back("R" + std::to_string(n), recall);
  }
  report.line("predict", t.name, system, values);
}

/// Records the best so far as a share of the log's best speed, and the trials to 95 %; 1 more than made if not reached.
void search_recorded(task const& t, recorded_device const& device, space const& in, row_writer const& features,
                     std::string const& system, model_kind const* kind, int seeds, report_file& report) {
  constexpr std::size_t trials = 512;
  sampler const whole(in.knobs);
  recorded_pool const pool(device.configurations());
  std::array<mean_of, 4> shares;
  mean_of to95;
  mean_of failed;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto const s = static_cast<std::uint64_t>(seed);
    auto const model = kind ? kind->make(s) : any_cost_model();
    auto const curve =
        recorded_search(whole, device, pool, model, features, {.trials = trials, .batch = 64, .seed = s});
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i].add(curve.share_of(device.best_seconds(), std::size_t{64} << i));
    to95.add(static_cast<double>(curve.trials_to(device.best_seconds(), 0.95).value_or(trials + 1)));
    failed.add(static_cast<double>(curve.failed));
  }
  report.line("search", t.name, system,
              {{"at64", shares[0]},
               {"at128", shares[1]},
               {"at256", shares[2]},
               {"at512", shares[3]},
               {"to95", to95},
               {"failed", failed}});
}

/// Compares the estimate without records with 0, 64, 128 and 256 own records, each with the other task's records.
void transfer_between(task const& t, recorded_device const& device, recorded_device const& other,
                      row_writer const& features, row_writer const& other_features, int splits, report_file& report) {
  std::vector<std::pair<std::string, mean_of>> values(8);
  for (int seed = 1; seed <= splits; ++seed) {
    auto const s = static_cast<std::uint64_t>(seed);
    split const base(other, s);
    split const own(device, s);
    detail::feature_rows const base_rows(other_features, base.of);
    detail::feature_rows const asked(features, std::span(own.of).last(own.held()));
    transfer_model model(
        [s] { return any_cost_model(xgboost({.rounds = 250, .eta = 0.05, .held_out = 0, .seed = s})); });
    model.learn_base(base_rows.view(), base.targets);
    std::vector<float> scores(asked.rows);
    for (std::size_t i = 0; i < asked.rows; ++i) scores[i] = -log_estimate(asked.view().row(i));
    auto const note = [&](std::size_t at, std::string name) {
      values[at].first = std::move(name);
      values[at].second.add(judge_held_out(own, scores).first);
    };
    note(0, "estimate");
    std::size_t at = 1;
    for (std::size_t const n : {0U, 64U, 128U, 256U}) {
      detail::feature_rows const known(features, std::span(own.of).first(n));
      if (n > 0) model.fit(known.view(), std::span(own.targets).first(n));
      model.predict(asked.view(), scores);
      note(at++, "with" + std::to_string(n));
      if (n == 0) continue;
      xgboost alone({.rounds = 250, .eta = 0.05, .held_out = 0, .seed = s});
      alone.fit(known.view(), std::span(own.targets).first(n));
      alone.predict(asked.view(), scores);
      note(at++, "alone" + std::to_string(n));
    }
  }
  report.line("transfer", t.name, "ttune/transfer", values);
}

/// Transfers in both directions.
void run_transfer(options const& chosen, report_file& report) {
  struct side {
    task const& of;
    space in = ops::cuda_conv2d_template(of.shape);
    plan p = make_plan(in);
    recorded_device device = device_of(of, in);
  };
  side const sides[] = {{tasks[0]}, {tasks[1]}};
  if (sides[0].device.configurations().empty() || sides[1].device.configurations().empty()) return;
  auto const writer = [](side const& s) -> row_writer {
    return [&s, e = feature_extractor(s.p, gtx1080ti())](configuration const& c, std::vector<float>& row) {
      loop_nest n;
      instantiate(s.p, c, n);
      row.resize(row.size() + feature_extractor::size());
      e.extract(n, c, std::span(row).last(feature_extractor::size()));
    };
  };
  for (std::size_t i = 0; i < 2; ++i)
    transfer_between(sides[i].of, sides[i].device, sides[1 - i].device, writer(sides[i]), writer(sides[1 - i]),
                     chosen.samples, report);
}

int run(options const& chosen) {
  report_file report(chosen.json);
  bool any = false;
  for (auto const& t : tasks) {
    if (!chosen.wants_case(t.name)) continue;
    auto const in = ops::cuda_conv2d_template(t.shape);
    auto const device = device_of(t, in);
    if (device.configurations().size() < split::held_out) {
      std::printf("# %s: no logs at %s: left out\n", t.name.c_str(), ttune_test::recorded_logs().c_str());
      continue;
    }
    any = true;
    auto const good =
        std::ranges::count_if(device.configurations(), [&](auto const& c) { return device.measure(c).result.ok(); });
    std::printf("# %s: %zu configurations of %lld records, %lld of them ran, best %.1f us\n", t.name.c_str(),
                device.configurations().size(), static_cast<long long>(device.summary().records),
                static_cast<long long>(good), device.best_seconds() * 1e6);
    auto const p = make_plan(in);
    if (chosen.wants_system("random"))
      search_recorded(t, device, in, [](auto const&, auto&) {}, "random", nullptr, chosen.samples, report);
    for (auto const& set : feature_sets) {
      auto const wants = [&](model_kind const& kind) {
        return chosen.wants_system(std::string(set.name) + "/" + kind.name);
      };
      if (std::ranges::none_of(models, wants)) continue;
      feature_table const features(set, p, device.configurations());
      std::printf("# %s: %zu features, %zu of them vary; %.1f us a candidate\n", set.name, features.all(),
                  features.varying(), features.microseconds());
      for (auto const& kind : models) {
        if (!wants(kind)) continue;
        auto const system = std::string(set.name) + "/" + kind.name;
        predict_held_out(t, device, features, system, kind, chosen.samples, report);
        search_recorded(t, device, in, features.writer(), system, &kind, chosen.samples, report);
      }
    }
  }
  if (chosen.wants_system("ttune/transfer")) run_transfer(chosen, report);
  return any ? 0 : 1;
}

ttune_bench::add_suite const learning{
    {"learning", "models and searches on recorded measurements of AutoTVM; no timing", run}};

}  // namespace
