// SPDX-License-Identifier: Apache-2.0
// The options that all runners of one workload have in common: inputs, threads, state of the caches, tolerance.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// State of the caches in which calls are timed.
enum class objective : std::uint8_t {
  warm,  ///< operands stay in the caches as the last call left them
  cold,  ///< operands rotate through more memory than the last-level cache
  /// Constants come from memory, also those that a kernel laid out; other operands stay in the caches. These are calls
  /// of an operator of a network whose weights exceed the last-level cache.
  cold_constants
};

/// Returns the name of an objective in records.
[[nodiscard]] constexpr char const* name_of(objective goal) noexcept {
  return goal == objective::warm ? "warm" : goal == objective::cold ? "cold" : "cold constants";
}

/// Options of a runner.
struct runner_options {
  std::uint64_t seed = 1;  ///< seed of the generated inputs
  ttune::objective objective = ttune::objective::warm;
  std::int32_t threads = 0;  ///< 0: all processors that the process may use
  std::int64_t last_level_bytes = 64 << 20;
  double tolerance = 1;  ///< factor on the tolerance that follows from the types and `kernel_signature::terms`
  /// Inputs from the user, by operand; an empty one is generated from the seed. Sizes must match the operands.
  std::vector<std::vector<std::uint8_t>> data = {};
};

}}  // namespace ttune::v0
