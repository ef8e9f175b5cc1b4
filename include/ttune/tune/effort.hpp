// SPDX-License-Identifier: Apache-2.0
// Effort levels: one word instead of a budget.
#pragma once

#include <cstdint>

#include "ttune/records/effort.hpp"

namespace ttune { inline namespace v0 {

struct tuning_budget;

/// How hard a tuning tries: `tuner.tune(op, effort::patient)`. It converts to a budget wherever one is taken.
///
/// In the table, b is the number of bits of the space: the logarithm to base 2 of the number of its configurations, 10
/// to 40 for most operators, and at least 8. A search finds good configurations in a number of trials that grows about
/// like b. Time is that of the untuned kernel's call, so that a kernel of 100 ms gets as many trials as one of 1 us.
///
/// | level | trials at most | ends after trials without gain | time at most |
/// |---|---|---|---|
/// | estimate | none: the recorded kernel, or the untuned one, compiled and not run | | |
/// | measure | 4 b | 2 b | 10 s and 500 calls |
/// | patient | 32 b | 8 b | 2 min and 10 000 calls |
/// | exhaustive | all | 64 b | no limit |
///
/// Operators with alternatives or free layouts share the trials of a level among all their computes; b is of all spaces
/// together then. In `tune_all` each workload has its own. For a network, see tune_network.hpp.
class effort {
 public:
  static effort const estimate, measure, patient, exhaustive;

  constexpr explicit effort(effort_level level) noexcept : level_(level) {}
  [[nodiscard]] constexpr effort_level level() const noexcept { return level_; }
  constexpr operator effort_level() const noexcept { return level_; }
  /// Returns a budget of this level.
  operator tuning_budget() const;

 private:
  effort_level level_;
};

inline constexpr effort effort::estimate{effort_level::estimate};
inline constexpr effort effort::measure{effort_level::measure};
inline constexpr effort effort::patient{effort_level::patient};
inline constexpr effort effort::exhaustive{effort_level::exhaustive};

/// The limits that a level has for one operator.
struct level_limits {
  static constexpr std::int64_t unlimited = std::int64_t{1} << 40;  ///< trials
  std::int64_t trials = unlimited;
  std::int64_t patience = 0;  ///< trials without gain; 0: no limit
  double seconds = std::numeric_limits<double>::infinity();
};

/// Returns the limits of a level for a space of so many configurations, and an untuned kernel of so many seconds a
/// call.
[[nodiscard]] level_limits limits_of(effort_level level, double configurations, double seconds_of_call);

/// Returns the trials that a level gives to each kind of equal operators of a network on average.
[[nodiscard]] std::int64_t network_trials_of(effort_level level) noexcept;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/effort.inl.hpp"
#endif
