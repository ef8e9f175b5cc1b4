// SPDX-License-Identifier: Apache-2.0
// What a cost model sees of a candidate: a fixed number of floats, in closed form from the nest.
#pragma once

#include <span>

#include "ttune/core/target.hpp"
#include "ttune/schedule/nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune::inline v0 {

/// Prepared for one plan; `extract` allocates nothing. Sizes are log2(1 + x).
/// Columns: 16 knob values (the first column of each knob, 0 where there is none), then of the first 32 loops of the
/// nest in their order the extents.
class feature_extractor {
 public:
  feature_extractor(plan const& of, target const& machine);
  [[nodiscard]] std::size_t size() const noexcept { return knobs + loops; }
  void extract(nest const& n, configuration const& chosen, std::span<float> out) const;

 private:
  static constexpr std::size_t knobs = 16;
  static constexpr std::size_t loops = 32;
  std::vector<knob> knobs_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/features.inl.hpp"
#endif
