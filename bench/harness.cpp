// SPDX-License-Identifier: Apache-2.0
// Interleaved timing, JSON lines, the table.
#include "harness.hpp"
#include "statistics.hpp"

#include <ttune/runtime/machine.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <thread>

namespace ttune_bench {

namespace {

using clock = std::chrono::steady_clock;

double timed(std::function<void()> const& f, std::int64_t calls) {
  auto const start = clock::now();
  for (std::int64_t i = 0; i < calls; ++i) f();
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Returns the number of calls that fill a sample. The function is warm afterwards.
std::int64_t calls_for(std::function<void()> const& f, double seconds) {
  for (std::int64_t calls = 1;; calls *= 2) {
    auto const taken = timed(f, calls);
    if (taken >= seconds / 2 || calls > (1 << 24))
      return std::max<std::int64_t>(1,
                                    static_cast<std::int64_t>(std::ceil(seconds / taken * static_cast<double>(calls))));
  }
}

double quantile(std::vector<double> const& sorted, double q) {
  auto const at = q * static_cast<double>(sorted.size() - 1);
  auto const low = static_cast<std::size_t>(at);
  auto const high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

/// Returns how often threads of this process were preempted.
long preemptions() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_nivcsw;
}

/// Samples of one system. Samples during which other processes ran count only if there are hardly any others, because a
/// barrier then waits for a time slice of the scheduler.
struct samples_of_one {
  std::vector<double> clean, disturbed;

  void take(std::function<void()> const& f, std::int64_t calls) {
    auto const before = preemptions();
    auto const taken = timed(f, calls);
    bool const quiet = static_cast<double>(preemptions() - before) <= 50 * taken;
    (quiet ? clean : disturbed).push_back(taken / static_cast<double>(calls));
  }
  timing result(bool fastest) {
    bool const is_disturbed = clean.size() < 3;
    if (is_disturbed) clean.insert(clean.end(), disturbed.begin(), disturbed.end());
    std::ranges::sort(clean);
    auto const chosen = quantile(clean, fastest ? 0 : 0.5);
    return {chosen, (quantile(clean, 0.75) - quantile(clean, 0.25)) / chosen, is_disturbed};
  }
};

bool is_ours(std::string const& system) { return system.starts_with("ttune"); }

/// Comparison of one system with another over the cases that both have times for.
struct comparison {
  std::vector<double> ratios;  ///< above 1: the first is faster
  double least = std::numeric_limits<double>::infinity();
  std::string least_at;

  void add(double ratio, std::string const& name) {
    ratios.push_back(ratio);
    if (ratio < least) least = ratio, least_at = name;
  }
};

}  // namespace

std::vector<timing> time_interleaved(std::span<std::function<void()> const> functions, options const& chosen,
                                     std::function<void()> const& each_round) {
  auto const pause = [&] { std::this_thread::sleep_for(std::chrono::duration<double>(chosen.pause_seconds)); };
  std::vector<std::int64_t> calls;
  for (auto const& f : functions) {
    pause();
    calls.push_back(calls_for(f, chosen.sample_seconds));
  }
  std::vector<samples_of_one> samples(functions.size());
  auto const is_full = [&](samples_of_one const& s) {
    return s.clean.size() == static_cast<std::size_t>(chosen.samples);
  };
  for (int round = 0; round < 4 * chosen.samples && !std::ranges::all_of(samples, is_full); ++round) {
    pause();
    if (each_round) each_round();
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (is_full(samples[i])) continue;
      pause();
      (void)timed(functions[i], std::max<std::int64_t>(1, calls[i] / 4));  // wakes its threads and fills the caches
      samples[i].take(functions[i], calls[i]);
    }
  }
  std::vector<timing> result;
  for (auto& s : samples) result.push_back(s.result(chosen.fastest));
  return result;
}

struct reporter::state {
  explicit state(std::string const& json_file) : json(json_file) {}

  std::string suite;
  std::vector<std::string> systems;
  options chosen;
  json_lines json;
  std::map<std::string, std::vector<double>> shares;  ///< shares of peak, by system
  std::map<std::string, std::vector<double>> ratios;  ///< ratios to the best peer, by system of ttune
  std::map<std::string, comparison> against;          ///< comparisons of "ttune", by the other system
  std::size_t width = 14;
  int cases = 0;
  bool any_disturbed = false;
  bool any_failed = false;  ///< true if a system of ttune failed

  [[nodiscard]] std::vector<std::string> ours() const {
    std::vector<std::string> names;
    std::ranges::copy_if(systems, std::back_inserter(names), is_ours);
    return names;
  }

  void note(std::vector<result> const& of_one_case) {
    ++cases;
    for (auto const& r : of_one_case) {
      if (r.status == "ok") shares[r.system].push_back(r.gflops / r.peak_gflops);
      any_disturbed = any_disturbed || r.disturbed;
      any_failed = any_failed || (is_ours(r.system) && r.status != "ok");
    }
    auto const tuned = std::ranges::find(of_one_case, "ttune", &result::system);
    if (tuned == of_one_case.end() || tuned->status != "ok") return;
    for (auto const& r : of_one_case)
      if (r.status == "ok" && r.system != "ttune") against[r.system].add(r.seconds / tuned->seconds, r.name);
  }
};

reporter::reporter(std::string suite, std::string const& heading, std::vector<std::string> systems, options chosen)
    : state_(std::make_unique<state>(chosen.json)) {
  auto& s = *state_;
  s.suite = std::move(suite);
  s.systems = std::move(systems);
  s.chosen = std::move(chosen);
  for (auto const& name : s.systems) s.width = std::max(s.width, name.size() + 2);
  std::printf("%s%s: %d threads, FMA peak %.0f GFLOP/s, copy %.1f GB/s; GFLOP/s (share of peak)\n", s.suite.c_str(),
              heading.c_str(), s.chosen.threads, ttune::measure_fma_peak(s.chosen.threads),
              ttune::measure_copy_bandwidth(s.chosen.threads));
  std::printf("%-22s", "case");
  for (auto const& name : s.systems) std::printf("%*s", static_cast<int>(s.width), name.c_str());
  std::printf("%*s", 16, "best peer");
  for (auto const& name : s.ours()) std::printf("%*s", static_cast<int>(name.size() + 12), (name + " / peer").c_str());
  std::printf("\n");
  std::fflush(stdout);
}

reporter::~reporter() = default;

void reporter::add(std::vector<result> const& of_one_case) {
  auto& s = *state_;
  if (of_one_case.empty()) return;
  s.note(of_one_case);
  std::printf("%-22s", of_one_case.front().name.c_str());
  result const* best_peer = nullptr;
  for (auto const& name : s.systems) {
    auto const r = std::ranges::find(of_one_case, name, &result::system);
    if (r == of_one_case.end() || r->status != "ok") {
      std::printf("%*s", static_cast<int>(s.width), r == of_one_case.end() ? "-" : "failed");
      continue;
    }
    char cell[40];
    std::snprintf(cell, sizeof cell, "%s%.1f (%.2f)", r->disturbed ? "*" : "", r->gflops, r->gflops / r->peak_gflops);
    std::printf("%*s", static_cast<int>(s.width), cell);
    if (!is_ours(name) && (!best_peer || r->seconds < best_peer->seconds)) best_peer = &*r;
  }
  std::printf("%*s", 16, best_peer ? best_peer->system.c_str() : "-");
  for (auto const& name : s.ours()) {
    auto const r = std::ranges::find(of_one_case, name, &result::system);
    bool const comparable = best_peer && r != of_one_case.end() && r->status == "ok";
    char cell[40] = "-";
    if (comparable) {
      auto const ratio = best_peer->seconds / r->seconds;
      s.ratios[name].push_back(ratio);
      std::snprintf(cell, sizeof cell, "%.2f", ratio);
    }
    std::printf("%*s", static_cast<int>(name.size() + 12), cell);
  }
  std::printf("\n");
  for (auto const& r : of_one_case) {
    if (r.status != "ok") std::printf("%-22s%s: %s\n", "", r.system.c_str(), r.status.c_str());
    s.json.write(r);
  }
  std::fflush(stdout);
}

int reporter::finish() {
  auto& s = *state_;
  if (s.cases == 0) {
    std::printf("no such case\n");
    return 2;
  }
  std::printf("%-22s", "geom. mean");
  for (auto const& name : s.systems) std::printf("%*.2f", static_cast<int>(s.width), geometric_mean(s.shares[name]));
  std::printf("%*s", 16, "");
  for (auto const& name : s.ours())
    std::printf("%*.2f", static_cast<int>(name.size() + 12), geometric_mean(s.ratios[name]));
  std::printf("\n");
  for (auto const& name : s.systems) {
    auto const& c = s.against[name];
    if (c.ratios.empty()) continue;
    if (is_ours(name))
      std::printf("%s reaches %.2f of tuned, geometric mean over %zu cases\n", name.c_str(),
                  1 / geometric_mean(c.ratios), c.ratios.size());
    else
      std::printf("ttune / %s: %.2f, geometric mean over %zu cases; least %.2f (%s)\n", name.c_str(),
                  geometric_mean(c.ratios), c.ratios.size(), c.least, c.least_at.c_str());
  }
  std::printf("%s\n", s.any_disturbed ? "* other processes took cores meanwhile: worth little\n" : "");
  std::fflush(stdout);
  return s.any_failed ? 1 : 0;
}

}  // namespace ttune_bench
