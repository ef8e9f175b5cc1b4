// SPDX-License-Identifier: Apache-2.0
// Reports what a live tuner did so far, and what keeps it from tuning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// A kernel of a live tuner.
struct live_kernel_report {
  enum class state : std::uint8_t {
    waiting,  ///< others are worth more, or it is called too rarely
    tuning,   ///< it has the turn
    done,     ///< it has had the effort that was asked for
    failing   ///< the last attempt failed; another one follows later
  };
  std::string name;  ///< with the shapes of its inputs, as "matmul(A 512x256, B 256x1024)"
  state now = state::waiting;
  std::uint64_t calls = 0;
  double seconds = 0;         ///< mean of a call since the last swap, of the calls that were timed; 0: none was
  double gain = 1;            ///< time of the first kernel over that of the present one, from paired measurements
  std::int64_t swaps = 0;     ///< kernels that replaced others
  std::int64_t trials = 0;    ///< in this process
  std::int64_t failures = 0;  ///< attempts to tune it that ended with an error
  std::string failure;        ///< the last error
};

[[nodiscard]] char const* name_of(live_kernel_report::state s) noexcept;

/// Report of a live tuner.
struct live_report {
  std::vector<live_kernel_report> kernels;
  double seconds = 0;            ///< since the live tuner was made
  double processor_seconds = 0;  ///< of the tuning and its workers
  bool running = true;           ///< false after a stop
  std::string failure;           ///< the last error of all kernels; empty: there was none
  std::string records_failure;   ///< not empty: why results are kept in memory only, until the application ends

  /// Returns the share of one core that the tuning used.
  [[nodiscard]] double share() const noexcept { return seconds > 0 ? processor_seconds / seconds : 0; }
  /// Returns a few lines for people.
  [[nodiscard]] std::string text() const;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/live/live_report.inl.hpp"
#endif
