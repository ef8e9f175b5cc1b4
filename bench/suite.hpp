// SPDX-License-Identifier: Apache-2.0
// A suite is a subcommand of ttune-bench; each file of bench/suites registers its own.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.hpp"

namespace ttune_bench {

/// Exit status of a suite that needs a device which this machine does not have.
inline constexpr int skipped = 77;

/// A suite; `run` returns the exit status.
struct suite {
  std::string name;
  std::string summary;
  int (*run)(options const& chosen) = nullptr;
};

/// Returns the mode of `--mode`, or the suite's first mode. Throws std::invalid_argument for an unknown mode.
[[nodiscard]] inline std::string mode_of(options const& chosen, std::string const& suite,
                                         std::vector<std::string> const& modes) {
  if (chosen.mode.empty()) return modes.front();
  if (std::ranges::find(modes, chosen.mode) != modes.end()) return chosen.mode;
  std::string all;
  for (auto const& m : modes) all += " " + m;
  throw std::invalid_argument("suite " + suite + " has no mode " + chosen.mode + "; it has" + all);
}

/// Returns all suites, in the order of their names after `main` has sorted them.
inline std::vector<suite>& suites() {
  static std::vector<suite> all;
  return all;
}

/// Adds a suite: `static ttune_bench::add_suite const conv{{"conv", "convolutions of ResNet-18", run_conv}};`
struct add_suite {
  explicit add_suite(suite s) { suites().push_back(std::move(s)); }
};

}  // namespace ttune_bench
