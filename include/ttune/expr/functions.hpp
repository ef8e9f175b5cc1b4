// SPDX-License-Identifier: Apache-2.0
// Functions of expressions: mathematics, selection, conversion.
#pragma once

#include "ttune/expr/complex_parts.hpp"
#include "ttune/expr/operators.hpp"

namespace ttune { inline namespace v0 {

template <element T, class X>
  requires(detail::ours<X>)
[[nodiscard]] auto cast(X const& x);

namespace detail {

/// Converts to a complex type, both parts of a complex operand.
template <class T, class X>
auto cast_complex(X const& x) {
  using made = expr<T, axes_of_t<X>, uses_of_t<X>>;
  if constexpr (!is_complex_v<T>) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_COMPLEX_CAST);
    return invalid{};
  } else if constexpr (is_complex_operand_v<X>) {
    return made{capture::convert(dtype_of<T>(), x.node)};
  } else {
    return made{capture::of_parts(cast<part_of_t<T>>(x).node, literal_node<part_of_t<T>>(0))};
  }
}

}  // namespace detail

/// Converts to element type T: floats to integers towards zero, saturating, NaN to 0; integers wrap. Also takes axes.
template <element T, class X>
  requires(detail::ours<X>)
[[nodiscard]] auto cast(X const& x) {
  if constexpr (detail::is_invalid_v<X>) return invalid{};
  else if constexpr (is_complex_v<T> || detail::is_complex_operand_v<X>) return detail::cast_complex<T>(x);
  else if constexpr (detail::is_index_v<X>)
    return expr<T, detail::axes_of_t<X>, uses<>>{capture::convert(dtype_of<T>(), detail::index_node(x))};
  else return expr<T, detail::axes_of_t<X>, detail::uses_of_t<X>>{capture::convert(dtype_of<T>(), x.node)};
}

/// Makes a number of element type T, for places where no other operand gives the type: `select(c, cast<float>(1), -1)`.
template <element T, detail::literal_number X>
[[nodiscard]] auto cast(X x) {
  return expr<T, names<>, uses<>>{detail::literal_node<T>(x)};
}

namespace detail {

template <class X>
auto float_function(function f, X const& x) {
  if constexpr (is_invalid_v<X>) {
    return invalid{};
  } else if constexpr (!is_expr_v<X>) {
    static_assert(none_v<united_t<axes_of_t<X>, names<"an axis or reduction">>>, TTUNE_SAY_INTEGER_FUNCTION);
    return invalid{};
  } else if constexpr (!is_float(dtype_of<typename X::element>())) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_INTEGER_FUNCTION);
    return invalid{};
  } else if constexpr (is_complex_operand_v<X>) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_COMPLEX);
    return invalid{};
  } else {
    return X{capture::apply(f, x.node)};
  }
}

}  // namespace detail

#define TTUNE_FUNCTION(name)                          \
  template <class X>                                  \
    requires(detail::ours<X>)                         \
  [[nodiscard]] auto name(X const& x) {               \
    return detail::float_function(function::name, x); \
  }
TTUNE_FUNCTION(sqrt)
TTUNE_FUNCTION(log)
TTUNE_FUNCTION(sin)
TTUNE_FUNCTION(cos)
TTUNE_FUNCTION(tanh)
TTUNE_FUNCTION(erf)
TTUNE_FUNCTION(floor)
TTUNE_FUNCTION(ceil)
TTUNE_FUNCTION(round)  ///< rounds half to even
#undef TTUNE_FUNCTION

template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto exp(X const& x) {
  if constexpr (detail::is_complex_operand_v<X>) return exp(real(x)) * complex(cos(imag(x)), sin(imag(x)));
  else return detail::float_function(function::exp, x);
}

template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto tan(X const& x) {
  return sin(x) / cos(x);
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto log2(X const& x) {
  return log(x) * 1.4426950408889634074;
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto log10(X const& x) {
  return log(x) * 0.43429448190325182765;
}

/// Rounds to the nearest float whose fraction has 10 bits, ties away from zero: the numbers that tensor cores multiply
/// for f32. A sum of products of two such floats runs on tensor cores.
template <class X>
  requires(detail::is_expr_v<X>)
[[nodiscard]] auto round_to_tf32(X const& x) {
  if constexpr (!std::is_same_v<typename X::element, float>) {
    static_assert(detail::none_v<element_type<typename X::element>>, TTUNE_SAY_TF32);
    return invalid{};
  } else {
    return X{capture::apply(function::round_to_tf32, x.node)};
  }
}

template <class X>
  requires(detail::is_expr_v<X>)
[[nodiscard]] auto abs(X const& x) {
  if constexpr (detail::is_complex_operand_v<X>) return sqrt(norm(x));
  else return X{capture::apply(function::abs, x.node)};
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto rsqrt(X const& x) {
  return 1 / sqrt(x);
}
/// Returns 1 / (1 + exp(-x)).
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto sigmoid(X const& x) {
  return 1 / (1 + exp(-x));
}

template <class L, class R>
  requires(detail::ours<L> || detail::ours<R>)
[[nodiscard]] auto min(L const& l, R const& r) {
  return detail::combine<operation::minimum>(l, r);
}
template <class L, class R>
  requires((detail::ours<L> || detail::ours<R>) && !requires { typename L::over_axes; })
[[nodiscard]] auto max(L const& l, R const& r) {
  return detail::combine<operation::maximum>(l, r);
}
template <class L, class R>
  requires(detail::ours<L> || detail::ours<R>)
[[nodiscard]] auto pow(L const& l, R const& r) {
  return detail::combine<operation::power>(l, r);
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto exp2(X const& x) {
  return pow(2, x);
}
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto relu(X const& x) {
  return max(x, 0);
}
/// Returns x * Phi(x), computed with the error function.
template <class X>
  requires(detail::ours<X>)
[[nodiscard]] auto gelu(X const& x) {
  return x * 0.5 * (1 + erf(x * 0.70710678118654752440));
}

namespace detail {

template <class C, class A, class B>
auto choose_arm(C const& condition, A const& a, B const& b) {
  using anchor = std::conditional_t<is_expr_v<A> && (is_complex_operand_v<A> || !is_complex_operand_v<B>), A,
                                    std::conditional_t<is_expr_v<B>, B, A>>;
  if constexpr (!is_expr_v<anchor>) {
    static_assert(none_v<element_types<A, B>>, TTUNE_SAY_UNTYPED_ARMS);
    return invalid{};
  } else {
    using T = typename anchor::element;
    if constexpr (!fits<T, A>() || !fits<T, B>()) {
      return invalid{};
    } else {
      using arms = joined<T, A, B>;
      return joined<T, arms, C>{capture::choose(condition.node, value_node<T>(a), value_node<T>(b))};
    }
  }
}

}  // namespace detail

/// Returns `condition ? a : b`; only the selected arm is read.
template <class C, class A, class B>
  requires(detail::ours<C>)
[[nodiscard]] auto select(C const& condition, A const& a, B const& b) {
  if constexpr (detail::is_invalid_v<C> || detail::is_invalid_v<A> || detail::is_invalid_v<B>) {
    return invalid{};
  } else if constexpr (!detail::is_expr_v<C>) {
    static_assert(detail::none_v<element_type<C>>, TTUNE_SAY_CONDITION);
    return invalid{};
  } else if constexpr (!std::is_same_v<typename C::element, bool>) {
    static_assert(detail::none_v<element_type<typename C::element>>, TTUNE_SAY_CONDITION);
    return invalid{};
  } else {
    return detail::choose_arm(condition, a, b);
  }
}

}}  // namespace ttune::v0
