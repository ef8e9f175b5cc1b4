// SPDX-License-Identifier: Apache-2.0
// What the suites of operators have in common: every system on every case, checked and timed.
#pragma once

#include <ttune/runtime/machine.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <map>
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
  std::map<int, double> fma_peak;  ///< GFLOP/s, by threads; measured again in every round: disturbed, it is smaller
  double copy = 0;                 ///< GB/s
};

template <class Problem>
void run_case(std::string const& suite, Problem const& problem, std::vector<system_entry<Problem>> const& systems,
              options chosen, reporter& report, limits& machine) {
  if constexpr (requires { problem.shape.threads; })
    if (problem.shape.threads > 0) chosen.threads = std::min(chosen.threads, problem.shape.threads);
  auto& peak = machine.fma_peak[chosen.threads];
  std::vector<std::unique_ptr<contender<Problem>>> all;
  std::vector<std::function<void()>> timed;
  for (auto const& s : systems) {
    if (s.serves && !s.serves(problem)) continue;
    all.push_back(std::make_unique<contender<Problem>>(s, problem, chosen, 256));
    if (all.back()->ok()) timed.push_back(all.back()->peer.run);
  }
  auto const timings = time_interleaved(
      timed, chosen, [&] { peak = std::max(peak, ttune::measure_fma_peak(chosen.threads, ttune::dtype::f32, 0.01)); });

  std::vector<result> results;
  std::size_t next = 0;
  for (auto const& c : all) {
    result r{suite, problem.shape.name, c->peer.system};
    if constexpr (requires { problem.shape.attainable(1.0, 1.0); })
      r.peak_gflops = problem.shape.attainable(peak, machine.copy);
    else r.peak_gflops = peak;
    r.tuning_seconds = c->peer.tuning_seconds;
    r.trials = c->peer.trials;
    r.status = c->peer.status;
    r.numerics = chosen.numerics;
    if constexpr (requires { problem.shape.mode; }) r.mode = problem.shape.mode;
    if (c->ok()) {
      r.seconds = timings[next].seconds;
      r.disturbed = timings[next++].disturbed;
      r.gflops = problem.shape.flops() / r.seconds * 1e-9;
    }
    results.push_back(std::move(r));
  }
  report.add(results);
}

/// The mode, and the versions of the libraries: ", nhwc, oneDNN 2.6.3".
template <class Problem, class Shape>
std::string heading_of(std::vector<Shape> const& shapes, std::vector<system_entry<Problem>> const& systems) {
  std::vector<std::string> parts;
  if constexpr (requires(Shape s) { s.mode; })
    if (!shapes.empty()) parts.push_back(shapes[0].mode);
  for (auto const& s : systems)
    if (s.version && std::ranges::find(parts, s.version()) == parts.end()) parts.push_back(s.version());
  std::string text;
  for (auto const& p : parts) text += ", " + p;
  return text;
}

template <class Problem, class Shape>
int run_cases(std::string const& suite, std::vector<Shape> const& shapes, options const& chosen) {
  auto const systems = chosen_systems<Problem>(chosen);
  std::vector<std::string> names;
  for (auto const& s : systems) names.push_back(s.name);
  reporter report(suite, heading_of(shapes, systems), names, chosen);
  limits machine{{}, ttune::measure_copy_bandwidth(chosen.threads)};
  for (auto const& shape : shapes)
    if (chosen.wants_case(shape.name)) run_case(suite, Problem(shape), systems, chosen, report, machine);
  return report.finish();
}

}  // namespace ttune_bench
