// SPDX-License-Identifier: Apache-2.0
// Options of a benchmark on the command line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ttune_bench {

struct options {
  std::vector<std::string> suites;
  std::string json;                  ///< file to which the lines are appended; empty for none
  std::vector<std::string> cases;    ///< cases to run; empty for all
  std::vector<std::string> systems;  ///< systems to run; empty for all
  std::vector<std::string> shapes;   ///< shapes instead of the suite's own cases, as "33x1000x77"
  double budget_seconds = 60;        ///< tuning time per case
  bool has_budget = false;           ///< --budget was given
  std::int64_t trials = 0;           ///< trials per case; 0: as many as the budget allows
  double numerics = 0;               ///< allowed error relative to direct sums; 0: sums may only be reordered
  std::string mode;                  ///< mode of layouts; empty for the suite's first mode
  bool cold = false;                 ///< operands are in no cache when a call begins
  bool vary = false;                 ///< runs each case also with similar extents
  int threads = 0;                   ///< set by parse: --threads, OMP_NUM_THREADS or the cores of this process
  int samples = 21;
  bool fastest = false;          ///< the fastest sample counts, not the median: for machines that others use, too
  double sample_seconds = 5e-3;  ///< duration of a sample, filled with calls
  double pause_seconds = 0.04;   ///< pause before the next system: threads of the previous one spin that long

  [[nodiscard]] bool wants_case(std::string const& name) const {
    return cases.empty() || std::ranges::find(cases, name) != cases.end();
  }
  [[nodiscard]] bool wants_system(std::string const& name) const {
    return systems.empty() || std::ranges::find(systems, name) != systems.end();
  }
};

/// Parses the command line. Throws std::invalid_argument with a sentence.
[[nodiscard]] options parse(int argc, char** argv);
[[nodiscard]] std::string usage();

}  // namespace ttune_bench
