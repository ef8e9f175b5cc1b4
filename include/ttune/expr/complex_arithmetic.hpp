// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons of which at least one operand is complex.
#pragma once

#include "ttune/expr/operand_value.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the product of complex expressions.
[[nodiscard]] inline capture::node complex_product(capture::node const& a, capture::node const& b) {
  auto const times = [&](int part_of_a, int part_of_b) {
    return capture::apply(operation::multiply, capture::part_of(a, part_of_a), capture::part_of(b, part_of_b));
  };
  return capture::of_parts(capture::apply(operation::subtract, times(0, 0), times(1, 1)),
                           capture::apply(operation::add, times(0, 1), times(1, 0)));
}
/// Returns the sum of the squares of both parts.
[[nodiscard]] inline capture::node squared_magnitude(capture::node const& a) {
  auto const square = [&](int part) {
    return capture::apply(operation::multiply, capture::part_of(a, part), capture::part_of(a, part));
  };
  return capture::apply(operation::add, square(0), square(1));
}
[[nodiscard]] inline capture::node conjugate(capture::node const& a) {
  return capture::of_parts(capture::part_of(a, 0), capture::apply(function::negate, capture::part_of(a, 1)));
}

/// Returns a product or quotient of which at least one operand is complex, of element type T. A real factor or divisor
/// counts for both parts. Quotients are a conj(b) / |b|^2: they overflow where |b|^2 does.
template <operation Op, class T, class L, class R>
[[nodiscard]] capture::node multiply_complex(L const& l, R const& r) {
  auto const node_of = [](auto const& x) {
    if constexpr (is_complex_operand_v<std::remove_cvref_t<decltype(x)>>) return value_node<T>(x);
    else return value_node<part_of_t<T>>(x);
  };
  auto const a = node_of(l);
  auto const b = node_of(r);
  if constexpr (!is_complex_operand_v<R> || (Op == operation::multiply && !is_complex_operand_v<L>)) {
    return capture::apply(Op, a, b);
  } else if constexpr (Op == operation::multiply) {
    return complex_product(a, b);
  } else {
    auto const turned = conjugate(b);
    auto const above =
        is_complex_operand_v<L> ? complex_product(a, turned) : capture::apply(operation::multiply, a, turned);
    return capture::apply(operation::divide, above, squared_magnitude(b));
  }
}

/// Combines operands of which at least one is complex.
template <operation Op, class L, class R>
auto combine_complex(L const& l, R const& r) {
  using anchor = std::conditional_t<is_expr_v<L> && (is_complex_operand_v<L> || !is_expr_v<R>), L, R>;
  using given = typename anchor::element;
  using T = std::conditional_t<is_complex_v<given>, given,
                               std::conditional_t<is_complex_operand_v<L>, std::remove_cv_t<L>, std::remove_cv_t<R>>>;
  constexpr bool compares = Op == operation::equal || Op == operation::not_equal;
  constexpr bool multiplies = Op == operation::multiply || Op == operation::divide;
  if constexpr (!fits<T, L>() || !fits<T, R>()) {
    return invalid{};
  } else if constexpr (!compares && !multiplies && Op != operation::add && Op != operation::subtract) {
    static_assert(none_v<element_type<T>>, TTUNE_SAY_COMPLEX);
    return invalid{};
  } else if constexpr (compares) {
    auto const both = capture::apply(Op, value_node<T>(l), value_node<T>(r));
    return joined<bool, L, R>{capture::apply(Op == operation::equal ? operation::logical_and : operation::logical_or,
                                             capture::part_of(both, 0), capture::part_of(both, 1))};
  } else if constexpr (multiplies) {
    return joined<T, L, R>{multiply_complex<Op, T>(l, r)};
  } else {
    return joined<T, L, R>{capture::apply(Op, value_node<T>(l), value_node<T>(r))};
  }
}

}}}  // namespace ttune::v0::detail
