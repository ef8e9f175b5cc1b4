// SPDX-License-Identifier: Apache-2.0
// What the suites of operators have in common: every system on every case, checked and timed.
#pragma once

#include <ttune/runtime/machine.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../harness.hpp"
#include "../relative_error.hpp"
#include "../system.hpp"

namespace ttune_bench {

/// A difference this large (by the root mean square of the result) is no rounding.
inline constexpr double tolerance = 2e-4;

template <class Problem>
std::vector<system_entry<Problem>> chosen_systems(options const& chosen) {
  auto result = systems<Problem>();
  std::erase_if(result, [&](auto const& s) { return !chosen.wants_system(s.name); });
  std::ranges::sort(result, {}, &system_entry<Problem>::rank);
  return result;
}

/// A system ready for a problem, with an output of its own, and its result checked at `samples` places (0: at all).
template <class Problem>
struct contender {
  contender(system_entry<Problem> const& system, Problem const& problem, options const& chosen, std::int64_t samples)
      : out(output_floats(problem)) {
    out.fill(std::numeric_limits<float>::quiet_NaN());
    try {
      peer = system.prepare(problem, out, chosen);
    } catch (std::exception const& e) {
      peer.status = e.what();
    }
    peer.system = system.name;
    if (!peer.run) return;
    peer.run();
    if (peer.finish) peer.finish();
    error = relative_error(problem, out, samples);
    if (!(error < tolerance)) peer.status = "wrong result: differs by " + std::to_string(error);
  }
  [[nodiscard]] bool ok() const { return peer.run && peer.status == "ok"; }

  buffer out;
  peer_case peer;
  double error = 0;
};

/// What this run found the machine to allow.
struct limits {
  double fma_peak = 0;  ///< GFLOP/s; measured again in every round: what disturbs it makes it smaller
  double copy = 0;      ///< GB/s
};

template <class Problem>
void run_case(std::string const& suite, Problem const& problem, std::vector<system_entry<Problem>> const& systems,
              options const& chosen, reporter& report, limits& machine) {
  std::vector<std::unique_ptr<contender<Problem>>> all;
  std::vector<std::function<void()>> timed;
  for (auto const& s : systems) {
    if (s.serves && !s.serves(problem)) continue;
    all.push_back(std::make_unique<contender<Problem>>(s, problem, chosen, 256));
    if (all.back()->ok()) timed.push_back(all.back()->peer.run);
  }
  auto const timings = time_interleaved(timed, chosen, [&] {
    machine.fma_peak = std::max(machine.fma_peak, ttune::measure_fma_peak(chosen.threads, ttune::dtype::f32, 0.01));
  });

  std::vector<result> results;
  std::size_t next = 0;
  for (auto const& c : all) {
    result r{suite, problem.shape.name, c->peer.system};
    if constexpr (requires { problem.shape.attainable(1.0, 1.0); })
      r.peak_gflops = problem.shape.attainable(machine.fma_peak, machine.copy);
    else r.peak_gflops = machine.fma_peak;
    r.tuning_seconds = c->peer.tuning_seconds;
    r.trials = c->peer.trials;
    r.status = c->peer.status;
    r.numerics = chosen.numerics;
    r.same_layout = c->peer.same_layout;
    if (c->ok()) {
      r.seconds = timings[next].seconds;
      r.disturbed = timings[next++].disturbed;
      r.gflops = problem.shape.flops() / r.seconds * 1e-9;
    }
    results.push_back(std::move(r));
  }
  report.add(results);
}

template <class Problem, class Shape>
int run_cases(std::string const& suite, std::vector<Shape> const& shapes, options const& chosen) {
  auto const systems = chosen_systems<Problem>(chosen);
  std::vector<std::string> names;
  for (auto const& s : systems) names.push_back(s.name);
  reporter report(suite, names, chosen);
  limits machine{0, ttune::measure_copy_bandwidth(chosen.threads)};
  for (auto const& shape : shapes)
    if (chosen.wants_case(shape.name)) run_case(suite, Problem(shape), systems, chosen, report, machine);
  return report.finish();
}

}  // namespace ttune_bench
