// SPDX-License-Identifier: Apache-2.0
// The work of one block of threads in a GPU kernel: its tiles and fetches, sectors and bank conflicts of its loads, its
// resources, and an estimate of the time of each part. Closed forms computed from a loop nest, for programs whose
// threads accumulate data that they read from the block's memory (OpenCL: local memory) or directly.
#pragma once

#include <array>
#include <cstdint>

#include "ttune/feature/chain.hpp"

namespace ttune { inline namespace v0 {

/// Work and estimated times of a block. Counts are per warp, thread or block as stated. Times are cycles of one core,
/// relative to the multiply-adds alone if those were spread evenly over all cores.
struct block_work {
  static constexpr std::size_t max_operands = 2;

  /// An operand of the dominating stage; the larger source comes first.
  struct operand {
    double group_words = 0;  ///< words of the tile that the block shares; 0: read directly
    /// Words that a thread copies in sequence: ceil(tile / threads), rounded up direction by direction.
    double fetch_words = 0;
    double fetch_use = 0;       ///< share of those steps that copy an element
    double fetch_run = 0;       ///< words of the tile that are contiguous in global memory
    double fetch_sectors = 0;   ///< sectors of 32 bytes that one load of a warp touches
    double store_conflict = 0;  ///< accesses to the busiest bank by one store of a warp into shared memory
    double thread_words = 0;    ///< words that a thread holds at a time
    double load_conflict = 0;   ///< accesses to the busiest bank by one load of a warp from shared memory
    double load_words = 0;      ///< distinct words of such a load
  };

  bool there = false;      ///< false: the loop nest has no threads; all other members are unset
  std::int32_t stage = 0;  ///< the dominating stage, by its domain
  /// Innermost loop of that stage inside of which a thread loads; -1: a thread does not load.
  std::int32_t loaded_inside = -1;
  std::array<operand, max_operands> operands;
  double blocks = 1;
  double threads = 1;
  double virtual_threads = 1;
  double group_bytes = 0;
  double steps = 1;            ///< number of times that the block fetches
  double middle = 1;           ///< number of times that a thread loads, per step
  double accumulators = 1;     ///< accumulators of a thread, virtual threads included
  double inner_reduction = 1;  ///< reduced iterations between two loads of a thread
  double reduction = 1;        ///< all reduced iterations
  double output_sectors = 1;   ///< sectors that one store of a warp touches
  double registers = 0;        ///< estimated registers of a thread
  double spilled = 0;          ///< registers beyond the limit of a thread
  double resident = 1;         ///< blocks that a core holds at a time
  double occupancy = 0;        ///< resident warps / warps that a core can hold
  double waves = 1;
  double tail = 1;             ///< blocks of the busiest core, relative to an even share
  double warp_fill = 1;        ///< share of a warp's lanes that are in use
  double unrolled_body = 1;    ///< statements in the straight-line code
  double unrolled_levels = 0;  ///< number of unrolled loops, from the innermost on
  double unrolled_share = 0;   ///< statements between two loads of a thread / unroll limit
  bool unrolled_tile = false;  ///< all loops over accumulators are unrolled
  double time_fma = 0, time_load = 0, time_store = 0, time_fetch = 0, time_traffic = 0, time_issue = 0;
  double time_latency = 0;
  double time = 0;  ///< total time, without the part that other warps hide
};

/// Computes block_work; holds no reference to the plan.
class block_builder {
 public:
  block_builder() = default;
  block_builder(plan const& p, target const& machine);

  /// `unroll`: limit of unrolled statements, as in the knob auto_unroll_max_step.
  void build(loop_nest const& n, chain_builder const& chains, double unroll, block_work& out) const;
  /// Updates only the members that depend on the unroll limit, for work that was built from the same loop nest.
  static void unroll_loops(loop_nest const& n, double limit, block_work& out);

 private:
  struct thread_loop {  ///< a loop of the root stage
    std::int32_t axis;
    std::int32_t stride;
    std::int32_t extent;
  };
  struct threads_of;
  [[nodiscard]] static std::size_t dominating(loop_nest const& n, chain_builder const& chains);
  static void find_threads(loop_nest const& n, std::size_t root, threads_of& found);
  static void place(loop_nest const& n, chain_builder const& chains, std::size_t group, std::size_t root,
                    threads_of const& t, block_work::operand& o);
  static void count_sectors(loop_nest const& n, detail::stage_facts const& facts, std::size_t group,
                            threads_of const& t, block_work::operand& o);
  void occupy(block_work& out) const;
  void time(block_work& out) const;

  double cores_ = 1;
  double group_limit_ = 49152;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/feature/block.inl.hpp"
#endif
