// SPDX-License-Identifier: Apache-2.0
// The function that a layer applies to each of its results, chosen by a value.
#pragma once

#include <string>

#include "ttune/expr/functions.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// A function of one number: `activation::relu`, or with the slope of `leaky_relu`, `{activation::leaky_relu, 0.2}`.
struct activation {
  enum function {
    none,
    relu,
    relu6,       ///< min(max(x, 0), 6)
    leaky_relu,  ///< x, or slope * x if x is negative
    tanh,
    sigmoid,
    gelu,  ///< by the error function
    silu   ///< x * sigmoid(x)
  };
  function what = none;
  double slope = 0.01;  ///< of `leaky_relu`

  constexpr activation(function chosen = none, double slope_below_zero = 0.01)
      : what(chosen), slope(slope_below_zero) {}
};

namespace detail {

[[nodiscard]] inline char const* text_of(activation one) {
  constexpr char const* names[] = {"none", "relu", "relu6", "leaky_relu", "tanh", "sigmoid", "gelu", "silu"};
  return names[one.what];
}

/// Returns a name for an operator that ends with an activation: `dense_relu`; without one, the name itself.
[[nodiscard]] inline std::string name_with(std::string name, activation then) {
  return then.what == activation::none ? name : name + "_" + text_of(then);
}

/// Returns the activation of a float.
template <class X>
[[nodiscard]] X activated_float(activation then, X const& x) {
  switch (then.what) {
    case activation::leaky_relu: return select(x < 0, x * then.slope, x);
    case activation::tanh: return ttune::tanh(x);
    case activation::sigmoid: return ttune::sigmoid(x);
    case activation::gelu: return ttune::gelu(x);
    case activation::silu: return x * ttune::sigmoid(x);
    default: return x;
  }
}

}  // namespace detail

/// Returns the activation of an expression. Throws program_error for a function of floats if the expression has an
/// integer type.
template <class X>
  requires(ttune::detail::is_expr_v<X>)
[[nodiscard]] X activated(activation then, X const& x) {
  switch (then.what) {
    case activation::none: return x;
    case activation::relu: return ttune::relu(x);
    case activation::relu6: return min(ttune::relu(x), 6);
    default: break;
  }
  if constexpr (is_float(dtype_of<typename X::element>())) return detail::activated_float(then, x);
  else
    throw program_error(std::string("activation ") + detail::text_of(then) +
                        " of integers; use none, relu or relu6, or name a floating-point type of sums");
}

}}}  // namespace ttune::v0::ops
