// SPDX-License-Identifier: Apache-2.0
// The row of features that is being written, and values that several groups of features share.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ttune/feature/block.hpp"
#include "ttune/feature/chain.hpp"
#include "ttune/feature/stage_facts.hpp"
#include "ttune/loop_nest/loop_nest.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The machine that features are extracted for.
struct extracted_for {
  std::array<double, 3> cache_bytes = {};
  double vector_registers = 16;
  double cores = 1;
};

/// Choices of the knobs that are only annotations for the compiler of a GPU; 0 for a knob that does not exist.
struct unroll_choice {
  float limit = 0;
  float is_explicit = 0;
};

inline constexpr std::size_t shown_accesses = 4;

/// The feature row that is being written, and values that several groups of features share.
struct feature_row {
  // The chain stays uninitialised because it is large.
  feature_row(loop_nest const& of, float* to, block_work& threads) noexcept : n(of), block(threads), out(to) {}

  loop_nest const& n;
  block_work& block;
  float* out;
  std::size_t at = 0;
  loop_chain c;
  chain_builder::work work;
  stage_facts const* facts = nullptr;
  double flops = 0;         ///< arithmetic of the dominating stage's domain
  double vectors = 1;       ///< instructions of one run of the vectorised loop
  std::int32_t tile = 0;    ///< levels [1, tile] are unrolled or vectorised
  double tile_fmas = 1;     ///< vector multiply-adds of one run of those levels
  double accumulators = 1;  ///< number of vectors
  double loads = 0;         ///< loads per multiply-add
  double tasks = 1;
  double other_cycles = 0;  ///< cycles of other stages, all cores together
  double imbalance = 1;     ///< time of the slowest core relative to an even split
  std::array<double, 3> traffic = {};

  void put(double value) { out[at++] = static_cast<float>(value); }
  [[nodiscard]] loop_chain::level const& level(std::int32_t i) const { return c.levels[static_cast<std::size_t>(i)]; }
  [[nodiscard]] float touched(std::int32_t i, std::size_t access) const {
    return c.touched[static_cast<std::size_t>(i)][access];
  }
  [[nodiscard]] float lines(std::int32_t i, std::size_t access) const {
    return c.lines[static_cast<std::size_t>(i)][access];
  }
  [[nodiscard]] std::size_t accesses() const { return static_cast<std::size_t>(c.access_count); }
  [[nodiscard]] bool is_reduced(loop_chain::level const& l) const {
    return static_cast<std::size_t>(n.loops[static_cast<std::size_t>(l.loop)].axis) >= facts->free_axes;
  }
  /// Returns the loads of `extent` elements along the vectorised loop, given the stride in memory.
  [[nodiscard]] double pieces(double extent, float stride) const {
    if (stride == 0) return 1;
    return stride == 1 ? std::ceil(extent / facts->lanes) : extent;
  }
};

}}}  // namespace ttune::v0::detail
