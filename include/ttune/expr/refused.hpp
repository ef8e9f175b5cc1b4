// SPDX-License-Identifier: Apache-2.0
// Operators and functions of C++ that the notation does not have. Each is declared here only to say so in a sentence:
// without it a compiler lists all candidates, or tries to convert an expression to a number.
#pragma once

#include "ttune/expr/operators.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

template <class... Operands>
auto refuse_bits() {
  if constexpr (!(is_invalid_v<Operands> || ...)) static_assert(none_v<element_types<Operands...>>, TTUNE_SAY_BITS);
  return invalid{};
}

template <fixed_string Function, class... Operands>
auto refuse_function() {
  if constexpr (!(is_invalid_v<Operands> || ...)) static_assert(none_v<names<Function>>, TTUNE_SAY_NO_FUNCTION);
  return invalid{};
}

/// True for what may stand beside an expression; a stream may not, so that `std::cout << x` stays the compiler's.
template <class T>
concept ours_or_number = ours<T> || literal_number<T>;

}  // namespace detail

#define TTUNE_REFUSE_OPERATOR(symbol)                           \
  template <detail::ours_or_number L, detail::ours_or_number R> \
    requires(detail::ours<L> || detail::ours<R>)                \
  auto operator symbol(L const&, R const&) {                    \
    return detail::refuse_bits<L, R>();                         \
  }
TTUNE_REFUSE_OPERATOR(&)
TTUNE_REFUSE_OPERATOR(|)
TTUNE_REFUSE_OPERATOR(^)
TTUNE_REFUSE_OPERATOR(<<)
TTUNE_REFUSE_OPERATOR(>>)
#undef TTUNE_REFUSE_OPERATOR

template <detail::ours X>
auto operator~(X const&) {
  return detail::refuse_bits<X, X>();
}

#define TTUNE_REFUSE_FUNCTION(name)                \
  template <class... X>                            \
    requires(detail::ours<X> || ...)               \
  auto name(X const&...) {                         \
    return detail::refuse_function<#name, X...>(); \
  }
TTUNE_REFUSE_FUNCTION(asin)
TTUNE_REFUSE_FUNCTION(acos)
TTUNE_REFUSE_FUNCTION(atan)
TTUNE_REFUSE_FUNCTION(atan2)
TTUNE_REFUSE_FUNCTION(sinh)
TTUNE_REFUSE_FUNCTION(cosh)
TTUNE_REFUSE_FUNCTION(asinh)
TTUNE_REFUSE_FUNCTION(acosh)
TTUNE_REFUSE_FUNCTION(atanh)
TTUNE_REFUSE_FUNCTION(cbrt)
TTUNE_REFUSE_FUNCTION(hypot)
TTUNE_REFUSE_FUNCTION(expm1)
TTUNE_REFUSE_FUNCTION(log1p)
TTUNE_REFUSE_FUNCTION(erfc)
TTUNE_REFUSE_FUNCTION(tgamma)
TTUNE_REFUSE_FUNCTION(lgamma)
TTUNE_REFUSE_FUNCTION(fma)
TTUNE_REFUSE_FUNCTION(fmod)
TTUNE_REFUSE_FUNCTION(trunc)
TTUNE_REFUSE_FUNCTION(isnan)
TTUNE_REFUSE_FUNCTION(isfinite)
#undef TTUNE_REFUSE_FUNCTION

}}  // namespace ttune::v0
