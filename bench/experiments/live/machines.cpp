// SPDX-License-Identifier: Apache-2.0
// Measures how much the records of another machine help: those of this processor's older instructions, on one core.
#include <ttune/core/named_target.hpp>
#include <ttune/records/sqlite.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "../../statistics.hpp"
#include "../live.hpp"
#include "tuning.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

constexpr std::int64_t few = 16;
constexpr char const* sources_of_knowledge[] = {"untuned", "nothing", "other machine", "nothing, untuned withheld",
                                                "other machine, untuned withheld"};

/// Returns a machine that has the caches of another one, narrower vectors and one core.
target older_machine(target const& machine) {
  auto made = named_target(machine.vector_bytes > 32 ? "x86-64-v3" : "x86-64-v2", machine);
  made.cores = 1;
  return made;
}

std::vector<subject> all_subjects(target const& machine) {
  auto made = convolutions({}, machine);
  for (auto& s : products(machine, 1 << 24, std::int64_t{1} << 31)) made.push_back(std::move(s));
  return made;
}

/// Returns kernels of a subject, in the order of `sources_of_knowledge`.
std::vector<kernel_image> tuned_in_few_trials(bench_tuner const& with, subject const& s, record_store const& known,
                                              std::uint64_t seed) {
  setting const settings[] = {{.trials = 1},
                              {.trials = few, .seed = seed},
                              {.trials = few, .seed = seed, .records = copy_of(known)},
                              {.trials = few, .seed = seed, .withhold_seed = true},
                              {.trials = few, .seed = seed, .withhold_seed = true, .records = copy_of(known)}};
  std::vector<kernel_image> made;
  for (auto const& how : settings) made.push_back(with.tune(s, how).found.image);
  return made;
}

/// Tunes each subject in 16 trials with the records of the older machine, and compares with many trials without
/// records.
void machines_from_machines(options const& chosen) {
  bench_tuner const with(chosen);
  if (!with.machine().triple.starts_with("x86_64")) {
    std::printf("live-machines: knows older instructions of x86-64 only\n");
    return;
  }
  bench_tuner const other(older_machine(with.machine()));
  auto const many = trials_of(chosen, 1000);
  sqlite wanted(out_file("live-many-" + std::to_string(many) + ".db"));
  sqlite known(out_file("live-older-machine-256.db"));
  for (auto const& s : all_subjects(other.machine())) (void)other.tune_once(s, known, 256);
  std::ofstream csv(out_file("live-machines.csv"));
  csv << "subject,knowledge,seed,trials,share\n";
  std::printf(
      "live-machines: share of the speed that %lld trials from nothing found, kernels timed in turns; %lld "
      "trials; records of %s on %d core\n",
      static_cast<long long>(many), static_cast<long long>(few), other.machine().name.c_str(), other.machine().cores);
  std::vector<std::vector<double>> shares(std::size(sources_of_knowledge));
  for (auto const& s : all_subjects(with.machine())) {
    auto const best = with.tune_once(s, wanted, many);
    std::printf("live-machines %-14s", s.name.c_str());
    for (int seed = 1; seed <= std::max(chosen.samples, 1); ++seed) {
      auto kernels = tuned_in_few_trials(with, s, known, static_cast<std::uint64_t>(seed));
      kernels.push_back(best);
      auto const seconds = with.time_in_turns(s, kernels);
      for (std::size_t k = 0; k + 1 < seconds.size(); ++k) {
        shares[k].push_back(seconds.back() / seconds[k]);
        csv << s.name << ',' << sources_of_knowledge[k] << ',' << seed << ',' << (k == 0 ? 1 : few) << ','
            << shares[k].back() << '\n';
        std::printf(" %.3f", shares[k].back());
      }
    }
    std::printf("\n");
    std::fflush(stdout);
    csv.flush();
  }
  for (std::size_t k = 0; k < shares.size(); ++k)
    std::printf("live-machines %s: %.3f, least %.3f\n", sources_of_knowledge[k], geometric_mean(shares[k]),
                *std::ranges::min_element(shares[k]));
}

add_live const added("live-machines", machines_from_machines);

}  // namespace
