// SPDX-License-Identifier: Apache-2.0
// Complex expressions. An element is two numbers side by side, so an expression of complex elements is one of numbers
// with one axis more, `re_im`, which the program has but users do not write:
//
//   Z(i) = X(i) * Y(i)      is      Z(i, re_im) = select(re_im == 0, X(i, 0) * Y(i, 0) - X(i, 1) * Y(i, 1),
//                                                        X(i, 0) * Y(i, 1) + X(i, 1) * Y(i, 0))
//
// In row-major operands it is the last dimension, in column-major ones the first: both are innermost in memory.
#pragma once

#include <string_view>

#include "ttune/expr/expr.hpp"

namespace ttune { inline namespace v0 { namespace detail {

template <class X>
struct is_complex_operand : std::bool_constant<is_complex_v<X>> {};
template <class T, class Axes, class Uses>
struct is_complex_operand<expr<T, Axes, Uses>> : std::bool_constant<is_complex_v<T>> {};
/// True for complex expressions, and for complex numbers beside expressions.
template <class X>
inline constexpr bool is_complex_operand_v = is_complex_operand<std::remove_cv_t<X>>::value;

/// Returns the axes of a left side, or the extents of an operand, with the axis of the parts as the innermost one.
template <class Layout, class Range>
[[nodiscard]] std::vector<Range> with_parts(std::vector<Range> ranges, Range parts) {
  ranges.insert(Layout::order == memory_order::column_major ? ranges.begin() : ranges.end(), std::move(parts));
  return ranges;
}

/// The axis of the parts, as a type.
using name_of_parts = names<"re_im">;
static_assert(std::string_view(capture::parts_axis) == "re_im");

[[nodiscard]] inline axis_range range_of_parts() { return {capture::parts_axis, true, 0, 2}; }

/// Returns the number of dimensions that an operand of `rank` dimensions has in the program.
template <class T>
[[nodiscard]] constexpr int dimensions_in_program(int rank) noexcept {
  return rank + (is_complex_v<T> ? 1 : 0);
}

}}}  // namespace ttune::v0::detail
