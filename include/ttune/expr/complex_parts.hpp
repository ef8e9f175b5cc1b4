// SPDX-License-Identifier: Apache-2.0
// Complex expressions and their parts.
#pragma once

#include "ttune/expr/operators.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// The real expression that a function of a complex one gives.
template <class X>
using real_of = expr<part_of_t<typename X::element>, axes_of_t<X>, uses_of_t<X>>;

template <class X>
concept complex_expression = is_expr_v<X> && is_complex_operand_v<X>;

/// The complex type whose parts have the type of an expression; void if there is none.
template <class T>
struct complex_of {
  using type = void;
};

}  // namespace detail

/// Returns the real part: `real(z(i))`.
template <detail::complex_expression X>
[[nodiscard]] auto real(X const& z) {
  return detail::real_of<X>{capture::part_of(z.node, 0)};
}
/// Returns the imaginary part.
template <detail::complex_expression X>
[[nodiscard]] auto imag(X const& z) {
  return detail::real_of<X>{capture::part_of(z.node, 1)};
}
/// Returns the number with the sign of its imaginary part changed.
template <detail::complex_expression X>
[[nodiscard]] auto conj(X const& z) {
  return X{detail::conjugate(z.node)};
}
/// Returns the square of the absolute value, as std::norm does.
template <detail::complex_expression X>
[[nodiscard]] auto norm(X const& z) {
  return detail::real_of<X>{detail::squared_magnitude(z.node)};
}

/// Makes a complex expression of two real ones of one element type: `complex(x(i), y(i))`.
template <class Real, class Imaginary>
  requires(detail::is_expr_v<Real> && detail::is_expr_v<Imaginary>)
[[nodiscard]] auto complex(Real const& re, Imaginary const& im) {
  using T = typename detail::complex_of<typename Real::element>::type;
  if constexpr (!std::is_same_v<typename Real::element, typename Imaginary::element>) {
    static_assert(detail::none_v<element_types<typename Real::element, typename Imaginary::element>>,
                  TTUNE_SAY_MIXED_TYPES);
    return invalid{};
  } else if constexpr (std::is_void_v<T>) {
    static_assert(detail::none_v<element_type<typename Real::element>>, TTUNE_SAY_ELEMENT);
    return invalid{};
  } else {
    return detail::joined<T, Real, Imaginary>{capture::of_parts(re.node, im.node)};
  }
}

}}  // namespace ttune::v0
