// SPDX-License-Identifier: Apache-2.0
// The progress of a tuning, passed to callbacks after each batch of trials.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include "ttune/runtime/measure/measurement.hpp"

namespace ttune { inline namespace v0 {

/// The activities of a tuning. Phases may overlap, so their seconds may add up to more than the elapsed time.
enum class tuning_phase : std::uint8_t { propose, compile, measure, learn };

[[nodiscard]] constexpr char const* name_of(tuning_phase p) noexcept {
  constexpr char const* names[] = {"propose", "compile", "measure", "learn"};
  return names[static_cast<int>(p)];
}

inline constexpr std::size_t tuning_phases = 4;
inline constexpr std::size_t trial_statuses = static_cast<std::size_t>(trial_status::cut_off) + 1;

/// The state of a tuning.
struct progress {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::string workload;  ///< as "C6" or "matmul 512x1024x256"
  std::int64_t trials_done = 0;
  std::int64_t trials_total = 0;     ///< 0: limited by time only
  double best_seconds = unknown;     ///< one call of the best kernel so far
  double flops = 0;                  ///< operations of one call; 0: no FLOP/s are shown
  double peak_flops_per_second = 0;  ///< measured on this machine; 0: not measured
  std::array<std::int64_t, trial_statuses> trials_by_status{};
  double elapsed_seconds = 0;
  double seconds_left = unknown;      ///< estimated
  double model_validation = unknown;  ///< rank correlation of the model on trials that it had not seen, [-1, 1]
  std::array<double, tuning_phases> phase_seconds{};
  bool finished = false;  ///< the last progress of this workload

  [[nodiscard]] std::int64_t count(trial_status s) const noexcept {
    return trials_by_status[static_cast<std::size_t>(s)];
  }
  /// Returns the number of failed trials; a trial that was cut off for slowness is not a failure.
  [[nodiscard]] std::int64_t failures() const noexcept {
    return std::accumulate(trials_by_status.begin(), trials_by_status.end(), std::int64_t{0}) -
           count(trial_status::ok) - count(trial_status::cut_off);
  }
  [[nodiscard]] double best_flops_per_second() const noexcept { return flops / best_seconds; }
  /// Returns a value in [0, 1]; `unknown` if flops, peak or best time are unknown.
  [[nodiscard]] double share_of_peak() const noexcept {
    return flops > 0 && peak_flops_per_second > 0 ? best_flops_per_second() / peak_flops_per_second : unknown;
  }
  /// Returns the share of a phase in the seconds spent in all phases.
  [[nodiscard]] double share(tuning_phase p) const noexcept {
    auto const all = std::accumulate(phase_seconds.begin(), phase_seconds.end(), 0.0);
    return all > 0 ? phase_seconds[static_cast<std::size_t>(p)] / all : 0;
  }
};

}}  // namespace ttune::v0
