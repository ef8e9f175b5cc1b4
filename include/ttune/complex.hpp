// SPDX-License-Identifier: Apache-2.0
// std::complex<float> and std::complex<double> as elements of operands.
#pragma once

#include <complex>

#include "ttune/core/dtype.hpp"
#include "ttune/expr/complex_parts.hpp"

namespace ttune { inline namespace v0 {

template <>
struct complex_parts<std::complex<float>> {
  static constexpr bool known = true;
  using type = float;
};
template <>
struct complex_parts<std::complex<double>> {
  static constexpr bool known = true;
  using type = double;
};

template <>
struct detail::complex_of<float> {
  using type = std::complex<float>;
};
template <>
struct detail::complex_of<double> {
  using type = std::complex<double>;
};

}}  // namespace ttune::v0
