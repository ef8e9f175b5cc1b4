// SPDX-License-Identifier: Apache-2.0
// Options of tuning while the application runs.
#pragma once

#include <functional>

#include "ttune/expr/numerics.hpp"
#include "ttune/records/effort.hpp"

namespace ttune { inline namespace v0 {

/// Options of a live tuner; all have defaults.
struct live_options {
  /// Processor time of the tuning divided by the time that passes, in (0, 1]: a share of one core. Compilation and
  /// workers count. It holds on average over some seconds: single pieces of work take up to some tenths of a second.
  double share = 0.05;
  /// Priority of the tuning's thread and of its workers, 0 to 19: with 10, a thread that competes with one of the
  /// application for a core gets a tenth of it; with 19 a sixtieth, and where all cores are busy little is tuned, and a
  /// stop may take seconds.
  int nice = 10;
  /// How hard each kernel is tuned, in all starts of the application together (tune/effort.hpp).
  effort_level effort = effort_level::patient;
  numerics allowed = {};  ///< for operators with alternatives: what they may do to the rounding
  /// A kernel replaces another if it takes at most 1 - `least_gain` of its time, with 95 % confidence.
  double least_gain = 0.02;
  /// False: there is no thread, and nothing is tuned but in calls of `live_tuner::step`.
  bool background = true;

  // For tests: with these and `background = false` a tuning depends on nothing but its calls.
  /// Returns seconds since an arbitrary moment; any thread calls it. Empty: std::chrono::steady_clock.
  std::function<double()> clock = {};
  /// Returns the processor time of the tuning so far, in seconds. Empty: that of its thread and of its workers.
  std::function<double()> processor_seconds = {};
  /// Is called where the tuning rests, with the seconds. Empty: its thread sleeps, until a stop is requested.
  std::function<void(double seconds)> pause = {};
};

}}  // namespace ttune::v0
