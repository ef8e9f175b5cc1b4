// SPDX-License-Identifier: Apache-2.0
// The chain of loops around the stage with the most work, and the elements and cache lines of every access that each
// loop touches. Closed forms computed from a loop nest, in a few hundred nanoseconds and without heap allocation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/feature/stage_facts.hpp"
#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 {

/// Loops that run more than once, from the innermost outwards; levels[0] is the body alone.
struct loop_chain {
  static constexpr std::size_t max_levels = 65;
  static constexpr std::size_t max_accesses = detail::most_accesses;

  struct level {
    std::int16_t loop;  ///< index into nest::loops
    std::int16_t stage;
    std::int32_t extent;
    ir::loop_kind kind;  ///< kind of the fused loop, for loops that are fused
    float inner;         ///< iterations of this loop and those inside of it
    float footprint;     ///< bytes of all cache lines that they touch
  };

  std::int32_t stage = 0;      ///< the dominating stage
  std::int32_t count = 0;      ///< number of levels without the body
  std::int32_t own_count = 0;  ///< levels of the stage itself; the others belong to the stages that it is attached to
  /// Innermost vectorised loop of the stage itself; 0: none.
  std::int32_t vector_level = 0;
  /// Number of accesses, by bytes, largest first; reads of one source with the same strides count once.
  std::int32_t access_count = 0;
  std::int32_t line_bytes = 64;
  std::array<level, max_levels> levels;
  /// Touched elements, clamped to the allocated extent, and cache lines; the first access_count entries are set.
  alignas(16) float touched[max_levels][max_accesses];
  alignas(16) float lines[max_levels][max_accesses];
  /// Elements in memory between neighbours along the innermost vectorised loop.
  alignas(16) float vector_stride[max_accesses];

  [[nodiscard]] level const& outermost() const noexcept { return levels[static_cast<std::size_t>(count)]; }
  /// Returns the product of the extents of the loops outside of level `at`.
  [[nodiscard]] float outer(std::int32_t at) const noexcept {
    return outermost().inner / levels[static_cast<std::size_t>(at)].inner;
  }
};

/// Computes loop chains; holds no reference to the plan.
class chain_builder {
 public:
  chain_builder() = default;
  chain_builder(plan const& p, target const& machine);

  /// The number of runs of every stage's body; 0 for an inlined stage.
  struct work {
    std::array<double, loop_nest::max_stages> invocations;
    std::array<double, loop_nest::max_stages> iterations;
    std::int32_t dominating = 0;
  };
  void count_work(loop_nest const& n, work& out) const;
  /// Computes the chain of the dominating stage.
  void build(loop_nest const& n, work const& w, loop_chain& out) const;

  [[nodiscard]] detail::stage_facts const& facts(std::size_t stage) const { return stages_[stage]; }

 private:
  struct scratch;
  void prepare_storage(loop_nest const& n, std::size_t st, scratch& s) const;
  void add_stage(loop_nest const& n, std::size_t st, std::int32_t last, scratch& s, loop_chain& out) const;
  static void move(std::size_t axis, float distance, float size, scratch& s);
  void rebase(loop_nest const& n, std::size_t st, std::size_t reader, scratch& s) const;
  void measure(scratch const& s, loop_chain& out) const;
  void measure_stride(loop_nest const& n, loop_nest::loop const& l, scratch const& s, loop_chain& out) const;

  std::vector<detail::stage_facts> stages_;
  std::int32_t line_bytes_ = 64;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/feature/chain.inl.hpp"
#endif
