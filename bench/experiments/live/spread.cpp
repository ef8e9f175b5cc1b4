// SPDX-License-Identifier: Apache-2.0
// Measures how much the results of several seeds differ.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "../../statistics.hpp"
#include "../live.hpp"
#include "tuning.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

/// Tunes with several seeds and times the kernels alternately.
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

add_live_of_layers const added("live-spread", {"C2", "C6", "C9", "C12"}, spread_of_seeds);

}  // namespace
