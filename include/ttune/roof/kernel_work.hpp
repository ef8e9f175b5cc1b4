// SPDX-License-Identifier: Apache-2.0
// The demands of a kernel on the resources of a machine, and their reasons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// The resources of a machine. Those before `l2` are of one core, and amounts are vector instructions; `latency` counts
/// steps of a chain of additions. Amounts of `l2`, `l3` and `memory` are bytes that come from there.
enum class resource : std::uint8_t { arithmetic, division, load, store, latency, l2, l3, memory };
inline constexpr std::size_t resources = 8;

/// Why a kernel demands something.
enum class demand_cause : std::uint8_t {
  work,        ///< the operator needs it
  function,    ///< the operator needs a division or another expensive function
  idle_lanes,  ///< vector lanes that compute nothing, or scalar code
  one_sum,     ///< each term of a sum waits for the one before
  strided,     ///< neighbouring lanes or iterations access elements that are far apart
  gathered,    ///< data decide where elements are
  reloaded,    ///< results of a sum go through memory at each term
  spilled,     ///< more results than registers
  repeated     ///< data that a cache does not keep until they are used again
};
inline constexpr std::size_t demand_causes = 9;

/// A demand of one statement, by the busiest core.
struct work_demand {
  resource of = resource::arithmetic;
  demand_cause why = demand_cause::work;
  std::string statement;  ///< the buffer that it computes
  std::string operand;    ///< the buffer that it accesses, or the function; empty: none
  std::string loop;       ///< the loop that is to blame; empty: none
  double amount = 0;
  double number = 0;      ///< lanes that work, sums side by side, elements between lanes, or times that data come
  std::size_t group = 0;  ///< demands on the core of one statement have the same number
  friend bool operator==(work_demand const&, work_demand const&) = default;
};

/// A part of a kernel that runs before the next one begins: a parallel loop, or serial code.
struct work_phase {
  std::string loop;   ///< the parallel loop; empty: serial code
  double tasks = 1;   ///< iterations of the parallel loop
  double starts = 0;  ///< number of times that threads are started
  std::vector<work_demand> demands;

  /// Returns the name of what it computes last.
  [[nodiscard]] std::string of() const { return demands.empty() ? std::string("a part") : demands.back().statement; }
  friend bool operator==(work_phase const&, work_phase const&) = default;
};

/// The demands of one call of a kernel.
struct kernel_work {
  std::int32_t threads = 1;        ///< that parallel loops use
  double operations = 0;           ///< arithmetic as it is executed, on useful lanes
  double bytes = 0;                ///< of the operands that it touches, each once
  double vectors = 0;              ///< vector loads and stores of these bytes
  resource from = resource::load;  ///< where these bytes are before a call: `load` for L1
  std::vector<work_phase> phases;

  [[nodiscard]] bool known() const noexcept { return !phases.empty(); }
  friend bool operator==(kernel_work const&, kernel_work const&) = default;
};

}}  // namespace ttune::v0
