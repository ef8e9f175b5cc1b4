// SPDX-License-Identifier: Apache-2.0
// Chooses the defaults of search and model on one half of the recorded runs and evaluates them on the other half, then
// with the halves exchanged. README.md says what was adopted.
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>

#include "../recorded.hpp"
#include "live.hpp"
#include "ttune/model/ensemble_model.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

/// Settings of a tuning: the defaults, or a variant of them.
struct setting {
  std::string name;
  std::size_t batch = 64;
  recorded_pool_options search = {};
  xgboost_options trees = {.held_out = 0};
  int members = 1;  ///< size of an ensemble
  double optimism = 0;

  [[nodiscard]] any_cost_model model(std::uint64_t seed) const {
    auto of = trees;
    of.seed = seed;
    if (members == 1) return any_cost_model(xgboost(of));
    return any_cost_model(ensemble_model(
        [of](std::uint64_t other) mutable {
          of.seed = other;
          return any_cost_model(xgboost(of));
        },
        {.members = members, .optimism = optimism, .by_estimate = false, .seed = seed}));
  }
};

struct group {
  std::string name;
  std::vector<setting> settings;
};

/// Varies one constant at a time; the others are the defaults.
std::vector<group> all_groups() {
  std::vector<group> made;
  auto const vary = [&](std::string const& name, auto const& values, auto const& set) {
    made.push_back({name, {}});
    for (auto const& v : values) {
      setting s;
      s.name = set(s, v);
      made.back().settings.push_back(s);
    }
  };
  auto const text = [](double x) { return std::to_string(x).substr(0, 4); };
  vary("batch", std::array{16, 32, 64, 96}, [&](setting& s, int n) {
    s.batch = static_cast<std::size_t>(n);
    return std::to_string(n);
  });
  vary("exploration", std::array{0.0, 0.05, 0.1, 0.15, 0.3}, [&](setting& s, double share) {
    s.search.exploration = share;
    return text(share);
  });
  vary("apart", std::array{0.0, 0.5, 1.0, 2.0}, [&](setting& s, double penalty) {
    s.search.taste.apart = penalty;
    return text(penalty);
  });
  struct boosting {
    int rounds;
    double eta;
    double columns;
  };
  vary("trees", std::array<boosting, 4>{{{100, .1, .25}, {150, .08, .25}, {150, .08, .4}, {250, .05, .4}}},
       [&](setting& s, boosting const& b) {
         s.trees.rounds = b.rounds;
         s.trees.eta = b.eta;
         s.trees.column_share = b.columns;
         return std::to_string(b.rounds) + " rounds, eta " + text(b.eta) + ", columns " + text(b.columns);
       });
  struct committee {
    int members;
    double optimism;
  };
  vary("ensemble", std::array<committee, 3>{{{1, 0}, {4, 0}, {4, 1}}}, [&](setting& s, committee const& c) {
    s.members = c.members;
    s.optimism = c.optimism;
    return std::to_string(c.members) + (c.optimism > 0 ? " + " + text(c.optimism) + " sd" : "");
  });
  return made;
}

constexpr char const* halves[] = {"choose", "judge"};

/// One half of a task's runs. A search gets a random half of its points, another one for each seed, so that the result
/// does not depend on the best point of one recording.
class world {
 public:
  world(task const& t, std::string const& half)
      : name(t.name), in_(ops::cuda_conv2d_template(t.shape)), device_(device_of(t, in_, half)) {
    if (empty()) return;
    auto const p = make_plan(in_);
    table_.emplace(feature_sets[std::size(feature_sets) - 1], p, device_.configurations());
  }
  std::string name;

  [[nodiscard]] bool empty() const { return device_.configurations().empty(); }
  /// Returns the number of trials until 95 % of the best point is reached; one more than were made if it is not.
  [[nodiscard]] double trials_to_95(setting const& s, std::uint64_t seed) const {
    constexpr std::size_t trials = 512;
    rng random(seed);
    std::vector<configuration> pool;
    double best = std::numeric_limits<double>::infinity();
    for (auto const& c : device_.configurations()) {
      if (random.chance(0.5)) continue;
      pool.push_back(c);
      if (auto const m = device_.measure(c).result; m.ok()) best = std::min(best, m.seconds);
    }
    auto const curve =
        recorded_search(sampler(in_.knobs), device_, any_search(recorded_pool(pool, s.search)), s.model(seed),
                        table_->writer(), {.trials = trials, .batch = s.batch, .seed = seed});
    return static_cast<double>(curve.trials_to(best, 0.95).value_or(trials + 1));
  }

 private:
  space in_;
  recorded_device device_;
  std::optional<feature_table> table_;
};

/// Mean trials of each setting in each half, [setting][half]; a geometric mean over tasks.
struct outcome {
  std::array<double, 2> by_half{};
};

outcome run_setting(group const& g, setting const& s, std::vector<std::vector<world>> const& worlds, int seeds,
                    std::ofstream& csv) {
  outcome made;
  for (std::size_t half = 0; half < 2; ++half) {
    double logs = 0;
    for (auto const& w : worlds[half]) {
      double sum = 0, squares = 0;
      for (int seed = 1; seed <= seeds; ++seed) {
        auto const n = w.trials_to_95(s, static_cast<std::uint64_t>(seed));
        sum += n;
        squares += n * n;
      }
      auto const mean = sum / seeds;
      auto const error = seeds > 1 ? std::sqrt(std::max(0.0, squares / seeds - mean * mean) / (seeds - 1)) : 0.0;
      csv << g.name << ',' << s.name << ',' << w.name << ',' << halves[half] << ',' << mean << ',' << error << '\n';
      logs += std::log(mean);
    }
    made.by_half[half] = std::exp(logs / static_cast<double>(worlds[half].size()));
  }
  csv.flush();
  std::printf("defaults %-12s %-36s %5.0f %5.0f\n", g.name.c_str(), s.name.c_str(), made.by_half[0], made.by_half[1]);
  std::fflush(stdout);
  return made;
}

void choose_defaults(options const& chosen) {
  std::vector<std::vector<world>> worlds(2);
  for (std::size_t half = 0; half < 2; ++half)
    for (auto const& t : tasks) {
      worlds[half].emplace_back(t, halves[half]);
      if (worlds[half].back().empty()) {
        std::printf("defaults: no logs of %s: nothing can be chosen\n", t.name.c_str());
        return;
      }
    }
  auto const seeds = std::max(chosen.samples, 1);
  std::ofstream csv(out_file("defaults.csv"));
  csv << "constant,value,task,runs,trials_to_95,standard_error\n";
  std::ofstream verdicts(out_file("defaults-chosen.csv"));
  verdicts << "constant,chosen_on,value,trials_there,trials_on_the_others,default_on_the_others\n";
  for (auto const& g : all_groups()) {
    std::vector<outcome> all;
    for (auto const& s : g.settings) all.push_back(run_setting(g, s, worlds, seeds, csv));
    auto const present = run_setting(g, {"default"}, worlds, seeds, csv);
    for (std::size_t half = 0; half < 2; ++half) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].by_half[half] < all[best].by_half[half]) best = i;
      auto const other = 1 - half;
      std::printf("defaults %s chosen on the runs \"%s\": %s; on the others %.0f, the default %.0f\n", g.name.c_str(),
                  halves[half], g.settings[best].name.c_str(), all[best].by_half[other], present.by_half[other]);
      verdicts << g.name << ',' << halves[half] << ',' << g.settings[best].name << ',' << all[best].by_half[half] << ','
               << all[best].by_half[other] << ',' << present.by_half[other] << '\n';
    }
    verdicts.flush();
  }
}

add_live const added("defaults", choose_defaults);

}  // namespace
