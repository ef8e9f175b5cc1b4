// SPDX-License-Identifier: Apache-2.0
// What one block of threads does in a kernel for a GPU: its tiles, what it fetches, how its loads fall on sectors and
// banks, what it occupies, and about how long each of that takes. Closed forms from a nest, for programs that
// accumulate in threads what they read through memory of the block (or read directly).
#pragma once

#include <array>
#include <cstdint>

#include "ttune/tune/feature/chain.hpp"

namespace ttune::inline v0 {

/// Counts are of the whole warp, thread or block as named; times are cycles of one core over those of the
/// multiply-adds alone, were they spread evenly over all cores.
struct block_work {
  static constexpr std::size_t max_operands = 2;

  /// What the dominating stage reads, the larger source first.
  struct operand {
    double group_words = 0;     ///< of the tile that the block shares; 0: read directly
    double fetch_words = 0;     ///< a thread copies in turn: ceil(tile / threads), direction by direction
    double fetch_use = 0;       ///< share of the copying that copies something
    double fetch_run = 0;       ///< words of the tile that are contiguous in global memory
    double fetch_sectors = 0;   ///< of 32 bytes that one load of a warp touches
    double store_conflict = 0;  ///< turns that one store of a warp into group memory takes
    double thread_words = 0;    ///< that a thread holds at a time
    double load_conflict = 0;   ///< turns of one load of a warp from group memory
    double load_words = 0;      ///< distinct words of such a load
  };

  bool there = false;               ///< false: the nest has no threads; all else is unset
  std::int32_t stage = 0;           ///< the dominating one, by its domain
  std::int32_t loaded_inside = -1;  ///< its innermost loop inside of which a thread loads; -1: it does not
  std::array<operand, max_operands> operands;
  double blocks = 1;
  double threads = 1;
  double virtual_threads = 1;
  double group_bytes = 0;
  double steps = 1;            ///< times that the block fetches
  double middle = 1;           ///< times that a thread loads, a step
  double accumulators = 1;     ///< of a thread, virtual threads included
  double inner_reduction = 1;  ///< reduced iterations between two loads of a thread
  double reduction = 1;        ///< reduced iterations, all
  double output_sectors = 1;   ///< that one store of a warp touches
  double registers = 0;        ///< of a thread, about
  double spilled = 0;          ///< of those, more than a thread can have
  double resident = 1;         ///< blocks that a core holds at a time
  double occupancy = 0;        ///< warps resident / warps that a core can hold
  double waves = 1;
  double tail = 1;             ///< blocks of the busiest core over an even share
  double warp_fill = 1;        ///< share of a warp's lanes that are threads
  double unrolled_body = 1;    ///< statements that end up in one straight piece
  double unrolled_levels = 0;  ///< loops of it, from the innermost on
  double unrolled_share = 0;   ///< the body between two loads of a thread / what may be unrolled
  bool unrolled_tile = false;  ///< all loops over accumulators are
  double time_fma = 0, time_load = 0, time_store = 0, time_fetch = 0, time_traffic = 0, time_issue = 0;
  double time_latency = 0;
  double time = 0;  ///< of all, but for what other warps hide
};

/// Computes block_work; holds no reference to the plan.
class block_builder {
 public:
  block_builder() = default;
  block_builder(plan const& p, target const& machine);

  /// `unroll`: statements that may be unrolled, as the knob auto_unroll_max_step has it.
  void build(nest const& n, chain_builder const& chains, double unroll, block_work& out) const;
  /// Only what another limit changes, of work that was built from the same nest.
  static void unroll_loops(nest const& n, double limit, block_work& out);

 private:
  struct thread_loop {  ///< of the root stage
    std::int32_t axis;
    std::int32_t stride;
    std::int32_t extent;
  };
  struct threads_of;
  [[nodiscard]] static std::size_t dominating(nest const& n, chain_builder const& chains);
  static void find_threads(nest const& n, std::size_t root, threads_of& found);
  static void place(nest const& n, chain_builder const& chains, std::size_t group, std::size_t root,
                    threads_of const& t, block_work::operand& o);
  static void count_sectors(nest const& n, detail::stage_facts const& facts, std::size_t group, threads_of const& t,
                            block_work::operand& o);
  void occupy(block_work& out) const;
  void time(block_work& out) const;

  double cores_ = 1;
  double group_limit_ = 49152;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/feature/block.inl.hpp"
#endif
