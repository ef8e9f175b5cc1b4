// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ttune/roof/judge.hpp"

namespace ttune { inline namespace v0 {

namespace roof {

[[nodiscard]] inline char const* name_of(resource r) noexcept {
  constexpr std::array<char const*, resources> names = {"arithmetic", "division", "load", "store",
                                                        "latency",    "L2",       "L3",   "memory"};
  return names[static_cast<std::size_t>(r)];
}

[[nodiscard]] inline bool is_of_core(resource r) noexcept { return r < resource::l2; }

/// Arithmetic and divisions use the same units.
[[nodiscard]] inline resource unit_of(resource r) noexcept {
  return r == resource::division ? resource::arithmetic : r;
}

[[nodiscard]] inline std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 9.95 && value != std::round(value) ? "%.1f" : "%.0f", value);
  return text;
}

[[nodiscard]] inline std::string along(std::string const& loop) { return loop.empty() ? "" : " along " + loop; }

/// Says what a demand is, for people.
[[nodiscard]] inline std::string words_for(work_demand const& d) {
  bool const stores = d.of == resource::store || (!is_of_core(d.of) && d.operand == d.statement);
  auto const access = std::string(stores ? "store of " : "load of ") + d.operand;
  auto const from = is_of_core(d.of) ? std::string() : std::string(stores ? " to " : " from ") + name_of(d.of);
  switch (d.why) {
    case demand_cause::work:
      if (d.operand.empty()) return "the arithmetic of " + d.statement;
      return "the " + access + (is_of_core(d.of) ? " in vectors" : from);
    case demand_cause::function: return d.operand + " in " + d.statement;
    case demand_cause::idle_lanes:
      return "idle lanes of " + d.statement + ": loop " + d.loop + " fills " + rounded(d.number) + " of a vector";
    case demand_cause::one_sum:
      return "the terms of " + d.statement + ", which wait for each other" +
             (d.loop.empty() ? "" : " in loop " + d.loop) +
             (d.number > 1 ? ": " + rounded(d.number) + " sums side by side" : ": one sum at a time");
    case demand_cause::strided: return "the transposed " + access + along(d.loop) + from;
    case demand_cause::gathered: return "the gathered " + access + " in loop " + d.loop;
    case demand_cause::reloaded:
      return "the " + access + " at each term of loop " + d.loop + ", which registers could hold";
    case demand_cause::spilled:
      return rounded(d.number) + " sums of " + d.operand + ", for which registers do not suffice";
    case demand_cause::repeated:
      return "the " + access + from + ", which comes " + rounded(d.number) + " times" +
             (d.loop.empty() ? "" : " because of loop " + d.loop);
  }
  return {};
}

/// Adds up the time of the phases.
class time_of_work {
 public:
  time_of_work(kernel_work const& work, machine_roof const& roof) : work_(work), roof_(roof) {}

  void add(work_phase const& p) {
    auto const threads = static_cast<double>(work_.threads);
    auto const parallel = !p.loop.empty() && p.starts > 0;
    auto const rounds = std::ceil(p.tasks / threads);
    auto const busy = parallel ? p.tasks / rounds : 1;  // cores on average
    std::vector<std::pair<work_demand const*, double>> slowest;
    auto const cores = parallel ? static_cast<std::int32_t>(std::min(threads, p.tasks)) : 1;
    auto const seconds = binding(p, cores, slowest);
    auto const waiting = 1 - busy / threads;
    auto const gain = seconds * waiting - (parallel ? 0 : roof_.start);
    auto const lost = threads > 1 ? std::max(0.0, gain) : 0;
    for (auto const& [d, s] : slowest)
      put(name_of(d->of), words_for(*d), s * (seconds > 0 ? 1 - lost / seconds : 1), is_avoidable(*d));
    if (lost > 0) put("balance", words_for_balance(p, parallel), lost, true);
    if (parallel) put("start", "the start of threads for loop " + p.loop, p.starts * roof_.start, true);
    useful_ += useful(p) * busy / threads;
    made.expected += seconds + (parallel ? p.starts * roof_.start : 0);
  }

  /// Sets the floor: arithmetic on all lanes of all cores, or the operands from where they are.
  void set_floor(double operations) {
    auto const needed = operations > 0 && work_.operations > operations ? operations / work_.operations : 1;
    made.floor = useful_ * needed;
    made.floor_of = "arithmetic";
    if (auto const seconds = work_.vectors * roof_.load / work_.threads; seconds > made.floor)
      made.floor = seconds, made.floor_of = "load";
    if (work_.from < resource::l2) return;
    auto const level = static_cast<std::size_t>(work_.from) - static_cast<std::size_t>(resource::l2);
    auto const bandwidth = (level == 0 ? roof_.one_core[0] : roof_.bandwidth(level, work_.threads)) * work_.threads;
    if (auto const seconds = work_.bytes / bandwidth; seconds > made.floor)
      made.floor = seconds, made.floor_of = name_of(work_.from);
  }

  judgement made;

 private:
  [[nodiscard]] static bool is_avoidable(work_demand const& d) noexcept {
    return d.why != demand_cause::work && d.why != demand_cause::function;
  }

  [[nodiscard]] static std::string words_for_balance(work_phase const& p, bool parallel) {
    if (!parallel && p.loop.empty()) return "cores that have nothing to do, since " + p.of() + " is not parallel";
    return "cores that wait: loop " + p.loop + " has " + rounded(p.tasks) + (p.tasks > 1 ? " tasks" : " task");
  }

  void put(std::string bound, std::string what, double seconds, bool avoidable) {
    if (seconds <= 0) return;
    for (auto& part : made.parts)
      if (part.bound == bound && part.what == what) {
        part.seconds += seconds;
        return;
      }
    made.parts.push_back({std::move(bound), std::move(what), seconds, avoidable});
  }

  [[nodiscard]] double seconds_of(work_demand const& d, std::int32_t cores) const {
    switch (d.of) {
      case resource::arithmetic: return d.amount * roof_.arithmetic;
      case resource::division: return d.amount * roof_.division;
      case resource::load: return d.amount * roof_.load;
      case resource::store: return d.amount * roof_.store;
      case resource::latency: return d.amount * roof_.latency;
      default: break;
    }
    auto const level = static_cast<std::size_t>(d.of) - static_cast<std::size_t>(resource::l2);
    return d.amount / roof_.bandwidth(level, level == 0 ? 1 : cores);
  }

  /// Returns the time of a phase, and the demands that make it: those of the slowest resource of each statement, or of
  /// the cache or memory that takes clearly longer than all of them. (If both take about the same time, neither the
  /// count nor the roof is exact enough to say that the cache is to blame.)
  [[nodiscard]] double binding(work_phase const& p, std::int32_t cores,
                               std::vector<std::pair<work_demand const*, double>>& slowest) const {
    std::size_t statements = 0;
    for (auto const& d : p.demands) statements = std::max(statements, d.group + 1);
    std::vector<std::array<double, resources>> by_statement(statements);
    std::array<double, resources> far = {};
    for (auto const& d : p.demands)
      (is_of_core(d.of) ? by_statement[d.group] : far)[static_cast<std::size_t>(unit_of(d.of))] += seconds_of(d, cores);
    std::vector<std::size_t> most;
    double core = 0;
    for (auto const& s : by_statement) {
      most.push_back(static_cast<std::size_t>(std::max_element(s.begin(), s.end()) - s.begin()));
      core += s[most.back()];
    }
    auto const worst = static_cast<std::size_t>(std::max_element(far.begin(), far.end()) - far.begin());
    bool const is_far = far[worst] > clearly * core;
    for (auto const& d : p.demands) {
      auto const unit = static_cast<std::size_t>(unit_of(d.of));
      if (is_far ? !is_of_core(d.of) && unit == worst : is_of_core(d.of) && unit == most[d.group])
        slowest.emplace_back(&d, seconds_of(d, cores));
    }
    return is_far ? far[worst] : core;
  }

  /// Returns the seconds of arithmetic that the operator needs, on one core.
  [[nodiscard]] double useful(work_phase const& p) const {
    double made_of = 0;
    for (auto const& d : p.demands)
      if (unit_of(d.of) == resource::arithmetic && !is_avoidable(d)) made_of += seconds_of(d, 1);
    return made_of;
  }

  static constexpr double clearly = 1.25;
  kernel_work const& work_;
  machine_roof const& roof_;
  double useful_ = 0;
};

}  // namespace roof

double judgement::share_of_roof() const noexcept {
  auto const of = measured > 0 ? measured : expected;
  return of > 0 ? std::min(1.0, floor / of) : 0;
}

double judgement::to_gain() const noexcept { return std::max(0.0, (measured > 0 ? measured : expected) - floor); }

time_part const* judgement::worst() const noexcept {
  for (auto const& p : parts)
    if (p.avoidable && 4 * p.seconds >= time()) return &p;
  return parts.empty() ? nullptr : &parts.front();
}

std::string judgement::sentence() const {
  auto const* const p = worst();
  if (!p) return {};
  auto const share = [&](double seconds) { return roof::rounded(std::round(100 * seconds / time())) + " %"; };
  auto const rest = time() - expected;
  return p->bound + "-bound: " + share(p->seconds) + " of the time is " + p->what +
         (rest > p->seconds ? "; " + share(rest) + " is not explained" : "");
}

judgement judge(kernel_work const& work, machine_roof const& roof, double operations, double seconds) {
  if (!work.known() || !roof.known()) return {};
  roof::time_of_work times(work, roof);
  for (auto const& p : work.phases) times.add(p);
  times.set_floor(operations);
  times.made.measured = seconds;
  std::sort(times.made.parts.begin(), times.made.parts.end(), [](time_part const& a, time_part const& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.what < b.what;
  });
  return std::move(times.made);
}

}}  // namespace ttune::v0
