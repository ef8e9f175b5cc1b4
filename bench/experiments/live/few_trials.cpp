// SPDX-License-Identifier: Apache-2.0
// Compares results of few trials with results of many.
#include <ttune/records/sqlite.hpp>

#include <algorithm>
#include <cstdint>
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

constexpr std::int64_t few = 64;

/// Returns for each seed the speed after few trials, divided by the speed after many. Empty if a kernel fails.
std::vector<double> shares_of_seeds(bench_tuner const& with, subject const& s, int seeds, kernel_image const& by_many) {
  std::vector<kernel_image> kernels;
  for (int seed = 1; seed <= seeds; ++seed)
    kernels.push_back(with.tune(s, {.trials = few, .seed = static_cast<std::uint64_t>(seed)}).found.image);
  kernels.push_back(by_many);
  auto shares = with.time_in_turns(s, kernels);
  if (shares.empty()) return shares;
  auto const best = shares.back();
  shares.pop_back();
  for (auto& seconds : shares) seconds = best / seconds;
  return shares;
}

void few_against_many(options const& chosen) {
  bench_tuner const with(chosen);
  auto const many = trials_of(chosen, 4000);
  auto subjects = convolutions({}, with.machine());
  for (auto& s : products(with.machine(), 1 << 20, 1 << 30)) subjects.push_back(std::move(s));
  sqlite known(out_file("live-many-" + std::to_string(many) + ".db"));
  std::ofstream csv(out_file("live-few.csv"));
  csv << "workload,seed,trials,share\n";
  std::printf("live-few: share of the speed that %lld trials found, of %lld trials, kernels timed in turns\n",
              static_cast<long long>(many), static_cast<long long>(few));
  std::vector<double> means;
  for (auto const& s : subjects) {
    auto const by_many = with.tune_once(s, known, many);
    auto const shares = shares_of_seeds(with, s, std::max(chosen.samples, 1), by_many);
    for (std::size_t i = 0; i < shares.size(); ++i)
      csv << s.name << ',' << i + 1 << ',' << few << ',' << shares[i] << '\n';
    csv.flush();
    if (shares.empty()) {
      std::printf("live-few %-14s cannot be timed\n", s.name.c_str());
      continue;
    }
    means.push_back(mean(shares));
    std::printf("live-few %-14s %.3f of %zu seeds, least %.3f, standard deviation %.1f %%\n", s.name.c_str(),
                means.back(), shares.size(), std::ranges::min(shares), 100 * deviation(shares) / means.back());
    std::fflush(stdout);
  }
  std::printf("live-few geometric mean %.3f\n", geometric_mean(means));
}

add_live const added("live-few", few_against_many);

}  // namespace
