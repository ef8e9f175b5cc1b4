// SPDX-License-Identifier: Apache-2.0
// Places blocks of memory that are needed for a while, such as activations of a network, in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Offsets in an arena, and so the room that a block takes, are multiples of this number of bytes.
inline constexpr std::int64_t memory_plan_alignment = 64;

/// A block of memory, needed from one step to another, both included.
struct memory_block {
  std::int64_t bytes = 0;
  std::int64_t first_use = 0;  ///< the step that writes it
  std::int64_t last_use = 0;   ///< the last step that reads it; not before first_use
};

/// Two blocks of which the second may begin where the first does, though one step uses both: it reads each element of
/// the operand before it writes the result there. It is only used if that step is the operand's last use and the
/// result's first one.
struct in_place_pair {
  std::size_t operand = 0;  ///< number of a block
  std::size_t result = 0;   ///< number of another block
};

struct memory_plan {
  std::vector<std::int64_t> offsets;  ///< [block]: bytes from the beginning of the arena
  std::int64_t bytes = 0;             ///< size of the arena
  /// No plan takes less: the largest sum of the blocks alive at one step, less what pairs in place may share there.
  std::int64_t least_bytes = 0;
};

/// Gives each block an offset such that blocks alive at a common step do not overlap, but for pairs in place, which may
/// have the same offset. A block of no bytes is at 0.
///
/// The plan is the smallest of several greedy ones. Two are by size (the largest blocks first) and by breadth (those of
/// the step with the most bytes first) of Pisarchyk and Lee, "Efficient memory management for deep neural net
/// inference" (2020); blocks are also placed in the order of their first use. A block goes to the tightest or the
/// lowest gap, or to either end of the arena in turn, which makes plans of chains smallest. A plan of least_bytes is
/// smallest, others may not be.
///
/// Throws argument_error for a negative size, a last use before the first one, a pair of blocks that do not exist or
/// are the same, and blocks that exceed 2^61 bytes together. For n blocks it takes about n^2 log n steps.
[[nodiscard]] memory_plan plan_memory(std::vector<memory_block> const& blocks,
                                      std::vector<in_place_pair> const& in_place = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/memory_plan.inl.hpp"
#endif
