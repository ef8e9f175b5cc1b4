// SPDX-License-Identifier: Apache-2.0
// The relative size of a rounding to a float type. The bounds of rounding errors (rounding_bounds.hpp) and the checks
// that use them are multiples of it.
#pragma once

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns half a unit in the last place of a float type, relative to the value.
[[nodiscard]] constexpr double rounding_unit(dtype t) noexcept {
  return t == dtype::f64 ? 0x1p-53 : t == dtype::f32 ? 0x1p-24 : t == dtype::f16 ? 0x1p-11 : 0x1p-8;
}

namespace detail {

/// The bound of an error of which nothing can be said.
inline constexpr double unbounded_error = 1e300;
/// Bounds from here on are parts of an unbounded one, and say nothing either.
inline constexpr double least_unknown_error = 1e200;

}  // namespace detail

}}}  // namespace ttune::v0::ir
