// SPDX-License-Identifier: Apache-2.0
// Experiments that tune on this machine's processor. Their names begin with "live-".
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../options.hpp"

namespace ttune_bench {

struct live_experiment {
  std::string name;
  std::function<void(options const& chosen)> run;
};

/// The list of live experiments; source files add to it before main.
inline std::vector<live_experiment>& live_experiments() {
  static std::vector<live_experiment> all;
  return all;
}

/// Adds an experiment: `add_live const few{"live-few", few_against_many};`
struct add_live {
  add_live(std::string name, std::function<void(options const&)> run) {
    live_experiments().push_back({std::move(name), std::move(run)});
  }
};

/// Adds an experiment on some layers, and one per layer, as "live-spread-C6", for short use of a machine.
struct add_live_of_layers {
  using run_of_layers = void (*)(options const& chosen, std::string const& name,
                                 std::vector<std::string> const& layers);

  add_live_of_layers(std::string const& name, std::vector<std::string> const& layers, run_of_layers run) {
    add_live(name, [=](options const& chosen) { run(chosen, name, layers); });
    for (auto const& layer : layers) {
      auto const alone = name + "-" + layer;
      add_live(alone, [=](options const& chosen) { run(chosen, alone, {layer}); });
    }
  }
};

/// Returns the path of a file in $TTUNE_EXPERIMENTS_OUT, or in the current folder.
[[nodiscard]] inline std::string out_file(std::string const& name) {
  char const* const folder = std::getenv("TTUNE_EXPERIMENTS_OUT");
  return (folder ? std::string(folder) + "/" : "") + name;
}

}  // namespace ttune_bench
