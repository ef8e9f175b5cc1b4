// SPDX-License-Identifier: Apache-2.0
// Expressions of the DSL. An expression holds one handle; its type has the element type, the free axes and the operands
// that are read, and does not grow with the expression.
#pragma once

#include "ttune/expr/axis.hpp"

namespace ttune { inline namespace v0 {

/// An operand that an expression reads, with the axes that index it; an expression has one entry for each such pair.
template <fixed_string Operand, class Axes>
struct use {};
/// Entry among the uses for a reduction inside of the expression.
template <class Axes>
struct reduction_over {};
template <class... Uses>
struct uses {};

template <class T, class Axes, class Uses>
struct expr {
  using element = T;
  using name_set = Axes;
  using uses = Uses;
  capture::node node;
};

/// A reduction in its short form, `sum(e)`: the axes that it reduces are known when it is assigned.
template <reducer Kind, class T, class Axes, class Uses>
struct implicit_reduction {
  using element = T;
  using name_set = Axes;
  using uses = Uses;
  capture::node node;
};

namespace detail {

template <class T>
inline constexpr bool is_expr_v = false;
template <class T, class Axes, class Uses>
inline constexpr bool is_expr_v<expr<T, Axes, Uses>> = true;
template <class T>
inline constexpr bool is_implicit_v = false;
template <reducer Kind, class T, class Axes, class Uses>
inline constexpr bool is_implicit_v<implicit_reduction<Kind, T, Axes, Uses>> = true;
template <class T>
inline constexpr bool is_invalid_v = false;
template <>
inline constexpr bool is_invalid_v<invalid> = true;

/// True for types of the DSL: an operator with one such operand belongs to the DSL.
template <class T>
concept ours =
    is_expr_v<T> || is_implicit_v<T> || is_index_v<T> || is_invalid_v<T> || is_gather_v<T> || is_bounded_v<T>;

template <class T>
concept literal_number = std::is_arithmetic_v<T>;

template <class Use, class Uses>
inline constexpr bool has_use_v = false;
template <class Use, class... All>
inline constexpr bool has_use_v<Use, uses<All...>> = (std::is_same_v<Use, All> || ...);

template <class... A, class U>
constexpr auto operator+(uses<A...>, U) {
  if constexpr (has_use_v<U, uses<A...>>) return uses<A...>{};
  else return uses<A..., U>{};
}
template <class A, class... B>
constexpr auto unite_uses(A, uses<B...>) {
  return (A{} + ... + B{});
}
template <class First, class... Rest>
constexpr auto unite_all_uses(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) return first;
  else
    return []<class Next, class... More>(First f, Next n, More... more) {
      return unite_all_uses(unite_uses(f, n), more...);
    }(first, rest...);
}
template <class A, class B>
using united_uses_t = decltype(unite_uses(A{}, B{}));

template <class T>
struct uses_of {
  using type = uses<>;
};
template <class T>
  requires requires { typename T::uses; }
struct uses_of<T> {
  using type = typename T::uses;
};
template <class T>
using uses_of_t = typename uses_of<T>::type;

template <class Use>
struct reduced_by {
  using type = names<>;
};
template <class Axes>
struct reduced_by<reduction_over<Axes>> {
  using type = Axes;
};
template <class Uses>
struct reduced_axes;
template <class... Uses>
struct reduced_axes<uses<Uses...>> {
  using type = decltype(unite_all(names<>{}, typename reduced_by<Uses>::type{}...));
};
/// Axes of all reductions inside of an expression.
template <class Uses>
using reduced_axes_t = typename reduced_axes<Uses>::type;

/// The type of the expression that two operands form.
template <class T, class L, class R>
using joined = expr<T, united_t<axes_of_t<L>, axes_of_t<R>>, united_uses_t<uses_of_t<L>, uses_of_t<R>>>;

}  // namespace detail
}}  // namespace ttune::v0
