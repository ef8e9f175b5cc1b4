// SPDX-License-Identifier: Apache-2.0
// Functions of arrays as plain loops, compiled with -O3 -march=native -ffast-math.
#pragma once

#include <cstdint>
#include <string>

namespace ttune_bench {

/// Computes y[i] = f(x[i]) or f(x[i], z[i]).
template <class T>
using array_function = void (*)(T const* x, T const* z, T* y, std::int64_t n);

/// Returns the function of a name, or null. Names are those of <cmath>, and "div", "rsqrt".
[[nodiscard]] array_function<float> plain_function_f32(std::string const& name);
[[nodiscard]] array_function<double> plain_function_f64(std::string const& name);

}  // namespace ttune_bench
