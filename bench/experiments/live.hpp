// SPDX-License-Identifier: Apache-2.0
// Experiments that tune on this machine's processor. Each is found by its name, which begins with "live-".
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../options.hpp"

namespace ttune_bench {

struct live_experiment {
  std::string name;
  std::function<void(options const& chosen)> run;
};

/// Files that have some add them before main.
inline std::vector<live_experiment>& live_experiments() {
  static std::vector<live_experiment> all;
  return all;
}

/// A file in $TTUNE_EXPERIMENTS_OUT, or here.
[[nodiscard]] inline std::string out_file(std::string const& name) {
  char const* const folder = std::getenv("TTUNE_EXPERIMENTS_OUT");
  return (folder ? std::string(folder) + "/" : "") + name;
}

}  // namespace ttune_bench
