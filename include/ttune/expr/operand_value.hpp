// SPDX-License-Identifier: Apache-2.0
// Operands beside an expression: other expressions of its element type, axes, numbers.
#pragma once

#include "ttune/expr/complex_value.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Converts a number beside an expression to the expression's type.
template <class T, class Literal>
[[nodiscard]] capture::node literal_node(Literal value) {
  if constexpr (is_complex_v<Literal>)
    return capture::of_parts(literal_node<part_of_t<T>>(value.real()), literal_node<part_of_t<T>>(value.imag()));
  else if constexpr (is_complex_v<T>)
    return capture::of_parts(literal_node<part_of_t<T>>(value), literal_node<part_of_t<T>>(0));
  else if constexpr (is_float(dtype_of<T>())) return capture::number(dtype_of<T>(), static_cast<double>(value));
  else return capture::integer(dtype_of<T>(), static_cast<std::int64_t>(value));
}

/// Returns the node of an operand of a value expression of element type T.
template <class T, class X>
[[nodiscard]] capture::node value_node(X const& x) {
  if constexpr (is_complex_v<T> && is_expr_v<X> && !is_complex_operand_v<X>)
    return capture::of_parts(x.node, literal_node<part_of_t<T>>(0));
  else if constexpr (is_expr_v<X>) return x.node;
  else if constexpr (is_index_v<X>) return capture::convert(dtype_of<T>(), index_node(x));
  else return literal_node<T>(x);
}

/// Returns true if X may stand beside an expression of element type T; otherwise an assertion explains the reason.
/// Real expressions and numbers may stand beside complex ones.
template <class T, class X>
constexpr bool fits() {
  if constexpr (is_complex_v<T> && !is_complex_operand_v<X>) {
    return fits<part_of_t<T>, X>();
  } else if constexpr (is_complex_v<X>) {
    if constexpr (!is_complex_v<T>) static_assert(none_v<element_types<T, X>>, TTUNE_SAY_MIXED_TYPES);
    return is_complex_v<T>;
  } else if constexpr (is_expr_v<X>) {
    using other = typename X::element;
    if constexpr (std::is_same_v<T, bool> != std::is_same_v<other, bool>) {
      static_assert(none_v<element_types<T, other>>, TTUNE_SAY_BOOL);
      return false;
    } else if constexpr (dtype_of<T>() != dtype_of<other>()) {
      static_assert(none_v<element_types<T, other>>, TTUNE_SAY_MIXED_TYPES);
      return false;
    }
  } else if constexpr (is_index_v<X>) {
    if constexpr (!is_integer(dtype_of<T>())) {
      static_assert(none_v<axes_of_t<X>>, TTUNE_SAY_AXIS_FLOAT);
      return false;
    }
  } else if constexpr (literal_number<X>) {
    if constexpr (std::is_same_v<T, bool> != std::is_same_v<X, bool>) {
      static_assert(none_v<element_types<T, X>>, TTUNE_SAY_BOOL);
      return false;
    } else if constexpr (std::is_floating_point_v<X> && !is_float(dtype_of<T>())) {
      static_assert(none_v<element_types<T, X>>, TTUNE_SAY_FLOAT_LITERAL);
      return false;
    }
  } else {
    static_assert(none_v<element_types<T, X>>, TTUNE_SAY_MIXED_TYPES);
    return false;
  }
  return true;
}

}}}  // namespace ttune::v0::detail
