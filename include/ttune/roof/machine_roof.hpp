// SPDX-License-Identifier: Apache-2.0
// The roof of a machine: what each of its resources can do at most (Williams, Waterman, Patterson: Roofline, 2009).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// The most that a machine can do. `measure_roof` (runtime/measure_roof.hpp) measures it; a user may give it, too.
struct machine_roof {
  std::string target;        ///< target::name of the machine, as "x86_64 AuthenticAMD-25-17"
  std::int32_t threads = 1;  ///< all cores together: this number of threads
  // Seconds that one core takes for one vector instruction, when nothing else delays it.
  double arithmetic = 0;  ///< a multiply-add
  double division = 0;    ///< a division of f32
  double load = 0;
  double store = 0;
  double latency = 0;  ///< seconds from an addition to the next one that needs its result
  /// Bytes a second that one core reads from L2, L3 and memory, and all cores together.
  std::array<double, 3> one_core = {};
  std::array<double, 3> all_cores = {};
  double start = 0;  ///< seconds to start the threads of a parallel loop and to wait for them

  [[nodiscard]] bool known() const noexcept { return arithmetic > 0; }
  /// Returns the bytes a second that each of `threads` threads gets from a level, 0 for L2.
  [[nodiscard]] double bandwidth(std::size_t level, std::int32_t used) const noexcept {
    auto const shared = all_cores[level] / used;
    return used > 1 && shared < one_core[level] ? shared : one_core[level];
  }
};

}}  // namespace ttune::v0
