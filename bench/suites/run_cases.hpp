// SPDX-License-Identifier: Apache-2.0
// Common parts of the suites of operators: checks and times every system on every case.
#pragma once

#include <ttune/runtime/machine.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../harness.hpp"
#include "../relative_error.hpp"
#include "../system.hpp"

namespace ttune_bench {

/// Differences above this (relative to the root mean square of the result) are no rounding errors.
inline constexpr double tolerance = 2e-4;
template <class Problem>
[[nodiscard]] double tolerance_of(Problem const& problem) {
  if constexpr (requires { problem.tolerance(); }) return problem.tolerance();
  else return tolerance;
}

template <class Problem>
std::vector<system_entry<Problem>> chosen_systems(options const& chosen) {
  auto result = systems<Problem>();
  std::erase_if(result, [&](auto const& s) { return !chosen.wants_system(s.name); });
  std::ranges::sort(result, {}, &system_entry<Problem>::rank);
  return result;
}

/// Problems of the same shape: so many that, with their outputs, they are twice as large as the last-level cache.
template <class Problem>
std::vector<std::unique_ptr<Problem>> further_sets(Problem const& problem) {
  std::vector<std::unique_ptr<Problem>> made;
  if constexpr (requires { problem.bytes(); }) {
    auto const each = problem.bytes() + 4 * output_floats(problem);
    constexpr std::int64_t most = 1 << 14;  // such small products take longer to prepare than to time
    auto const wanted = std::min(most, 2 * ttune::probe_host().l3_bytes / each + 1);
    for (std::int64_t i = 0; i < wanted; ++i) made.push_back(std::make_unique<Problem>(problem.shape));
    return made;
  } else {
    throw std::invalid_argument("this suite has no --cold");
  }
}

/// A system prepared for a problem, and its result checked at `samples` places (0: everywhere). All systems write to
/// the same output: two buffers of the same size can differ by a factor of two in time, by the luck of their pages. It
/// is also prepared for `others`, which must outlive it; calls use them in turn.
template <class Problem>
struct contender {
  contender(system_entry<Problem> const& system, Problem const& problem, buffer& out, options const& chosen,
            std::int64_t samples, std::vector<std::unique_ptr<Problem>> const& others = {}) {
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
    if (!(error < tolerance_of(problem))) peer.status = "wrong result: differs by " + std::to_string(error);
    if (ok() && !others.empty()) rotate(system, others, out.size(), chosen);
  }
  [[nodiscard]] bool ok() const { return peer.run && peer.status == "ok"; }

  peer_case peer;
  double error = 0;

 private:
  void rotate(system_entry<Problem> const& system, std::vector<std::unique_ptr<Problem>> const& others,
              std::int64_t elements, options const& chosen) {
    std::vector<std::function<void()>> all{peer.run};
    for (auto const& other : others) {
      more_outputs_.push_back(std::make_unique<buffer>(elements));
      all.push_back(system.prepare(*other, *more_outputs_.back(), chosen).run);
    }
    peer.run = [all = std::move(all), next = std::size_t{0}]() mutable {
      all[next]();
      next = next + 1 == all.size() ? 0 : next + 1;
    };
  }
  std::vector<std::unique_ptr<buffer>> more_outputs_;
};

/// Limits of the machine, measured in this run.
struct limits {
  std::map<int, double> fma_peak;  ///< GFLOP/s by threads; measured again in every round, smaller if disturbed
  double copy = 0;                 ///< GB/s
};

template <class Problem>
std::vector<result> run_case(std::string const& suite, Problem const& problem,
                             std::vector<system_entry<Problem>> const& systems, options chosen, reporter& report,
                             limits& machine) {
  if constexpr (requires { problem.shape.threads; })
    if (problem.shape.threads > 0) chosen.threads = std::min(chosen.threads, problem.shape.threads);
  auto& peak = machine.fma_peak[chosen.threads];
  auto const others = chosen.cold ? further_sets(problem) : std::vector<std::unique_ptr<Problem>>{};
  buffer out(output_floats(problem));
  std::vector<std::unique_ptr<contender<Problem>>> all;
  std::vector<std::function<void()>> timed;
  for (auto const& s : systems) {
    if (s.serves && !s.serves(problem)) continue;
    all.push_back(std::make_unique<contender<Problem>>(s, problem, out, chosen, 256, others));
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
    r.refused = c->peer.refused;
    r.status = c->peer.status;
    r.numerics = chosen.numerics;
    r.operands = chosen.cold ? "cold" : "warm";
    if constexpr (requires { problem.shape.mode; }) r.mode = problem.shape.mode;
    if (c->ok()) {
      r.seconds = timings[next].seconds;
      r.disturbed = timings[next++].disturbed;
      r.gflops = problem.shape.flops() / r.seconds * 1e-9;
    }
    results.push_back(std::move(r));
  }
  report.add(results);
  return results;
}

/// Prints how ttune's share of peak of one case changes with its extents: the case itself, then its neighbours, by the
/// change of their extents. Returns the least ratio of two shares (1: all equal).
inline double print_variation(std::vector<std::pair<std::string, double>> const& shares) {
  auto const [least, most] = std::ranges::minmax(shares, {}, [](auto const& s) { return s.second; });
  auto const ratio = least.second / most.second;
  std::printf("  of peak:");
  for (auto const& [name, share] : shares) std::printf("  %s %.2f", name.c_str(), share);
  std::printf("; least / most %.2f\n", ratio);
  return ratio;
}

/// Returns the mode and the versions of the libraries: ", nhwc, oneDNN 2.6.3".
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
  reporter report(suite, heading_of(shapes, systems) + (chosen.cold ? ", cold operands" : ""), names, chosen);
  limits machine{{}, ttune::measure_copy_bandwidth(chosen.threads)};
  std::vector<double> variations;
  for (auto const& shape : shapes) {
    if (!chosen.wants_case(shape.name)) continue;
    std::vector<std::pair<std::string, double>> shares;
    auto const run = [&](Shape const& s) {
      for (auto const& r : run_case(suite, Problem(s), systems, chosen, report, machine))
        if (r.system == "ttune" && r.status == "ok") shares.emplace_back(s.name, r.gflops / r.peak_gflops);
    };
    run(shape);
    if (!chosen.vary) continue;
    if constexpr (requires { varied(shape, 1); }) {
      for (std::int64_t const by : {-3, -1, 1, 3}) run(varied(shape, by));
      if (shares.size() > 1) variations.push_back(print_variation(shares));
    } else {
      throw std::invalid_argument("suite " + suite + " has no --vary");
    }
  }
  if (!variations.empty())
    std::printf("extents changed by 1 and 3: least / most share of peak %.2f at worst, over %zu cases\n",
                std::ranges::min(variations), variations.size());
  return report.finish();
}

}  // namespace ttune_bench
