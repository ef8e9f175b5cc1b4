// SPDX-License-Identifier: Apache-2.0
// What a benchmark is asked for on the command line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ttune_bench {

struct options {
  std::vector<std::string> suites;
  std::string json;                  ///< file to which the lines are appended; empty: none
  std::vector<std::string> cases;    ///< only these; empty: all
  std::vector<std::string> systems;  ///< only these; empty: all
  std::vector<std::string> shapes;   ///< in place of the suite's own cases, as "33x1000x77"
  double budget_seconds = 60;        ///< of tuning, a case
  bool has_budget = false;           ///< --budget was given
  std::int64_t trials = 0;           ///< of tuning, a case; 0: as many as the budget allows
  double numerics = 0;               ///< error allowed over that of direct sums; 0: they may only be reordered
  std::string mode;                  ///< of layouts; empty: the suite's first
  bool cold = false;                 ///< operands in no cache when a call begins
  bool vary = false;                 ///< each case also with other extents nearby
  int threads = 0;                   ///< set by parse: --threads, OMP_NUM_THREADS or the cores of this process
  int samples = 21;
  bool fastest = false;          ///< the fastest sample counts, not the median: on machines that others use
  double sample_seconds = 5e-3;  ///< a sample calls as often as it takes for that
  double pause_seconds = 0.04;   ///< before another system's turn: threads of the last one spin that long

  [[nodiscard]] bool wants_case(std::string const& name) const {
    return cases.empty() || std::ranges::find(cases, name) != cases.end();
  }
  [[nodiscard]] bool wants_system(std::string const& name) const {
    return systems.empty() || std::ranges::find(systems, name) != systems.end();
  }
};

/// Throws std::invalid_argument with a sentence.
[[nodiscard]] options parse(int argc, char** argv);
[[nodiscard]] std::string usage();

}  // namespace ttune_bench
