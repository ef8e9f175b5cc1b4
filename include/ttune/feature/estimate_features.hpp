// SPDX-License-Identifier: Apache-2.0
// The estimated time of a candidate on a CPU, by a roofline model, as features.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "ttune/feature/feature_row.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Sustained bandwidth of one core in bytes per cycle: from L2 into L1, from L3 into L2, from memory into L3.
/// Deliberately rough: the estimate must rank, and the model learns the deviations.
inline constexpr std::array<double, 3> bytes_per_cycle = {32, 10, 5};
inline constexpr double ports = 2;     ///< multiply-adds, and loads, per cycle
inline constexpr double pipeline = 8;  ///< multiply-adds in flight: ports × latency

/// Writes a roofline estimate: the slowest resource hides the others, except for the time of other stages. In cycles,
/// all cores together.
inline void write_estimate(extracted_for const& machine, feature_row& r) {
  auto const each = std::max(1.0, r.facts->flops_per_point / 2);  // in instructions: a multiply-add is one
  auto const runs = r.work.iterations[static_cast<std::size_t>(r.c.stage)] / r.level(r.tile).inner;
  auto const fmas = runs * r.tile_fmas * each;
  auto const ideal = r.facts->points * each / (r.facts->lanes * ports * machine.cores);
  auto const latency = std::max(1.0, pipeline / r.accumulators);
  auto const spilled = std::max(0.0, (r.accumulators + r.vectors + 1) / machine.vector_registers - 1);
  auto const split = r.imbalance / machine.cores;
  double const fma = fmas * latency / ports * split;
  double const load = fmas / each * (r.loads + 2 * spilled) / ports * split;
  double slowest = std::max(fma, load);
  r.put(fma / ideal);
  r.put(load / ideal);
  for (std::size_t cache = 0; cache < 3; ++cache) {
    auto const time = r.traffic[cache] / bytes_per_cycle[cache] * split;
    slowest = std::max(slowest, time);
    r.put(time / ideal);
  }
  auto const total = r.block.there ? r.block.time * ideal : slowest + r.other_cycles;
  r.put(r.other_cycles / ideal);
  r.put(total / ideal);
  r.put(ideal / total);
  r.put(total);
}

}}}  // namespace ttune::v0::detail
