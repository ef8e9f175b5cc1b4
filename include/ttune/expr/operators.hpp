// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and logic. The DSL takes an operator if one operand belongs to the DSL; a static assertion
// explains any other fault in a sentence.
#pragma once

#include "ttune/expr/complex_arithmetic.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

constexpr bool is_comparison(operation op) { return op >= operation::equal; }
constexpr bool is_logical(operation op) { return op == operation::logical_and || op == operation::logical_or; }

/// Makes an index of axes and integers.
template <operation Op, class L, class R>
auto combine_indices(L const& l, R const& r) {
  using result = index_expr<united_t<axes_of_t<L>, axes_of_t<R>>>;
  constexpr bool left_is_axis = is_index_v<L>;
  constexpr bool right_is_axis = is_index_v<R>;
  if constexpr ((Op == operation::multiply && left_is_axis && right_is_axis) ||
                ((Op == operation::divide || Op == operation::modulo) && right_is_axis)) {
    static_assert(none_v<united_t<axes_of_t<L>, axes_of_t<R>>>, TTUNE_SAY_AXIS_PRODUCT);
    return invalid{};
  } else {
    constexpr auto op = Op == operation::divide   ? operation::floor_divide
                        : Op == operation::modulo ? operation::floor_modulo
                                                  : Op;
    auto node = capture::apply(op, index_node(l), index_node(r));
    if constexpr (is_comparison(Op)) return expr<bool, typename result::name_set, uses<>>{std::move(node)};
    else return result{std::move(node)};
  }
}

/// Makes an index of data, axes and integers, as in `S(m, at(delay(m)) + t)`.
template <operation Op, class L, class R>
auto combine_gathers(L const& l, R const& r) {
  constexpr bool scales = Op == operation::multiply || Op == operation::divide || Op == operation::modulo;
  constexpr bool is_offset = Op == operation::add || Op == operation::subtract;
  constexpr bool by_number = std::is_integral_v<R> || (Op == operation::multiply && std::is_integral_v<L>);
  if constexpr (!is_offset && !(scales && by_number)) {
    static_assert(none_v<element_types<L, R>>, TTUNE_SAY_INDEX_TYPE);
    return invalid{};
  } else {
    constexpr auto op = Op == operation::divide   ? operation::floor_divide
                        : Op == operation::modulo ? operation::floor_modulo
                                                  : Op;
    return gathered_index<united_t<axes_of_t<L>, axes_of_t<R>>, united_uses_t<uses_of_t<L>, uses_of_t<R>>>{
        capture::apply(op, index_node(l), index_node(r))};
  }
}

template <operation Op, class L, class R>
auto combine_values(L const& l, R const& r) {
  using anchor = std::conditional_t<is_expr_v<L>, L, R>;
  using T = typename anchor::element;
  if constexpr (!fits<T, L>() || !fits<T, R>()) {
    return invalid{};
  } else if constexpr (is_logical(Op) != std::is_same_v<T, bool>) {
    static_assert(none_v<element_type<T>>, TTUNE_SAY_BOOL);
    return invalid{};
  } else {
    auto node = capture::apply(Op, value_node<T>(l), value_node<T>(r));
    if constexpr (is_comparison(Op)) return joined<bool, L, R>{std::move(node)};
    else return joined<T, L, R>{std::move(node)};
  }
}

template <operation Op, class L, class R>
auto combine(L const& l, R const& r) {
  if constexpr (is_invalid_v<L> || is_invalid_v<R>) {
    return invalid{};
  } else if constexpr (is_implicit_v<L> || is_implicit_v<R>) {
    static_assert(none_v<united_t<axes_of_t<L>, axes_of_t<R>>>, TTUNE_SAY_SHORT_FORM);
    return invalid{};
  } else if constexpr ((is_gather_v<L> && is_index_argument<R>()) || (is_gather_v<R> && is_index_argument<L>())) {
    return combine_gathers<Op>(l, r);
  } else if constexpr (is_gather_v<L> || is_gather_v<R> || is_bounded_v<L> || is_bounded_v<R>) {
    static_assert(none_v<element_types<L, R>>, TTUNE_SAY_INDEX_TYPE);
    return invalid{};
  } else if constexpr (is_complex_operand_v<L> || is_complex_operand_v<R>) {
    return combine_complex<Op>(l, r);
  } else if constexpr (is_expr_v<L> || is_expr_v<R>) {
    return combine_values<Op>(l, r);
  } else if constexpr ((is_index_v<L> || std::is_integral_v<L>) && (is_index_v<R> || std::is_integral_v<R>)) {
    return combine_indices<Op>(l, r);
  } else {
    static_assert(none_v<element_types<L, R>>, TTUNE_SAY_INDEX_TYPE);
    return invalid{};
  }
}

}  // namespace detail

#define TTUNE_OPERATOR(symbol, name)                           \
  template <class L, class R>                                  \
    requires(detail::ours<L> || detail::ours<R>)               \
  [[nodiscard]] auto operator symbol(L const& l, R const& r) { \
    return detail::combine<operation::name>(l, r);             \
  }
TTUNE_OPERATOR(+, add)
TTUNE_OPERATOR(-, subtract)
TTUNE_OPERATOR(*, multiply)
TTUNE_OPERATOR(/, divide)
TTUNE_OPERATOR(%, modulo)
TTUNE_OPERATOR(==, equal)
TTUNE_OPERATOR(!=, not_equal)
TTUNE_OPERATOR(<, less)
TTUNE_OPERATOR(<=, less_equal)
TTUNE_OPERATOR(&&, logical_and)
TTUNE_OPERATOR(||, logical_or)
#undef TTUNE_OPERATOR

template <class L, class R>
  requires(detail::ours<L> || detail::ours<R>)
[[nodiscard]] auto operator>(L const& l, R const& r) {
  return detail::combine<operation::less>(r, l);
}
template <class L, class R>
  requires(detail::ours<L> || detail::ours<R>)
[[nodiscard]] auto operator>=(L const& l, R const& r) {
  return detail::combine<operation::less_equal>(r, l);
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto operator-(X const& x) {
  if constexpr (detail::is_index_v<X>) return detail::combine<operation::subtract>(0, x);
  else if constexpr (detail::is_expr_v<X>) return X{capture::apply(function::negate, x.node)};
  else return detail::combine<operation::subtract>(x, x);
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto operator!(X const& x) {
  if constexpr (detail::is_invalid_v<X>) {
    return invalid{};
  } else {
    static_assert(std::is_same_v<detail::axes_of_t<X>, detail::axes_of_t<X>>);
    return X{capture::apply(function::logical_not, x.node)};
  }
}

}}  // namespace ttune::v0
