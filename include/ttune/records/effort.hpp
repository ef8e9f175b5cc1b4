// SPDX-License-Identifier: Apache-2.0
// The effort of a tuning, as it is asked for, and as a record keeps it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// How hard a tuning tries. The names are those of FFTW's planners; tune/effort.hpp says what each costs.
enum class effort_level : std::uint8_t {
  none,  ///< no level is asked for, but the limits of a budget
  estimate,
  measure,
  patient,
  exhaustive
};

[[nodiscard]] char const* name_of(effort_level level) noexcept;
/// Returns the level of a name; effort_level::none if there is none.
[[nodiscard]] effort_level effort_level_named(std::string_view name) noexcept;

/// The limits of a tuning, as they count for its records.
struct asked_effort {
  effort_level level = effort_level::none;
  std::int64_t trials = 0;
  double seconds = std::numeric_limits<double>::infinity();  ///< as the caller gave them, not those of the level
  std::int64_t patience = 0;                                 ///< trials without gain; 0: no limit

  friend bool operator==(asked_effort const&, asked_effort const&) = default;
};

/// The effort behind a record, over all starts of programs that worked on it.
struct recorded_effort {
  enum class ending : std::uint8_t {
    unknown,    ///< as in records of earlier versions
    cut_short,  ///< killed, stopped or at its deadline
    at_limit,   ///< at a limit of `asked`
    complete    ///< nothing is left to try
  };
  std::int64_t trials = 0;
  double seconds = 0;  ///< spent on tuning
  ending ended = ending::unknown;
  asked_effort asked = {};

  /// Returns true if the effort is known.
  explicit operator bool() const noexcept { return ended != ending::unknown; }

  friend bool operator==(recorded_effort const&, recorded_effort const&) = default;
};

[[nodiscard]] char const* name_of(recorded_effort::ending ended) noexcept;

/// Returns true if a record answers what is asked for. If its effort is unknown, as in records of earlier versions, it
/// answers all but effort_level::exhaustive: those programs expect their kernels at once.
[[nodiscard]] bool suffices(recorded_effort const& known, asked_effort const& asked) noexcept;

/// Returns the effort in a few words: "256 trials in 12.3 s, patient", "1 trial in 0.1 s, cut short".
[[nodiscard]] std::string text_of(recorded_effort const& spent);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/effort.inl.hpp"
#endif
