// SPDX-License-Identifier: Apache-2.0
// Integer expressions over extents of loops: what `where` of a schedule takes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ttune/expr/axis.hpp"
#include "ttune/schedule/loop_names.hpp"
#include "ttune/schedule/schedule_builder.hpp"

namespace ttune { inline namespace v0 {

/// An integer expression over the extents of loops.
template <class Loops>
struct extent_expr {
  using loop_set = Loops;
  extent_formula formula;
};

/// Returns the number of iterations of a loop.
template <fixed_string Name>
[[nodiscard]] auto extent(axis<Name> const&) {
  return extent_expr<loop_names<Name>>{extent_formula::of_loop(Name.text)};
}

namespace detail {

template <class T>
inline constexpr bool is_extent_v = false;
template <class Loops>
inline constexpr bool is_extent_v<extent_expr<Loops>> = true;
template <class A, class B>
concept extents = (is_extent_v<A> && is_extent_v<B>) || (is_extent_v<A> && std::is_integral_v<B>) ||
                  (std::is_integral_v<A> && is_extent_v<B>);

template <class T>
struct loops_of {
  using type = loop_names<>;
};
template <class Loops>
struct loops_of<extent_expr<Loops>> {
  using type = Loops;
};
template <class T>
[[nodiscard]] extent_formula formula_of(T const& x) {
  if constexpr (is_extent_v<T>) return x.formula;
  else return extent_formula::of_number(static_cast<std::int64_t>(x));
}
template <class A, class B>
[[nodiscard]] auto join(knob_expression::op what, A const& a, B const& b) {
  return extent_expr<joined_loops_t<typename loops_of<A>::type, typename loops_of<B>::type>>{
      extent_formula::join(what, formula_of(a), formula_of(b))};
}

}  // namespace detail

#define TTUNE_EXTENT_OPERATOR(symbol, what, first, second)         \
  template <class A, class B>                                      \
    requires detail::extents<A, B>                                 \
  [[nodiscard]] auto operator symbol(A const& a, B const& b) {     \
    return detail::join(knob_expression::op::what, first, second); \
  }
TTUNE_EXTENT_OPERATOR(+, add, a, b)
TTUNE_EXTENT_OPERATOR(-, subtract, a, b)
TTUNE_EXTENT_OPERATOR(*, multiply, a, b)
TTUNE_EXTENT_OPERATOR(/, divide, a, b)
TTUNE_EXTENT_OPERATOR(%, modulo, a, b)
TTUNE_EXTENT_OPERATOR(<, less, a, b)
TTUNE_EXTENT_OPERATOR(<=, less_equal, a, b)
TTUNE_EXTENT_OPERATOR(>, less, b, a)
TTUNE_EXTENT_OPERATOR(>=, less_equal, b, a)
TTUNE_EXTENT_OPERATOR(==, equal, a, b)
TTUNE_EXTENT_OPERATOR(!=, not_equal, a, b)
TTUNE_EXTENT_OPERATOR(&&, logical_and, a, b)
TTUNE_EXTENT_OPERATOR(||, logical_or, a, b)
#undef TTUNE_EXTENT_OPERATOR
template <class Loops>
[[nodiscard]] auto operator!(extent_expr<Loops> const& a) {
  return extent_expr<Loops>{extent_formula::negated(a.formula)};
}
template <class A, class B>
  requires detail::extents<A, B>
[[nodiscard]] auto min(A const& a, B const& b) {
  return detail::join(knob_expression::op::minimum, a, b);
}
template <class A, class B>
  requires detail::extents<A, B>
[[nodiscard]] auto max(A const& a, B const& b) {
  return detail::join(knob_expression::op::maximum, a, b);
}

}}  // namespace ttune::v0
