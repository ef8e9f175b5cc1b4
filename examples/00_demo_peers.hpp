// SPDX-License-Identifier: Apache-2.0
// What the demo compares with: Eigen, and oneDNN where this build found it. The benchmarks call them, in bench/peers.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../bench/system.hpp"

namespace demo {

/// A contestant for one problem; `run` is one call. Its weights are laid out ahead, as ttune's are.
struct contestant {
  std::string name;
  std::function<void()> run;
  double seconds = 0;  ///< filled by `race`
};

/// Its result goes to `out`. `run` is empty if there is no such system in this build.
template <class Problem>
contestant peer(std::string const& name, Problem const& problem, ttune_bench::buffer const& out, int threads) {
  ttune_bench::options chosen;
  chosen.threads = threads;
  for (auto const& system : ttune_bench::systems<Problem>())
    if (system.name == name) return {name, system.prepare(problem, out, chosen).run};
  return {name, {}};
}

/// The fastest of some calls of each, two seconds in all. They take turns; the pause is for threads of the one before,
/// which spin a while.
inline void race(std::vector<contestant>& all) {
  using clock = std::chrono::steady_clock;
  auto const end = clock::now() + std::chrono::seconds(2);
  for (int round = 0; round < 8 && (round == 0 || clock::now() < end); ++round)
    for (auto& c : all) {
      if (!c.run) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      for (int call = 0; call < 4; ++call) {
        auto const start = clock::now();
        c.run();
        auto const seconds = std::chrono::duration<double>(clock::now() - start).count();
        c.seconds = c.seconds > 0 ? std::min(c.seconds, seconds) : seconds;
      }
    }
}

}  // namespace demo
