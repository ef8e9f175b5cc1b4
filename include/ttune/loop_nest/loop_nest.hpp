// SPDX-License-Identifier: Apache-2.0
// A nest is a schedule with all numbers filled in: flat arrays, no heap, no names. Features are computed from it
// and the statement tree is built from it, so that the two cannot disagree.
#pragma once

#include <array>
#include <cstdint>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/limits.hpp"

namespace ttune { inline namespace v0 {

struct loop_nest {
  static constexpr std::size_t max_loops = most_loops_of_plan;
  static constexpr std::size_t max_stages = most_stages_of_plan;
  static constexpr std::size_t max_axes = most_axes_of_stage;

  /// A leaf loop: adds stride * iteration to its axis.
  struct loop {
    std::int32_t extent = 1;
    std::int32_t stride = 1;
    std::int16_t axis = 0;
    std::int16_t source = 0;  ///< index into stage_plan::loops
    ir::loop_kind kind = ir::loop_kind::serial;
    bool fused = false;  ///< runs as one loop with the next loop inside
  };
  /// A stage computed at one place. Its loops are loops[first, first + count), outermost first.
  struct stage {
    std::int16_t first = 0;
    std::int16_t count = 0;
    std::int16_t attached_to = -1;  ///< stage inside of whose loops it is computed; -1: none
    std::int16_t depth = -1;        ///< it is inside of loops [0, depth] of that stage
    bool inlined = false;
    bool group = false;         ///< in the memory of a block: its region is what all threads around it read
    std::int16_t padding = 0;   ///< unused elements after each row of its buffer
    std::int32_t swizzle = 0;   ///< number of rows after which rows begin in other banks; 0: chunks keep their order
    std::int16_t buffers = 1;   ///< more than one: a later iteration's part is computed while this one's is read
    std::int16_t held = 0;      ///< iterations for which a part of these buffers stays unchanged after its own
    std::int16_t prefetch = 0;  ///< iterations by which stage_plan::prefetched is read ahead; 0: none
    /// An axis along which the stage slides (primitive/slide.hpp), or -1. An iteration of the loop around it then
    /// computes only `extent` of the rows that are read there; earlier iterations have computed the others.
    std::int16_t slid_axis = -1;
    std::int16_t warm_up = 0;  ///< iterations of the loop around it before the first one that computes it
    std::int32_t window = 0;   ///< rows along `slid_axis` that are read in an iteration
    std::int32_t ring = 0;     ///< rows along `slid_axis` for which its buffer has space: a power of two
    /// It is a scan, each part of which continues that of the iteration before (continued.hpp).
    bool continued = false;
    /// Extents of its axes at its place: of the region that is read there, or of the whole stage.
    std::array<std::int32_t, max_axes> extent{};
  };

  std::array<loop, max_loops> loops;
  std::array<stage, max_stages> stages;
  std::int16_t loop_count = 0;
  std::int16_t stage_count = 0;
};

}}  // namespace ttune::v0
