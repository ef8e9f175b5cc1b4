// SPDX-License-Identifier: Apache-2.0
// Compares whole loops (model, features, choice of a batch) on recorded runs by the best found after 32 to 512 trials,
// with paired seeds and standard errors. README.md has the results.
//   yardstick, yardstick-c12, yardstick-c7     all loops on all runs and on both halves of them
//   forest-constants                           variants of the forest, only on the runs that constants are chosen on
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "../recorded.hpp"
#include "../statistics.hpp"
#include "autotvm_model.hpp"
#include "live.hpp"
#include "svg.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

constexpr std::size_t trials = 512;
constexpr std::array<std::size_t, 5> checkpoints = {32, 64, 128, 256, 512};

/// A way to search: what proposes the next batch, and by which knowledge.
struct loop {
  std::string name;
  std::string features;  ///< empty: no model
  std::function<any_cost_model(std::uint64_t seed)> model;
  bool limited = false;  ///< proposes only what stays within the limits of the device
  recorded_pool_options search = {};
  double estimated = 0;  ///< share of the first batch by the analytic estimate
};

/// Takes a share of the first batch from the best twentieth by the analytic estimate, as the best of twenty times as
/// many random points; the rest is the pool's.
class estimated_start final : public search_strategy {
 public:
  estimated_start(recorded_pool within, row_writer features, double share)
      : pool_(std::move(within)), features_(std::move(features)), share_(share) {}
  [[nodiscard]] std::string name() const override { return "estimated start"; }
  void start(sampler const& space, std::uint64_t seed) override { pool_.start(space, seed); }
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override {
    if (!request.visited.empty()) return pool_.propose(request);
    auto const count = static_cast<std::size_t>(share_ * static_cast<double>(request.batch));
    auto const drawn = pool_.propose({20 * count, request.visited, {}, {}});
    detail::feature_rows const rows(features_, drawn);
    std::vector<float> scores;
    for (std::size_t i = 0; i < drawn.size(); ++i) scores.push_back(-log_estimate(rows.view().row(i)));
    std::vector<configuration> batch;
    for (auto const i : select_diverse(drawn, scores, count, 0)) batch.push_back(drawn[i]);
    configuration_set const taken(batch.begin(), batch.end());
    auto const rest = pool_.propose({request.batch - batch.size(), taken, {}, {}});
    batch.insert(batch.end(), rest.begin(), rest.end());
    return batch;
  }

 private:
  recorded_pool pool_;
  row_writer features_;
  double share_;
};

/// The result of a search.
struct outcome {
  std::array<double, std::size(checkpoints)> share{};  ///< speed of the best so far over that of the best of the pool
  double area = 0;                                     ///< mean share over the logarithm of the number of trials
  double to95 = 0;                                     ///< trials to 95 %; one more than there were for never
  bool reached = false;
  std::vector<double> curve;

  [[nodiscard]] double checkpoint() const {
    double sum = 0;
    for (auto const s : share) sum += s;
    return sum / static_cast<double>(share.size());
  }
};

/// The recorded points of a task in all runs, or in one half of them.
class pool {
 public:
  pool(task const& t, std::string const& runs)
      : name(t.name + " " + runs),
        of_(t),
        in_(ops::cuda_conv2d_template(t.shape)),
        plan_(make_plan(in_)),
        device_(device_of(t, in_, runs)) {
    auto const limits = ops::within_limits(in_, of_.shape);
    sampler const valid(limits.knobs, limits.constraints);
    for (auto const& c : device_.configurations())
      if (valid.valid(c)) within_.push_back(c);
  }
  std::string name;

  [[nodiscard]] bool empty() const { return device_.configurations().empty(); }
  [[nodiscard]] std::string sizes() const {
    return std::to_string(device_.configurations().size()) + " points, " + std::to_string(within_.size()) +
           " within the limits";
  }
  /// Computes what the loop needs; not thread-safe.
  void prepare(loop const& l) {
    for (auto const& set : feature_sets)
      if (set.name == l.features && !tables_.contains(table_of(l)))
        tables_.emplace(table_of(l),
                        std::make_unique<feature_table>(set, plan_, device_.configurations(), l.estimated > 0));
  }
  [[nodiscard]] outcome run(loop const& l, std::uint64_t seed) const {
    auto const& points = l.limited ? within_ : device_.configurations();
    auto const features =
        l.features.empty() ? row_writer([](auto const&, auto&) {}) : tables_.at(table_of(l))->writer();
    recorded_pool const within(points, l.search);
    auto const search =
        l.estimated > 0 ? any_search(estimated_start(within, features, l.estimated)) : any_search(within);
    auto const found = recorded_search(sampler(in_.knobs), device_, search, l.model ? l.model(seed) : any_cost_model(),
                                       features, {.trials = trials, .batch = 64, .seed = seed});
    auto const best = device_.best_seconds();
    outcome made;
    double weights = 0;
    for (std::size_t i = 1; i <= trials; ++i) {
      made.curve.push_back(found.share_of(best, i));
      made.area += made.curve.back() / static_cast<double>(i);
      weights += 1 / static_cast<double>(i);
    }
    made.area /= weights;
    for (std::size_t k = 0; k < std::size(checkpoints); ++k) made.share[k] = made.curve[checkpoints[k] - 1];
    auto const to95 = found.trials_to(best, 0.95);
    made.reached = to95.has_value();
    made.to95 = static_cast<double>(to95.value_or(trials + 1));
    return made;
  }

 private:
  /// The estimate needs all columns, the models only those that vary.
  [[nodiscard]] static std::string table_of(loop const& l) {
    return l.features + (l.estimated > 0 ? ", all columns" : "");
  }

  task of_;
  space in_;
  plan plan_;
  recorded_device device_;
  std::vector<configuration> within_;
  std::map<std::string, std::unique_ptr<feature_table>> tables_;
};

using outcomes = std::vector<std::vector<outcome>>;  ///< [loop][seed]

/// Runs all loops with all seeds; loops with one seed draw the same first batch from the same points.
outcomes run_all(pool& on, std::vector<loop> const& loops, int seeds, int threads) {
  for (auto const& l : loops) on.prepare(l);
  outcomes made(loops.size(), std::vector<outcome>(static_cast<std::size_t>(seeds)));
  std::atomic<std::size_t> next = 0;
  auto const work = [&] {
    for (std::size_t i = next++; i < loops.size() * static_cast<std::size_t>(seeds); i = next++) {
      auto const l = i / static_cast<std::size_t>(seeds), s = i % static_cast<std::size_t>(seeds);
      made[l][s] = on.run(loops[l], s + 1);
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (auto& t : others) t.join();
  return made;
}

/// A mean over the seeds and its standard error.
struct estimate {
  double value = 0;
  double error = 0;

  [[nodiscard]] std::string text(int digits) const {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%+.*f±%.*f%s", digits, value, digits, error,
                  std::abs(value) > 2 * error ? "*" : " ");
    return buffer;
  }
};
estimate estimate_of(std::vector<double> const& values) {
  return {mean(values), deviation(values) / std::sqrt(static_cast<double>(std::max<std::size_t>(values.size(), 1)))};
}

estimate paired(std::vector<outcome> const& a, std::vector<outcome> const& b, auto const& value) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(value(a[i]) - value(b[i]));
  return estimate_of(differences);
}
double mean_of(std::vector<outcome> const& runs, auto const& value) {
  std::vector<double> values;
  for (auto const& r : runs) values.push_back(value(r));
  return mean(values);
}
double checkpoint(outcome const& o) { return o.checkpoint(); }
double area(outcome const& o) { return o.area; }
double to95(outcome const& o) { return o.to95; }
double never(outcome const& o) { return o.reached ? 0 : 1; }

/// Writes each run, and a line for each loop; the difference is to each of the first `references` loops.
class report {
 public:
  report(std::string const& name, std::vector<loop> loops, std::size_t references)
      : name_(name),
        loops_(std::move(loops)),
        references_(references),
        runs_(out_file(name + ".csv")),
        lines_(out_file(name + "-summary.csv")) {
    runs_ << "pool,loop,seed,at32,at64,at128,at256,at512,checkpoints,area,to95\n";
    lines_ << "pool,loop,seeds,at32,at64,at128,at256,at512,checkpoints,area,to95,never";
    for (std::size_t r = 0; r < references_; ++r)
      for (auto const* const what : {"checkpoints", "area", "to95"})
        lines_ << ',' << what << " against " << loops_[r].name << ",standard error";
    lines_ << '\n';
  }
  void add(pool const& on, outcomes const& all) {
    std::printf("# %s: %s, %zu seeds; * beyond two standard errors\n", on.name.c_str(), on.sizes().c_str(),
                all[0].size());
    for (std::size_t l = 0; l < all.size(); ++l) {
      write_runs(on, l, all[l]);
      std::printf("%-8s %-30s %.4f area %.4f to95 %3.0f never %.2f", on.name.c_str(), loops_[l].name.c_str(),
                  mean_of(all[l], checkpoint), mean_of(all[l], area), mean_of(all[l], to95), mean_of(all[l], never));
      write_means(on, l, all[l]);
      for (std::size_t r = 0; r < references_; ++r) {
        auto const difference = paired(all[l], all[r], checkpoint);
        std::printf("  %s", difference.text(4).c_str());
        for (auto const& e : {difference, paired(all[l], all[r], area), paired(all[l], all[r], to95)})
          lines_ << ',' << e.value << ',' << e.error;
      }
      std::printf("\n");
      lines_ << '\n';
    }
    std::fflush(stdout);
    lines_.flush();
    runs_.flush();
    draw(on, all);
    all_.push_back(all);
  }
  /// Prints the means over the pools. Runs of two pools are independent but for the points that they share.
  void finish() const {
    auto const pools = static_cast<double>(all_.size());
    std::printf("# mean of %zu pools, against: ", all_.size());
    for (std::size_t r = 0; r < references_; ++r) std::printf("%s%s", r > 0 ? ", " : "", loops_[r].name.c_str());
    std::printf("; trials to 95 %% also as a ratio\n");
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      std::printf("mean     %-30s", loops_[l].name.c_str());
      double reached = 0, missed = 0;
      for (auto const& all : all_) {
        reached += mean_of(all[l], to95) / pools;
        missed += mean_of(all[l], never) / pools;
      }
      std::printf(" to95 %3.0f never %.2f", reached, missed);
      for (std::size_t r = 0; r < references_; ++r) {
        estimate sum;
        double logs = 0;
        for (auto const& all : all_) {
          auto const one = paired(all[l], all[r], checkpoint);
          sum.value += one.value / pools;
          sum.error += one.error * one.error / (pools * pools);
          logs += std::log(mean_of(all[l], to95) / mean_of(all[r], to95)) / pools;
        }
        sum.error = std::sqrt(sum.error);
        std::printf("  %s x%.2f", sum.text(4).c_str(), std::exp(logs));
      }
      std::printf("\n");
    }
  }

 private:
  void write_runs(pool const& on, std::size_t l, std::vector<outcome> const& runs) {
    for (std::size_t s = 0; s < runs.size(); ++s) {
      runs_ << on.name << ',' << loops_[l].name << ',' << s + 1;
      for (auto const share : runs[s].share) runs_ << ',' << share;
      runs_ << ',' << runs[s].checkpoint() << ',' << runs[s].area << ',' << runs[s].to95 << '\n';
    }
  }
  void write_means(pool const& on, std::size_t l, std::vector<outcome> const& runs) {
    lines_ << on.name << ',' << loops_[l].name << ',' << runs.size();
    for (std::size_t k = 0; k < std::size(checkpoints); ++k)
      lines_ << ',' << mean_of(runs, [k](outcome const& o) { return o.share[k]; });
    lines_ << ',' << mean_of(runs, checkpoint) << ',' << mean_of(runs, area) << ',' << mean_of(runs, to95) << ','
           << mean_of(runs, never);
  }
  void draw(pool const& on, outcomes const& all) const {
    std::vector<svg_curve> curves;
    for (std::size_t l = 0; l < all.size(); ++l) {
      svg_curve c{loops_[l].name, {}, {}};
      for (std::size_t i = 0; i < trials; ++i) {
        std::vector<double> at;
        for (auto const& o : all[l]) at.push_back(100 * o.curve[i]);
        auto const e = estimate_of(at);
        c.mean.push_back(e.value);
        c.spread.push_back(e.error);
      }
      curves.push_back(std::move(c));
    }
    auto file = name_ + "-" + on.name + ".svg";
    std::ranges::replace(file, ' ', '-');
    write_svg(out_file(file), on.name + " (recorded)", "best so far, % of the best of all; standard error", curves);
  }

  std::string name_;
  std::vector<loop> loops_;
  std::size_t references_;
  std::ofstream runs_, lines_;
  std::vector<outcomes> all_;
};

void run_on(std::string const& name, std::vector<loop> const& loops, std::size_t references,
            std::vector<std::string> const& task_names, std::vector<std::string> const& halves, options const& chosen) {
  report to(name, loops, references);
  for (auto const& t : tasks)
    for (auto const& runs : halves) {
      if (std::ranges::find(task_names, t.name) == task_names.end()) continue;
      pool on(t, runs);
      if (on.empty()) {
        std::printf("%s: no logs of %s: nothing can be compared\n", name.c_str(), t.name.c_str());
        return;
      }
      to.add(on, run_all(on, loops, std::max(chosen.samples, 1), std::max(chosen.threads, 1)));
    }
  to.finish();
}

auto const by_autotvm = [](std::uint64_t seed) { return any_cost_model(autotvm_model(seed)); };
auto const by_boosting = [](std::uint64_t seed) { return any_cost_model(xgboost({.held_out = 0, .seed = seed})); };
auto const by_forest(forest_model_options o) {
  return [o](std::uint64_t seed) mutable {
    o.held_out = 0;
    o.seed = seed;
    return any_cost_model(forest_model(o));
  };
}

loop limited(loop l) {
  l.name += " within limits";
  l.limited = true;
  return l;
}
loop estimated(loop l) {
  l.name += " with estimate";
  l.estimated = 0.25;
  return l;
}

constexpr std::size_t references = 4;  // the loops of AutoTVM, without and with the device's limits

std::vector<loop> all_loops() {
  loop const knob{"knob (AutoTVM)", "knob", by_autotvm}, itervar{"itervar (AutoTVM)", "itervar", by_autotvm};
  loop const random{"random", "", {}};
  loop const linear{"linear", "ttune", [](std::uint64_t seed) { return any_cost_model(linear_model({.seed = seed})); }};
  loop const boosted{"boosted trees", "ttune", by_boosting};
  loop const mean{"forest mean", "ttune", by_forest({.trees_per_opinion = forest_model_options{}.trees})};
  loop const forest{"forest", "ttune", by_forest({})};
  std::vector<loop> made = {knob, itervar, limited(knob), limited(itervar), random, limited(random), limited(linear)};
  for (auto const& l : {boosted, limited(boosted), limited(mean), forest, limited(forest)}) made.push_back(l);
  for (auto const& l : {boosted, forest}) made.push_back(limited(estimated(l)));
  return made;
}

std::vector<loop> forest_variants() {
  std::vector<loop> made;
  auto const add = [&](std::string const& name, forest_model_options const& o, recorded_pool_options const& s = {}) {
    made.push_back({name, "ttune", by_forest(o), false, s});
  };
  add("default", {});
  for (auto const trees : {32, 128}) add(std::to_string(trees) + " trees", {.trees = trees});
  for (auto const share : {.15, .25, .7, 1.})
    add("columns " + std::to_string(share).substr(0, 4), {.column_share = share});
  for (auto const trees : {2, 4, 8, 64}) add(std::to_string(trees) + " trees an opinion", {.trees_per_opinion = trees});
  for (auto const share : {0., .1, .2})
    add("exploration " + std::to_string(share).substr(0, 3), {}, {.exploration = share});
  return made;
}

add_live compare_on(std::string const& name, std::vector<std::string> const& task_names) {
  return {name, [=](options const& chosen) {
            run_on(name, all_loops(), references, task_names, {"all", "choose", "judge"}, chosen);
          }};
}

add_live const both = compare_on("yardstick", {"c12", "c7"});
add_live const c12 = compare_on("yardstick-c12", {"c12"});
add_live const c7 = compare_on("yardstick-c7", {"c7"});
add_live const constants("forest-constants", [](options const& chosen) {
  run_on("forest-constants", forest_variants(), 1, {"c12", "c7"}, {"choose"}, chosen);
});

}  // namespace
