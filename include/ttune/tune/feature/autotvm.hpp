// SPDX-License-Identifier: Apache-2.0
// The three feature sets of AutoTVM (Chen et al., 2018), for comparison: their length depends on the schedule, and
// they take microseconds to milliseconds. Definitions follow TVM's touch_extractor, but for two things: strides are the
// true ones (TVM's index parser reads var * constant only), and the loops that set a sum to zero are not counted apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ttune/schedule/nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune::inline v0::autotvm {

/// The choices themselves: factors, permutations and numbers as they are, no logarithms.
[[nodiscard]] std::vector<float> knob_features(plan const& p, configuration const& chosen);

/// What one access does while a loop and those inside of it run.
struct loop_touch {
  double stride = 0;        ///< elements between two iterations of the loop; 0: it does not move the access
  double count = 1;         ///< iterations of the loops that move it
  double reuse = 1;         ///< and of those that do not
  double thread_count = 0;  ///< the same within one thread, where a level of parallelism ends; else 0
  double thread_reuse = 0;
};
/// A loop as TVM meets it in the statement tree.
struct loop_context {
  double length = 1;
  int nest_level = 1;    ///< from 1
  double topdown = 1;    ///< product of the lengths from the outermost loop through this one
  double bottomup = -1;  ///< largest count × reuse of an access
  ir::loop_kind kind = ir::loop_kind::serial;
  double adds = 0;  ///< of floating point, in the statement directly inside
  double multiplies = 0;
  double divides = 0;
  std::map<std::string, loop_touch> touches;  ///< by source and occurrence, as "A_0", sorted as strings
};
/// In the order of first occurrence.
[[nodiscard]] std::vector<loop_context> loop_contexts(plan const& p, nest const& n);

/// Per loop, from the outermost on: 4 of its extent and place, 11 of its annotation, 3 of arithmetic, 6 an access
/// inside of it. The values of knobs that are no factors or orders follow.
[[nodiscard]] std::vector<float> itervar_features(plan const& p, nest const& n, configuration const& chosen);

struct curve_options {
  int samples = 20;     ///< thresholds 2^0 … 2^(samples − 1)
  bool topdown = true;  ///< false: without the pairs of count and topdown, which say little once both are sorted
};
/// "curve" as TVM shipped it until April 2019: a flag was read where the number of samples was meant.
inline constexpr curve_options curve_as_shipped{.samples = 1};
/// "curve-fix".
inline constexpr curve_options curve_fixed{};
/// Relation features: how reuse grows with the touched count (and back, and topdown likewise), per access of the
/// deepest loops.
[[nodiscard]] std::vector<float> curve_features(plan const& p, nest const& n, configuration const& chosen,
                                                curve_options options = {});

}  // namespace ttune::inline v0::autotvm

#if TTUNE_HEADER_ONLY
#include "ttune/tune/feature/autotvm.inl.hpp"
#endif
