// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/tune/features.hpp"

namespace ttune::inline v0 {

TTUNE_INLINE feature_extractor::feature_extractor(plan const& of, target const&) : knobs_(of.knobs) {}

TTUNE_INLINE void feature_extractor::extract(nest const& n, configuration const& chosen, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t i = 0; i < std::min(knobs, chosen.choices.size()); ++i)
    out[i] = std::log2(1.0F + static_cast<float>(knobs_[i].choice(chosen.choices[i])[0]));
  for (std::size_t i = 0; i < std::min(loops, static_cast<std::size_t>(n.loop_count)); ++i)
    out[knobs + i] = std::log2(1.0F + static_cast<float>(n.loops[i].extent));
}

}  // namespace ttune::inline v0
