// SPDX-License-Identifier: Apache-2.0
// Features of a candidate for cost models: `feature_count` floats in one schema for every operator and target, computed
// from the loop nest (loop_nest/loop_nest.hpp) alone. README.md explains each of them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/feature/block.hpp"
#include "ttune/feature/chain.hpp"
#include "ttune/feature/feature_row.hpp"
#include "ttune/feature/schema.hpp"
#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 {

/// Extracts features. Prepared once for a plan, a machine and the plan's knobs; holds no reference to them.
/// Thread-safe.
class feature_extractor {
 public:
  feature_extractor() = default;
  feature_extractor(plan const& p, target const& machine);

  [[nodiscard]] static constexpr std::size_t size() noexcept { return feature_count; }
  /// Writes the features of loop nest `n`, instantiated from `chosen`, to out[0, size()). All are finite. No heap
  /// allocation.
  void extract(loop_nest const& n, configuration const& chosen, std::span<float> out) const;
  /// Overload that also stores in `kept` what extract_again needs.
  void extract(loop_nest const& n, configuration const& chosen, std::span<float> out, block_work& kept) const;
  /// Returns true if two configurations give the same loop nest: they differ only in knobs that the schedule does not
  /// read.
  [[nodiscard]] bool same_nest(configuration const& a, configuration const& b) const noexcept;
  /// Updates the features of another configuration with the same loop nest to those of `chosen`: writes only about 20
  /// of them.
  void extract_again(loop_nest const& n, configuration const& chosen, block_work& kept, std::span<float> out) const;
  /// Returns the loop chain that the features are computed from.
  [[nodiscard]] loop_chain chain(loop_nest const& n) const;

 private:
  [[nodiscard]] detail::unroll_choice unrolling(configuration const& chosen) const;
  void write_knobs(configuration const& chosen, detail::feature_row& r) const;

  static constexpr std::size_t first_columns = 16;               ///< first columns of the values of this many knobs
  static constexpr std::size_t knob_slots = first_columns + 32;  ///< and the other columns of all knobs
  struct knob_slot {
    std::size_t knob = 0;
    std::size_t width = 0;  ///< columns per choice; 0: the slot is empty
    std::size_t first = 0;  ///< position of choice 0 in knob_values_
  };
  [[nodiscard]] float chosen_value(knob_slot const& s, configuration const& chosen) const;

  chain_builder chains_;
  block_builder blocks_;
  std::vector<std::size_t> nest_knobs_;  ///< knobs that the loop nest depends on
  knob_slot unroll_limit_;               ///< knobs that are only annotations, by AutoTVM's names
  knob_slot unroll_explicit_;
  std::vector<float> knob_values_;  ///< all columns of every choice, knob after knob
  std::array<knob_slot, knob_slots> knob_slots_ = {};
  detail::extracted_for machine_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/feature/feature_extractor.inl.hpp"
#endif
