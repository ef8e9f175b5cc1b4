// SPDX-License-Identifier: Apache-2.0
// The libraries that the demo compares with: Eigen, and oneDNN where this build found it. The benchmarks call them
// through the same code (bench/peers).
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../bench/system.hpp"

namespace demo {

/// One library, or one algorithm of it, ready to compute a problem. Weights are laid out before the first call, as
/// ttune's are.
struct contestant {
  std::string name;
  std::function<void()> run;    ///< one call
  std::vector<double> times{};  ///< seconds of each call, ascending; filled by `race`

  [[nodiscard]] double seconds() const { return times.empty() ? 0 : times.front(); }
  /// The median call over the fastest one: about 1 on a quiet machine.
  [[nodiscard]] double unrest() const { return times.empty() ? 1 : times[times.size() / 2] / times.front(); }
};

/// All algorithms of a library that can compute the problem; `out` receives the result. Empty if the library is not in
/// this build.
template <class Problem>
std::vector<contestant> algorithms_of(std::string_view library, Problem const& problem, ttune_bench::buffer const& out,
                                      int threads) {
  ttune_bench::options chosen;
  chosen.threads = threads;
  std::vector<contestant> all;
  for (auto const& system : ttune_bench::systems<Problem>()) {
    if (!system.name.starts_with(library) || (system.serves && !system.serves(problem))) continue;
    if (auto made = system.prepare(problem, out, chosen); made.run) all.push_back({system.name, std::move(made.run)});
  }
  return all;
}

/// The library's name with its version, such as "oneDNN 2.6.0"; empty if the library is not in this build.
template <class Problem>
std::string version_of(std::string_view library) {
  for (auto const& system : ttune_bench::systems<Problem>())
    if (system.name.starts_with(library) && system.version) return system.version();
  return {};
}

/// Times all contestants in turns, for about two seconds. The pause lets the threads of the previous contestant stop
/// spinning.
inline void race(std::vector<contestant>& all) {
  using clock = std::chrono::steady_clock;
  auto const end = clock::now() + std::chrono::seconds(2);
  for (int round = 0; round < 8 && (round == 0 || clock::now() < end); ++round)
    for (auto& c : all) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      for (int call = 0; call < 4; ++call) {
        auto const start = clock::now();
        c.run();
        c.times.push_back(std::chrono::duration<double>(clock::now() - start).count());
      }
    }
  for (auto& c : all) std::ranges::sort(c.times);
}

/// The fastest contestant whose name begins with `library`; null if there is none.
inline contestant const* fastest(std::vector<contestant> const& all, std::string_view library) {
  contestant const* best = nullptr;
  for (auto const& c : all)
    if (c.name.starts_with(library) && (!best || c.seconds() < best->seconds())) best = &c;
  return best;
}

}  // namespace demo
