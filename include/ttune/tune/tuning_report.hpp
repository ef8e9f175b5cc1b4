// SPDX-License-Identifier: Apache-2.0
// Where a kernel came from and what it cost to find.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/tune/progress.hpp"

namespace ttune::inline v0 {

/// What came of one of several computes of an operator.
struct alternative_outcome {
  std::string name;
  double error = 0;  ///< over that of the direct sum; 0: it only reassociates
  std::int64_t trials = 0;
  double seconds = 0;   ///< of its best kernel
  std::string refused;  ///< not empty: why it could not win
};

struct tuning_report {
  enum class origin : std::uint8_t {
    record,  ///< found in the records
    tuned,   ///< faster than the seed with 95 % confidence
    seed     ///< the heuristic first configuration: nothing better was found
  };
  origin source = origin::seed;
  std::string workload;
  std::string space_size;
  std::int64_t trials = 0;
  std::array<std::int64_t, trial_statuses> trials_by_status{};
  double seconds = 0;       ///< of one call, as measured
  double seed_seconds = 0;  ///< of the untuned kernel
  double gain = 1;          ///< seed over result, paired
  double spread = 0;
  double flops = 0;
  double tuning_seconds = 0;  ///< spent on this workload
  std::array<double, tuning_phases> phase_seconds{};
  std::string stopped_because;
  std::string fallback;               ///< not empty: why the stored image does not serve, and what does
  std::string schedule;               ///< the knobs of the result, as text
  std::int64_t same_programs = 0;     ///< proposals that lowered to a program measured before: not run again, no trials
  std::int64_t checked_elements = 0;  ///< of the first kernel's outputs, against the interpreter
  std::string alternative;            ///< the compute that won, where there were several
  std::vector<alternative_outcome> alternatives;  ///< all of them, in the order given; none if found in the records
  bool isolated = true;                           ///< candidates ran in a process of their own
  bool counted = false;                           ///< times are what an untimed_backend says: nothing ran
  bool replayed = false;                          ///< times are recorded ones: nothing ran

  /// A few lines for people.
  [[nodiscard]] std::string text() const;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/tuning_report.inl.hpp"
#endif
