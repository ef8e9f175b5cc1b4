// SPDX-License-Identifier: Apache-2.0
// All compile-time messages of the DSL. A message shows its culprit as follows: the culprit is computed as a type, and
// an assertion demands that it is empty, so that both compilers print it.
#pragma once

#include "ttune/expr/names.hpp"

namespace ttune { inline namespace v0 {

/// Replaces an expression, a stage or an operator after its first error. Every operation accepts it, so that one
/// mistake gives one message.
struct invalid {
  template <class... Indices>
  constexpr invalid operator()(Indices const&...) const {
    return {};
  }
};

// Culprits, as types that compilers print.
template <fixed_string Tensor, int Dimensions, int IndicesGiven>
struct rank_of_tensor {};
template <class Left, class Right>
struct element_types {};
template <class Type>
struct element_type {};
template <class... Bounds>
struct bound_of_axis {};

namespace detail {

/// True only for an empty set of culprits.
template <class Culprit>
inline constexpr bool none_v = false;
template <>
inline constexpr bool none_v<names<>> = true;
template <>
inline constexpr bool none_v<void> = true;

}  // namespace detail

#define TTUNE_SAY_UNBOUND "ttune: an axis on the right is neither on the left nor reduced"
#define TTUNE_SAY_TWICE_LEFT "ttune: an axis stands twice on the left"
#define TTUNE_SAY_RANK "ttune: a tensor is indexed with another number of indices than it has dimensions"
#define TTUNE_SAY_MIXED_TYPES "ttune: the two operands have different element types; convert one with cast<T>(...)"
#define TTUNE_SAY_NESTED \
  "ttune: a reduction inside a reduction: say which axes the inner one reduces, as in max(over(k), ...)"
#define TTUNE_SAY_SHORT_FORM \
  "ttune: a reduction that is not the whole right-hand side names its axes, as in sum(over(k), ...)"
#define TTUNE_SAY_REDUCES_NOTHING \
  "ttune: a reduction reduces nothing: every axis of its operand is on the left; name the axes with over(...)"
#define TTUNE_SAY_OVER_UNUSED "ttune: a reduction runs over an axis that its operand does not have"
#define TTUNE_SAY_TWO_SUMS                                                                                             \
  "ttune: two reduced axes are each used in one operand only, so this is a product of two sums; write over(...) with " \
  "both if that is meant"
#define TTUNE_SAY_AXIS_PRODUCT "ttune: an index multiplies two axes; indices are affine"
#define TTUNE_SAY_INDEX_TYPE "ttune: an index is made of axes and integers; use at(...) to index with data"
#define TTUNE_SAY_DOMAIN                                                                                        \
  "ttune: an axis gets its range on the left side or in over(...): domains are boxes; for a part of one write " \
  "select(k <= i, e, 0)"
#define TTUNE_SAY_BOUND                                                                                           \
  "ttune: an axis runs between integers or a dim, not as far as data say; let it run to the most there are, and " \
  "write "                                                                                                        \
  "select(k < n(i), e, 0) for the term"
#define TTUNE_SAY_FLOAT_LITERAL \
  "ttune: a floating constant in an integer expression; write cast<float>(...) around the expression"
#define TTUNE_SAY_BOOL "ttune: a truth value mixes with no number; use select(condition, a, b)"
#define TTUNE_SAY_AXIS_FLOAT "ttune: an axis used as a value is an integer; write cast<float>(i)"
#define TTUNE_SAY_NARROW "ttune: this sum would be accumulated in a narrow type; write sum(cast<float>(...))"
#define TTUNE_SAY_INTEGER_FUNCTION "ttune: this function is for floats; write cast<float>(...)"
#define TTUNE_SAY_TF32 "ttune: TF32 is what a f32 is rounded to; write cast<float>(...)"
#define TTUNE_SAY_ELEMENT                                                                                    \
  "ttune: this type cannot be the element of a tensor: its size or sign is not fixed, or it is complex and " \
  "<ttune/complex.hpp> is missing"
#define TTUNE_SAY_COMPLEX_CAST "ttune: a complex expression becomes a real one by real(z), imag(z), norm(z) or abs(z)"
#define TTUNE_SAY_COMPLEX_FREE "ttune: complex operands keep their order of memory, so the operator has no free layouts"
#define TTUNE_SAY_COMPLEX_TABLE \
  "ttune: a table holds real numbers: use one for the real parts and one for the imaginary ones"
#define TTUNE_SAY_COMPLEX                                                                                          \
  "ttune: complex expressions have + - * / == !=, real, imag, conj, norm, abs, exp and sums; take their parts by " \
  "real(z) and imag(z) for anything else"
#define TTUNE_SAY_LAYOUT                                                                                           \
  "ttune: operands are row_major, col_major, strided<row_major>, strided<col_major> or any_strides; plain inputs " \
  "and results layout::any as well"
#define TTUNE_SAY_NO_OPERAND "ttune: the operator has no operand of this name"
#define TTUNE_SAY_NOT_FREE \
  "ttune: the operator has no operand of this name and of free layout: declare it with layout::any"
#define TTUNE_SAY_SCATTER                                                                                             \
  "ttune: the left side is axes only; for a sum into places that data choose, write sum(over(i), select(place(i) == " \
  "b, ...))"
#define TTUNE_SAY_CONDITION "ttune: the condition of select is a comparison"
#define TTUNE_SAY_UNTYPED_ARMS \
  "ttune: both arms of select are numbers or axes; give one of them a type, as in select(c, cast<float>(1), -1)"
#define TTUNE_SAY_BITS                                                                                              \
  "ttune: operations on bits are not part of the notation; for unsigned x, x % 16 is x & 15, x / 16 is x >> 4 and " \
  "x * 16 is x << 4"
#define TTUNE_SAY_NO_FUNCTION                                                                                         \
  "ttune: this function is not part of the notation; compose it from sqrt, exp, log, pow, sin, cos, tanh, erf, abs, " \
  "floor, min, max, select and % (of floats: fmod)"
#define TTUNE_SAY_SAME_OPERANDS "ttune: alternatives must compute the same operator"
#define TTUNE_SAY_DUPLICATE_OPERAND "ttune: an operator names an operand twice"

}}  // namespace ttune::v0
