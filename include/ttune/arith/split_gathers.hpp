// SPDX-License-Identifier: Apache-2.0
// Takes sums apart that data and axes form before they become an index, so that the place of the axes is known:
//
//   at(delay(m) + cast<i32>(t))   →   at(delay(m)) + t     if the sum does not wrap
//
// Elements that neighbours along t read are neighbours then.
#pragma once

#include "ttune/arith/interval.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// Returns the index in this form, with the same value wherever the variables lie in their ranges; the same handle if
/// nothing is taken apart.
[[nodiscard]] ir::expr split_gathers(ir::expr const& index, ranges const& known);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/split_gathers.inl.hpp"
#endif
