// SPDX-License-Identifier: Apache-2.0
// Decides which of several tunings goes on: the one that is expected to save the network most time per second of
// tuning, as the task scheduler of Ansor does (Zheng et al., "Ansor: generating high-performance tensor programs for
// deep learning", OSDI 2020, section 6).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// A kernel that is being tuned.
struct scheduled_task {
  double flops = 0;      ///< arithmetic operations of a call; 0: unknown
  std::size_t kind = 0;  ///< tasks of one kind have the same operator in other shapes
  double calls = 1;      ///< how often the network would call the kernel
  double behind = 0;     ///< seconds that a call must gain before the network uses the kernel; 0: it does
};

/// The expected gain is computed in seconds of a call per second of tuning. It has two parts, as Ansor's has: the gain
/// of the last rounds, and what is hoped for. One hopes that the time spent so far brings, if spent once more, the
/// kernel from its present seconds to half of them, or to half of the speed (in operations per second) of the fastest
/// task of its kind, whichever is better, but not beyond the machine's peak.
class task_scheduler {
 public:
  /// `peak` is in operations per second; 0: unknown.
  explicit task_scheduler(double peak = 0) : peak_(peak) {}

  /// Adds a task and returns its number: 0, 1, 2, … `seconds` are those of a call of its first kernel, `spent` those of
  /// making it.
  std::size_t add(scheduled_task const& what, double seconds, double spent);
  /// Tells what a round brought: the seconds of the best kernel, and those spent so far in total.
  void observe(std::size_t task, double seconds, double spent);
  /// Tells how the network uses a kernel now (`scheduled_task`).
  void set_use(std::size_t task, double calls, double behind);
  /// A task that ended gets no more rounds; its speed still says what others of its kind may reach.
  void end(std::size_t task);

  /// Returns the expected gain of all calls of the network, in seconds per second of tuning.
  [[nodiscard]] double expected_gain(std::size_t task) const;
  /// Returns the task with the largest expected gain; nothing if none may gain.
  [[nodiscard]] std::optional<std::size_t> next() const;

 private:
  struct state {
    scheduled_task of;
    double seconds = 0;
    double spent = 0;
    double slope = 0;  ///< gain of the last rounds: seconds of a call per second
    bool ended = false;
  };
  [[nodiscard]] double reachable_seconds(state const& task) const;

  double peak_;
  std::vector<state> tasks_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/task_scheduler.inl.hpp"
#endif
