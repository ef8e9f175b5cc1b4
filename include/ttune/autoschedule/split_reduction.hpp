// SPDX-License-Identifier: Apache-2.0
// Reductions with so few results that threads would be idle: each thread computes a share of the terms, then the shares
// are reduced. The step makes only the stage of the shares, which is scheduled like any other stage.
//
//   S = sum(k < K) e(k)      →      shares(t < f) = sum(o < K / f) e(t * K / f + o)      f: some per core
//                                   S = sum(t < f) shares(t)
//
// cpu/split_reduction.hpp and gpu/split_reduction.hpp choose the axis and the number of shares.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/autoschedule/analysis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// A reduced axis and its number of shares.
struct share_choice {
  std::size_t axis;
  std::int64_t count;
};

[[nodiscard]] inline std::string share_axis(std::string const& reduced) { return reduced + "_share"; }

/// Returns the step that makes a stage of the shares, `<stage>.shares`.
[[nodiscard]] inline step split_reduction(stage_plan const& st, share_choice const& choice) {
  auto const& name = st.definition->name;
  auto const& axis = st.axis_name(choice.axis);
  return {primitive::rfactor, name, {axis}, {name + ".shares", share_axis(axis)}, {literal(-choice.count)}};
}

/// Below this number of elements, threads are not worth waking.
inline constexpr std::int64_t least_shared_elements = 1 << 16;

/// Size of a stage's result, and its number of additions.
struct stage_size {
  std::int64_t results = 1;
  std::int64_t elements = 1;
};
[[nodiscard]] inline stage_size size_of(stage_plan const& st) {
  stage_size made;
  for (std::size_t x = 0; x < st.axis_count(); ++x) {
    if (x < st.definition->axes.size()) made.results *= st.axis_size(x);
    made.elements *= st.axis_size(x);
  }
  return made;
}

}}}  // namespace ttune::v0::autoschedule
