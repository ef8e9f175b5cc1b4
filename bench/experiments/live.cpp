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
    constexpr int rounds = 15;
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
void products_to_convolutions(options const& chosen, std::string const& name, std::vector<std::string> const& layers) {
  bench_tuner const with(chosen);
  auto const trials = trials_of(chosen, 64);
  auto const known = std::make_shared<memory_store>();
  auto const sources = products(with.machine());
  for (auto const& s : sources) (void)with.tune(s, {.trials = trials, .records = known});
  std::printf("live-products: %zu products, %lld records\n", sources.size(), static_cast<long long>(known->count()));

  std::ofstream csv(out_file(name + ".csv"));
  csv << "layer,start,system,seed,trials_to_95,gflops\n";
  std::map<std::pair<std::string, std::string>, std::vector<double>> to95;  // (start, system) -> a mean for each layer
  for (auto const& s : convolutions(layers, with.machine())) {
    std::map<std::string, std::vector<runs_of>> by_start;
    double best = std::numeric_limits<double>::infinity();
    for (std::string const start : {"seed", "withheld"}) {
      auto& all = by_start[start];
      for (auto const* const system : systems) all.push_back({system, {}});
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
      csv.flush();
      write_svg(out_file("live-products-" + s.name + "-" + start + ".svg"),
                s.name + ", records of matrix products; first trial: " +
                    (start == "seed" ? "the untuned kernel" : "a random configuration"),
                "best GFLOP/s", curves);
    }
  }
  for (std::string const start : {"seed", "withheld"}) {
    auto const alone = geometric_mean(to95[{start, systems[0]}]);
    std::printf("live-products %s: trials to 95 %%, geometric mean:", start.c_str());
    for (auto const* const system : systems) {
      auto const needed = geometric_mean(to95[{start, system}]);
      std::printf("  %s %.1f (x %.2f)", system, needed, needed / alone);
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

constexpr std::int64_t few = 16;
constexpr char const* sources_of_knowledge[] = {"untuned", "nothing", "other layers", "other layers and model"};

/// Kernels of one layer, in the order of `sources_of_knowledge`.
std::vector<kernel_image> tuned_in_few_trials(bench_tuner const& with, subject const& s,
                                              std::vector<subject> const& layers, record_store const& known,
                                              std::uint64_t seed) {
  auto const others = without(known, key_of(s.in, with.machine(), objective::warm));
  auto const by_model = model_with_base(layers, *others, with.machine());
  setting const settings[] = {{.trials = 1},
                              {.trials = few, .seed = seed},
                              {.trials = few, .seed = seed, .records = copy_of(*others)},
                              {.trials = few, .seed = seed, .records = copy_of(*others), .model = by_model}};
  std::vector<kernel_image> made;
  for (auto const& how : settings) made.push_back(with.tune(s, how).found.image);
  return made;
}

/// Each layer in 16 trials from records of the other eleven, against many trials from nothing.
void layers_from_layers(options const& chosen) {
  bench_tuner const with(chosen);
  auto const many = trials_of(chosen, 1000);
  auto const layers = convolutions({}, with.machine());
  sqlite known(out_file("live-layers-" + std::to_string(many) + ".db"));
  auto const wanted = tuned_layers(with, layers, known, many);
  std::ofstream csv(out_file("live-layers.csv"));
  csv << "layer,knowledge,seed,trials,share\n";
  std::printf(
      "live-layers: share of the speed that %lld trials from nothing found, kernels timed in turns; %lld trials\n",
      static_cast<long long>(many), static_cast<long long>(few));
  std::vector<std::vector<double>> shares(std::size(sources_of_knowledge));  // geometric means of the seeds
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const& s = layers[i];
    std::vector<std::vector<double>> of_layer(shares.size());
    for (int seed = 1; seed <= std::max(chosen.samples, 1); ++seed) {
      auto kernels = tuned_in_few_trials(with, s, layers, known, static_cast<std::uint64_t>(seed));
      kernels.push_back(wanted[i]);
      auto const seconds = with.time_in_turns(s, kernels);
      for (std::size_t k = 0; k + 1 < seconds.size(); ++k) {
        of_layer[k].push_back(seconds.back() / seconds[k]);
        csv << s.name << ',' << sources_of_knowledge[k] << ',' << seed << ',' << (k == 0 ? 1 : few) << ','
            << of_layer[k].back() << '\n';
      }
    }
    std::printf("live-layers %-5s", s.name.c_str());
    for (std::size_t k = 0; k < shares.size() && !of_layer[k].empty(); ++k) {
      shares[k].push_back(geometric_mean(of_layer[k]));
      std::printf("  %s %.3f", sources_of_knowledge[k], shares[k].back());
    }
    std::printf("\n");
    std::fflush(stdout);
    csv.flush();
  }
  std::printf("live-layers mean ");
  for (std::size_t k = 0; k < shares.size(); ++k)
    std::printf("  %s %.3f", sources_of_knowledge[k], geometric_mean(shares[k]));
  std::printf("\n");
}

// -------------------------------------------------------------------------------------------------------- spread

/// Kernels of several seeds, timed in turns.
void spread_of_seeds(options const& chosen, std::string const& name, std::vector<std::string> const& layers) {
  bench_tuner const with(chosen);
  auto const trials = trials_of(chosen, 256);
  std::ofstream csv(out_file(name + ".csv"));
  csv << "layer,seed,trials,gflops\n";
  for (auto const& s : convolutions(layers, with.machine())) {
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
    csv.flush();
  }
}

/// "live-spread", and "live-spread-C6" for one layer: where the machine is only to be had for a minute.
bool const added = [] {
  std::vector<std::string> const all = {"C2", "C6", "C9", "C12"};
  auto const add = [](std::string const& behind, std::vector<std::string> const& layers) {
    live_experiments().push_back({"live-products" + behind, [behind, layers](options const& chosen) {
                                    products_to_convolutions(chosen, "live-products" + behind, layers);
                                  }});
    live_experiments().push_back({"live-spread" + behind, [behind, layers](options const& chosen) {
                                    spread_of_seeds(chosen, "live-spread" + behind, layers);
                                  }});
  };
  add("", all);
  for (auto const& layer : all) add("-" + layer, {layer});
  live_experiments().push_back({"live-layers", layers_from_layers});
  return true;
}();

}  // namespace
