// SPDX-License-Identifier: Apache-2.0
// In which type sums, and what is computed from them, are kept.
#pragma once

#include "ttune/expr/functions.hpp"

namespace ttune::inline v0::ops {

/// 32 bits for narrow types, the type itself otherwise.
template <class T>
using accumulator_t =
    std::conditional_t<!is_narrow(dtype_of<T>()), T, std::conditional_t<is_float(dtype_of<T>()), float, std::int32_t>>;

/// A value in another type, where it is not in that already.
template <class T, class X>
[[nodiscard]] auto in_type(X const& x) {
  if constexpr (dtype_of<typename X::element>() == dtype_of<T>()) return x;
  else return cast<T>(x);
}

}  // namespace ttune::inline v0::ops
