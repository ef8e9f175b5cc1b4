// SPDX-License-Identifier: Apache-2.0
// Reports the origin of a kernel and the cost of finding it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/records/effort.hpp"
#include "ttune/tune/progress.hpp"

namespace ttune { inline namespace v0 {

/// The result of one of several computes of an operator.
struct alternative_outcome {
  std::string name;
  double error = 0;  ///< rounding error relative to the direct sum; 0: it only reassociates
  std::int64_t trials = 0;
  double seconds = 0;   ///< time of its best kernel
  std::string refused;  ///< not empty: the reason why it could not win
};

/// Report of a tuning.
struct tuning_report {
  enum class origin : std::uint8_t {
    record,  ///< found in the records; if the tuning continued, nothing was faster
    tuned,   ///< measured faster than the seed, or than the recorded kernel, with 95 % confidence
    seed     ///< the heuristic first configuration: nothing better was found
  };
  origin source = origin::seed;
  std::string workload;
  std::string space_size;
  std::int64_t trials = 0;
  std::array<std::int64_t, trial_statuses> trials_by_status{};
  double seconds = 0;       ///< measured time of one call
  double seed_seconds = 0;  ///< time of the untuned kernel; if `continued`, of the recorded one
  double gain = 1;          ///< seed time over result time, from paired measurements
  double spread = 0;
  double flops = 0;
  double tuning_seconds = 0;  ///< time spent on this workload
  std::array<double, tuning_phases> phase_seconds{};
  std::string stopped_because;
  std::int64_t refused = 0;  ///< candidates that could not be compiled, a refused seed included
  std::string seed_refused;  ///< not empty: why the seed could not be compiled, and the schedule that replaces it
  std::string fallback;      ///< not empty: why the stored image was not used, and what is used instead
  std::string schedule;      ///< the knobs of the result, as text
  /// Proposals whose program had been measured before: not run again, not counted as trials.
  std::int64_t same_programs = 0;
  /// Elements of the first kernel's outputs that were compared with the interpreter.
  std::int64_t checked_elements = 0;
  std::string alternative;  ///< the compute that won, if there were several
  /// All alternatives in the given order; empty if found in the records.
  std::vector<alternative_outcome> alternatives;
  bool continued = false;  ///< trials went on from a recorded kernel, whose effort was less than what was asked for
  /// The effort behind the kernel, that of earlier starts included; unknown if no tuning was made or recorded.
  recorded_effort effort = {};
  bool isolated = true;   ///< candidates ran in a separate process
  bool counted = false;   ///< times come from an analytic_backend: nothing was run
  bool recorded = false;  ///< times come from records: nothing was run

  /// Returns a few lines for people.
  [[nodiscard]] std::string text() const;
  /// Returns the same as one JSON object, on one line.
  [[nodiscard]] std::string json() const;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/tuning_report.inl.hpp"
#endif
