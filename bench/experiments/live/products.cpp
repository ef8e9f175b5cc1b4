// SPDX-License-Identifier: Apache-2.0
// Measures how much records of matrix products help convolutions.
#include <ttune/records/memory_store.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../statistics.hpp"
#include "../live.hpp"
#include "../svg.hpp"
#include "tuning.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

/// Curves of one layer, one start and one system, one run per seed.
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

/// Tunes convolutions with records of matrix products only, with the untuned kernel as first trial and without it.
void products_to_convolutions(options const& chosen, std::string const& name, std::vector<std::string> const& layers) {
  bench_tuner const with(chosen);
  auto const trials = trials_of(chosen, 64);
  auto const known = std::make_shared<memory_store>();
  auto const sources = products(with.machine(), 1 << 20, 1 << 28);
  for (auto const& s : sources) (void)with.tune(s, {.trials = trials, .records = known});
  std::printf("live-products: %zu products, %lld records\n", sources.size(), static_cast<long long>(known->count()));

  std::ofstream csv(out_file(name + ".csv"));
  csv << "layer,start,system,seed,trials_to_95,gflops\n";
  std::map<std::pair<std::string, std::string>, std::vector<double>> to95;  // (start, system) -> one mean per layer
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

add_live_of_layers const added("live-products", {"C2", "C6", "C9", "C12"}, products_to_convolutions);

}  // namespace
