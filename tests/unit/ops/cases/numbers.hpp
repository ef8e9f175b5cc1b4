// SPDX-License-Identifier: Apache-2.0
// Elements of all types as doubles, for plain loops.
#pragma once

#include <type_traits>

#include "ttune/core/float16.hpp"

namespace ttune_test {

template <class T>
double number(T value) {
  if constexpr (std::is_same_v<T, ttune::f16> || std::is_same_v<T, ttune::bf16>) return ttune::to_float(value);
  else return static_cast<double>(value);
}
template <class T>
void put(T& to, double value) {
  if constexpr (std::is_same_v<T, ttune::f16>) to = ttune::to_f16(value);
  else if constexpr (std::is_same_v<T, ttune::bf16>) to = ttune::to_bf16(value);
  else to = static_cast<T>(value);
}

}  // namespace ttune_test
