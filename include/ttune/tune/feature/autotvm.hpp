// SPDX-License-Identifier: Apache-2.0
// The three feature sets of AutoTVM (Chen et al., 2018), for comparison: their length depends on the schedule, and
// they take microseconds to milliseconds. Definitions follow TVM's touch_extractor; the bugs are not reproduced.
#pragma once

#include <vector>

#include "ttune/schedule/nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune::inline v0::autotvm {

/// The choices themselves: factors, permutations and numbers as they are, no logarithms.
[[nodiscard]] std::vector<float> knob_features(plan const& p, configuration const& chosen);

/// Per loop, from the outermost on: 4 of its extent and place, 11 of its annotation, 3 of arithmetic, 6 an access
/// inside of it. The values of knobs that are no factors or orders follow.
[[nodiscard]] std::vector<float> itervar_features(plan const& p, nest const& n, configuration const& chosen);

struct curve_options {
  int samples = 20;     ///< thresholds 2^0 … 2^(samples − 1)
  bool topdown = true;  ///< false: "curve-fix", without the pairs of count and topdown, which say nothing once sorted
};
/// Relation features: how reuse grows with the touched count (and back, and topdown likewise), per access of the
/// deepest loops.
[[nodiscard]] std::vector<float> curve_features(plan const& p, nest const& n, configuration const& chosen,
                                                curve_options options = {});

}  // namespace ttune::inline v0::autotvm

#if TTUNE_HEADER_ONLY
#include "ttune/tune/feature/autotvm.inl.hpp"
#endif
