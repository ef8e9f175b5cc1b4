// SPDX-License-Identifier: Apache-2.0
// The three feature sets of AutoTVM (Chen et al., 2018), for comparison. Their length depends on the schedule, and they
// take microseconds to milliseconds. The definitions follow TVM's touch_extractor, with two exceptions: strides are the
// true ones (TVM's index parser reads var * constant only), and the loops that set a sum to zero are not counted
// separately.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 { namespace autotvm {

/// Returns the values of the choices: factors, permutations and numbers, without logarithms.
[[nodiscard]] std::vector<float> knob_features(plan const& p, configuration const& chosen);

/// The behaviour of one access while a loop and the loops inside of it run.
struct loop_touch {
  double stride = 0;        ///< elements between two iterations of the loop; 0: the access does not move
  double count = 1;         ///< iterations of the loops that move the access
  double reuse = 1;         ///< iterations of the loops that do not move it
  double thread_count = 0;  ///< `count` within one thread, at the end of a level of parallelism; else 0
  double thread_reuse = 0;
};
/// A loop in the order in which TVM visits the statement tree.
struct loop_context {
  double length = 1;
  int nest_level = 1;    ///< from 1
  double topdown = 1;    ///< product of the lengths from the outermost loop through this one
  double bottomup = -1;  ///< largest count × reuse of an access
  ir::loop_kind kind = ir::loop_kind::serial;
  double adds = 0;  ///< floating-point additions in the statement directly inside
  double multiplies = 0;
  double divides = 0;
  std::map<std::string, loop_touch> touches;  ///< keys are source and occurrence, as "A_0", sorted as strings
};
/// Returns the loops in the order of first occurrence.
[[nodiscard]] std::vector<loop_context> loop_contexts(plan const& p, loop_nest const& n);

/// Returns features per loop, from the outermost on: 4 of its extent and position, 11 of its annotation, 3 of
/// arithmetic, 6 per access inside of it. The values of knobs that are neither factors nor orders follow.
[[nodiscard]] std::vector<float> itervar_features(plan const& p, loop_nest const& n, configuration const& chosen);

/// Options of curve_features.
struct curve_options {
  int samples = 20;  ///< thresholds 2^0 … 2^(samples − 1)
  /// False: leave out the pairs of count and topdown, which carry little information once both are sorted.
  bool topdown = true;
};
/// The feature set "curve" as TVM shipped it until April 2019, which read a flag in place of the number of samples.
inline constexpr curve_options curve_as_shipped{.samples = 1};
/// The feature set "curve-fix".
inline constexpr curve_options curve_fixed{};
/// Returns relation features: how reuse grows with the touched count, and the reverse, and likewise with topdown, per
/// access of the deepest loops.
[[nodiscard]] std::vector<float> curve_features(plan const& p, loop_nest const& n, configuration const& chosen,
                                                curve_options options = {});

}}}  // namespace ttune::v0::autotvm

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/feature/autotvm.inl.hpp"
#endif
