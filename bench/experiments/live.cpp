// SPDX-License-Identifier: Apache-2.0
// What knowledge of other workloads is worth on this machine's processor, and how far results of several seeds lie
// apart. Who else uses the machine shows: systems take turns, and kernels are compared in pairs at the end.
#include "live.hpp"

#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/memory_store.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/record_keys.hpp>
#include <ttune/tune/transfer_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "../problem.hpp"
#include "svg.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

/// A workload that is tuned, again and again.
struct subject {
  std::string name;
  space in;
};

subject convolution(conv_shape const& s, target const& machine) {
  ops::conv2d_shape const shape{s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding};
  return {s.name, derive_space(ops::conv2d(shape).program(), machine)};
}

std::vector<subject> convolutions(std::vector<std::string> const& names, target const& machine) {
  std::vector<subject> made;
  for (auto const& s : conv_cases())
    if (names.empty() || std::ranges::find(names, s.name) != names.end()) made.push_back(convolution(s, machine));
  return made;
}

/// Products of all sizes, on all cores.
std::vector<subject> products(target const& machine) {
  std::vector<subject> made;
  for (auto const& s : gemm_cases())
    if (s.m * s.n * s.k >= 1 << 20 && s.m * s.n * s.k <= 1 << 28 && s.threads == 0)
      made.push_back({s.name, derive_space(ops::matmul(s.m, s.n, s.k).program(), machine)});
  return made;
}

std::shared_ptr<memory_store> copy_of(record_store const& from) {
  auto made = std::make_shared<memory_store>();
  merge_records(from, *made);
  return made;
}

/// All but what is known of one key.
std::shared_ptr<memory_store> without(record_store const& from, record_key const& left_out) {
  auto made = std::make_shared<memory_store>();
  from.for_each([&](record const& r) {
    if (r.key != left_out) made->append(r);
    return true;
  });
  for (auto const& l : from.lessons())
    if (l.of != left_out) made->put_lesson(l);
  return made;
}

/// A model that has learned from the records of some workloads.
any_cost_model model_with_base(std::vector<subject> const& sources, record_store const& records,
                               target const& machine) {
  std::vector<float> rows;
  std::vector<model_target> targets;
  std::int32_t group = 0;
  for (auto const& s : sources) {
    auto const found = records.all(key_of(s.in, machine, objective::warm));
    double best = std::numeric_limits<double>::infinity();
    for (auto const& r : found)
      if (r.result.ok()) best = std::min(best, r.result.seconds);
    if (!std::isfinite(best)) continue;
    workload const work(s.in, machine);
    for (auto const& r : found) {
      auto const chosen = find_configuration(s.in.knobs, r.choices);
      if (!chosen) continue;
      bool const timed = r.result.ok() || r.result.status == trial_status::cut_off;
      work.featurise(std::span(&*chosen, 1), rows);
      targets.push_back({timed ? static_cast<float>(best / r.result.seconds) : 0.0F, !timed, group});
    }
    ++group;
  }
  transfer_model made([] { return any_cost_model(xgboost{}); });
  if (!targets.empty()) made.learn_base({rows.data(), targets.size(), feature_count}, targets);
  return made;
}

/// How a workload is tuned.
struct setting {
  std::int64_t trials = 64;
  std::uint64_t seed = 1;
  bool withhold_seed = false;  ///< a configuration drawn at random takes the place of the untuned kernel
  std::shared_ptr<memory_store> records = std::make_shared<memory_store>();
  any_cost_model model = xgboost{};
};

struct outcome {
  tuning_result found;
  std::vector<double> best_seconds;  ///< [trial]

  /// Trials until a time was reached; one more than there were: never.
  [[nodiscard]] double trials_to(double seconds) const {
    auto const at = std::ranges::find_if(best_seconds, [&](double s) { return s <= seconds; });
    return static_cast<double>(at - best_seconds.begin() + 1);
  }
};

class bench_tuner {
 public:
  explicit bench_tuner(options const& chosen)
      : compiler_(std::make_shared<orc_backend>()), pool_(std::make_shared<thread_pool>(chosen.threads)) {}

  [[nodiscard]] target const& machine() const { return compiler_->target(); }

  [[nodiscard]] outcome tune(subject const& s, setting const& how) const {
    outcome made;
    tuner with(compiler_, {.model = how.model,
                           .records = how.records,
                           .executor = pool_,
                           .seed = how.seed,
                           .on_progress = [&](progress const& p) {
                             if (!p.finished) made.best_seconds.push_back(p.best_seconds);
                           }});
    auto in = s.in;
    if (how.withhold_seed) {
      rng random(how.seed);
      in.seed = sampler(in.knobs, in.constraints).draw(random);
    }
    made.found = with.tune(in, {.trials = how.trials});
    return made;
  }

  /// Seconds of each kernel, measured in turns: the medians of some rounds.
  [[nodiscard]] std::vector<double> time_in_turns(subject const& s, std::vector<kernel_image> const& kernels) const {
    constexpr int rounds = 9;
    workload const work(s.in, machine());
    measurer on(worker::program{}, work.signature(),
                bench_options{1, objective::warm, pool_->threads(), 2 * machine().l3_bytes});
    std::vector<std::vector<double>> all(kernels.size());
    if (!on.set_reference(kernels.front(), trial_limits{}).ok()) return {};
    for (int r = 0; r < rounds; ++r)
      for (std::size_t i = 0; i < kernels.size(); ++i)
        if (auto const m = on.measure(kernels[i], trial_limits{}); m.ok()) all[i].push_back(m.seconds);
    std::vector<double> medians;
    for (auto& samples : all) {
      if (samples.empty()) return {};
      std::ranges::sort(samples);
      medians.push_back(samples[samples.size() / 2]);
    }
    return medians;
  }

 private:
  std::shared_ptr<orc_backend> compiler_;
  std::shared_ptr<thread_pool> pool_;
};

double mean(std::vector<double> const& values) {
  double sum = 0;
  for (auto const v : values) sum += v;
  return sum / static_cast<double>(values.size());
}
double deviation(std::vector<double> const& values) {
  if (values.size() < 2) return 0;
  auto const m = mean(values);
  double sum = 0;
  for (auto const v : values) sum += (v - m) * (v - m);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}
double geometric_mean(std::vector<double> const& values) {
  double sum = 0;
  for (auto const v : values) sum += std::log(v);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::int64_t trials_of(options const& chosen, std::int64_t otherwise) {
  return chosen.trials > 0 ? chosen.trials : otherwise;
}

// ------------------------------------------------------------------------------------- products to convolutions

/// Curves of one layer, one start and one system, a run each seed.
struct runs_of {
  std::string system;
  std::vector<outcome> runs;

  [[nodiscard]] svg_curve curve(double flops, std::size_t trials) const {
    svg_curve made{system, {}, {}};
    for (std::size_t t = 0; t < trials; ++t) {
      std::vector<double> rates;
      for (auto const& r : runs) rates.push_back(1e-9 * flops / r.best_seconds[std::min(t, r.best_seconds.size() - 1)]);
      made.mean.push_back(mean(rates));
      made.spread.push_back(deviation(rates));
    }
    return made;
  }
};

constexpr char const* systems[] = {"scratch", "proposals", "proposals and model"};

/// Records of matrix products only, then convolutions: with the untuned kernel as first trial, and without.
void products_to_convolutions(options const& chosen) {
  bench_tuner const with(chosen);
  auto const trials = trials_of(chosen, 64);
  auto const known = std::make_shared<memory_store>();
  auto const sources = products(with.machine());
  for (auto const& s : sources) (void)with.tune(s, {.trials = trials, .records = known});
  std::printf("live-products: %zu products, %lld records\n", sources.size(), static_cast<long long>(known->count()));

  std::ofstream csv(out_file("live-products.csv"));
  csv << "layer,start,system,seed,trials_to_95,gflops\n";
  std::map<std::pair<std::string, std::string>, std::vector<double>> to95;  // (start, system) -> a mean for each layer
  for (auto const& s : convolutions({"C2", "C6", "C9", "C12"}, with.machine())) {
    std::map<std::string, std::vector<runs_of>> by_start;
    double best = std::numeric_limits<double>::infinity();
    for (std::string const start : {"seed", "withheld"}) {
      auto& all = by_start[start];
      for (auto const* const name : systems) all.push_back({name, {}});
      for (int seed = 1; seed <= std::max(chosen.samples, 1); ++seed)
        for (std::size_t i = 0; i < all.size(); ++i) {
          setting how{.trials = trials, .seed = static_cast<std::uint64_t>(seed), .withhold_seed = start != "seed"};
          if (i > 0) how.records = copy_of(*known);
          if (i > 1) how.model = model_with_base(sources, *known, with.machine());
          all[i].runs.push_back(with.tune(s, how));
          best = std::min(best, all[i].runs.back().best_seconds.back());
        }
    }
    for (auto const& [start, all] : by_start) {
      std::vector<svg_curve> curves;
      auto const flops = all[0].runs[0].found.report.flops;
      std::printf("live-products %-4s %-9s", s.name.c_str(), start.c_str());
      for (auto const& one : all) {
        std::vector<double> needed, rates;
        for (std::size_t i = 0; i < one.runs.size(); ++i) {
          needed.push_back(one.runs[i].trials_to(best / 0.95));
          rates.push_back(1e-9 * flops / one.runs[i].best_seconds.back());
          csv << s.name << ',' << start << ',' << one.system << ',' << i + 1 << ',' << needed.back() << ','
              << rates.back() << '\n';
        }
        to95[{start, one.system}].push_back(mean(needed));
        std::printf("  %s: %.1f trials to 95 %%, %.1f GFLOP/s", one.system.c_str(), mean(needed), mean(rates));
        curves.push_back(one.curve(flops, static_cast<std::size_t>(trials)));
      }
      std::printf("\n");
      std::fflush(stdout);
      write_svg(out_file("live-products-" + s.name + "-" + start + ".svg"),
                s.name + ", records of matrix products; first trial: " +
                    (start == "seed" ? "the untuned kernel" : "a random configuration"),
                "best GFLOP/s", curves);
    }
  }
  for (std::string const start : {"seed", "withheld"}) {
    auto const alone = geometric_mean(to95[{start, systems[0]}]);
    std::printf("live-products %s: trials to 95 %%, geometric mean:", start.c_str());
    for (auto const* const name : systems) {
      auto const needed = geometric_mean(to95[{start, name}]);
      std::printf("  %s %.1f (x %.2f)", name, needed, needed / alone);
    }
    std::printf("\n");
  }
}

// ---------------------------------------------------------------------------------------------- the other layers

/// What many trials from nothing found for each layer, kept in a file: a call that was ended goes on where it was.
std::vector<kernel_image> tuned_layers(bench_tuner const& with, std::vector<subject> const& layers, sqlite& known,
                                       std::int64_t trials) {
  std::vector<kernel_image> made;
  for (auto const& s : layers) {
    auto const key = key_of(s.in, with.machine(), objective::warm);
    auto const own =
        known.best(key) ? copy_of(known) : std::make_shared<memory_store>();  // found, or made from nothing
    made.push_back(with.tune(s, {.trials = trials, .records = own}).found.image);
    known.append_all(*own);
    std::fprintf(stderr, "live-layers: %s tuned\n", s.name.c_str());
  }
  return made;
}

/// Each layer in 16 trials from records of the other eleven, against many trials from nothing.
void layers_from_layers(options const& chosen) {
  constexpr std::int64_t few = 16;
  bench_tuner const with(chosen);
  auto const many = trials_of(chosen, 1000);
  auto const layers = convolutions({}, with.machine());
  sqlite known(out_file("live-layers-" + std::to_string(many) + ".db"));
  auto const wanted = tuned_layers(with, layers, known, many);
  std::ofstream csv(out_file("live-layers.csv"));
  csv << "layer,system,trials,share\n";
  std::printf(
      "live-layers: share of the speed that %lld trials from nothing found, kernels timed in turns\n"
      "live-layers %-4s %10s %14s %22s %26s\n",
      static_cast<long long>(many), "", "untuned", "16, nothing", "16, other layers", "16, other layers, model");
  std::vector<std::vector<double>> shares(4);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const& s = layers[i];
    auto const others = without(known, key_of(s.in, with.machine(), objective::warm));
    std::vector<kernel_image> kernels = {wanted[i]};
    kernels.push_back(with.tune(s, {.trials = 1}).found.image);
    kernels.push_back(with.tune(s, {.trials = few}).found.image);
    kernels.push_back(with.tune(s, {.trials = few, .records = copy_of(*others)}).found.image);
    kernels.push_back(with.tune(s, {.trials = few,
                                    .records = copy_of(*others),
                                    .model = model_with_base(layers, *others, with.machine())})
                          .found.image);
    auto const seconds = with.time_in_turns(s, kernels);
    if (seconds.empty()) {
      std::printf("live-layers %-4s cannot be timed\n", s.name.c_str());
      continue;
    }
    std::printf("live-layers %-4s", s.name.c_str());
    for (std::size_t k = 0; k < shares.size(); ++k) {
      shares[k].push_back(seconds[0] / seconds[k + 1]);
      std::printf(" %*.3f", k == 0 ? 10 : k == 1 ? 14 : k == 2 ? 22 : 26, shares[k].back());
      constexpr char const* names[] = {"untuned", "nothing", "other layers", "other layers and model"};
      csv << s.name << ',' << names[k] << ',' << (k == 0 ? 1 : few) << ',' << shares[k].back() << '\n';
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("live-layers mean %10.3f %14.3f %22.3f %26.3f   (geometric)\n", geometric_mean(shares[0]),
              geometric_mean(shares[1]), geometric_mean(shares[2]), geometric_mean(shares[3]));
}

// -------------------------------------------------------------------------------------------------------- spread

/// Kernels of several seeds, timed in turns.
void spread_of_seeds(options const& chosen) {
  bench_tuner const with(chosen);
  auto const trials = trials_of(chosen, 256);
  std::ofstream csv(out_file("live-spread.csv"));
  csv << "layer,seed,trials,gflops\n";
  for (auto const& s : convolutions({"C2", "C6", "C9", "C12"}, with.machine())) {
    std::vector<kernel_image> kernels;
    double flops = 0;
    for (int seed = 1; seed <= std::max(chosen.samples, 1); ++seed) {
      auto made = with.tune(s, {.trials = trials, .seed = static_cast<std::uint64_t>(seed)});
      flops = made.found.report.flops;
      kernels.push_back(std::move(made.found.image));
    }
    auto const seconds = with.time_in_turns(s, kernels);
    std::vector<double> rates;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      rates.push_back(1e-9 * flops / seconds[i]);
      csv << s.name << ',' << i + 1 << ',' << trials << ',' << rates.back() << '\n';
    }
    if (rates.empty()) {
      std::printf("live-spread %-4s cannot be timed\n", s.name.c_str());
      continue;
    }
    std::printf("live-spread %-4s %zu seeds, %lld trials each: %.1f GFLOP/s, standard deviation %.2f %% of that\n",
                s.name.c_str(), rates.size(), static_cast<long long>(trials), mean(rates),
                100 * deviation(rates) / mean(rates));
    std::fflush(stdout);
  }
}

add_live_experiment const one{{"live-products", products_to_convolutions}};
add_live_experiment const two{{"live-layers", layers_from_layers}};
add_live_experiment const three{{"live-spread", spread_of_seeds}};

}  // namespace
