// SPDX-License-Identifier: Apache-2.0
// Experiments that tune on this machine's processor. Each is found by its name, which begins with "live-".
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "../options.hpp"

namespace ttune_bench {

struct live_experiment {
  std::string name;
  void (*run)(options const& chosen) = nullptr;
};

inline std::vector<live_experiment>& live_experiments() {
  static std::vector<live_experiment> all;
  return all;
}

/// `static ttune_bench::add_live_experiment const one{{"live-x", run_x}};`
struct add_live_experiment {
  explicit add_live_experiment(live_experiment e) { live_experiments().push_back(std::move(e)); }
};

/// A file in $TTUNE_EXPERIMENTS_OUT, or here.
[[nodiscard]] inline std::string out_file(std::string const& name) {
  char const* const folder = std::getenv("TTUNE_EXPERIMENTS_OUT");
  return (folder ? std::string(folder) + "/" : "") + name;
}

}  // namespace ttune_bench
