// SPDX-License-Identifier: Apache-2.0
// Properties of a stage that features depend on, and that are equal for all configurations: its accesses as tables, and
// how its region moves with the loops of its readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ttune { inline namespace v0 { namespace detail {

/// Accesses of a stage that are told apart; of more, those with the fewest bytes are left out.
inline constexpr std::size_t most_accesses = 16;

/// Four accesses in one vector.
using float4 = float __attribute__((vector_size(16)));

/// An access, or several that differ in constants only.
struct merged_access {
  std::int32_t producer = -1;
  std::int32_t operand = -1;
  bool write = false;
  double bytes = 0;  ///< bytes of the whole source
  float element_bytes = 4;
};

/// The accesses of a stage, independent of the configuration. Tables are [dimension][block of four accesses], starting
/// with the dimension that is contiguous in memory.
struct access_tables {
  struct lanes {
    float4 v = {};
  };
  std::size_t dims = 1;
  std::size_t blocks = 1;
  std::vector<merged_access> accesses;
  std::vector<lanes> step;   ///< [axis] of those rows: distance that one step of the axis moves the index
  std::vector<lanes> first;  ///< span before any loop runs, due to merged constants
  std::vector<lanes> limit;  ///< extent − 1
  std::vector<lanes> bytes;  ///< [block]

  [[nodiscard]] std::size_t row() const noexcept { return dims * blocks; }
};

/// Distance that an axis of an attached stage's base moves per step of an axis of the stage that it is attached to.
struct base_step {
  std::int32_t axis = 0;
  std::int32_t reader_axis = 0;
  float coefficient = 0;
};

/// Properties of a stage that do not depend on the configuration.
struct stage_facts {
  access_tables tables;
  std::vector<std::vector<base_step>> bases;  ///< [reader]
  std::size_t axes = 0;
  std::size_t free_axes = 0;
  double points = 1;  ///< points of its whole domain
  double flops_per_point = 0;
  double reduced_points = 1;
  double element_bytes = 4;
  double lanes = 1;
  std::vector<std::int32_t> sizes;  ///< sizes of its axes
  bool in_registers = false;
  bool in_group = false;
  bool reads_producer = false;
  bool prepared = false;
  bool packed = false;
};

}}}  // namespace ttune::v0::detail
