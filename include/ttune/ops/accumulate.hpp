// SPDX-License-Identifier: Apache-2.0
// The type of sums, and of results computed from sums.
#pragma once

#include "ttune/expr/functions.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// The accumulator type: 32 bits for narrow types, otherwise the type itself.
template <class T>
using accumulator_t =
    std::conditional_t<!is_narrow(dtype_of<T>()), T, std::conditional_t<is_float(dtype_of<T>()), float, std::int32_t>>;

/// Casts a value to `T`, unless it has that type already.
template <class T, class X>
[[nodiscard]] auto in_type(X const& x) {
  if constexpr (dtype_of<typename X::element>() == dtype_of<T>()) return x;
  else return cast<T>(x);
}

}}}  // namespace ttune::v0::ops
