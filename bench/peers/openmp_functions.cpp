// SPDX-License-Identifier: Apache-2.0
// Functions of arrays as plain loops, compiled with -O3, -march=native and -ffast-math: with glibc, the compiler calls
// its vector functions.
#include <cmath>
#include <map>

#include "../plain_functions.hpp"

namespace {

using namespace ttune_bench;
using index = std::int64_t;

template <class T>
array_function<T> find(std::string const& name) {
#define TTUNE_LOOP(f)                                   \
  {#f, [](T const* x, T const*, T* y, index n) {        \
     for (index i = 0; i < n; ++i) y[i] = std::f(x[i]); \
   }}
  static std::map<std::string, array_function<T>> const all{
      TTUNE_LOOP(exp),
      TTUNE_LOOP(log),
      TTUNE_LOOP(tanh),
      TTUNE_LOOP(erf),
      TTUNE_LOOP(sin),
      TTUNE_LOOP(cos),
      TTUNE_LOOP(sqrt),
      {"pow",
       [](T const* x, T const* z, T* y, index n) {
         for (index i = 0; i < n; ++i) y[i] = std::pow(x[i], z[i]);
       }},
      {"div",
       [](T const* x, T const* z, T* y, index n) {
         for (index i = 0; i < n; ++i) y[i] = x[i] / z[i];
       }},
      {"rsqrt",
       [](T const* x, T const*, T* y, index n) {
         for (index i = 0; i < n; ++i) y[i] = 1 / std::sqrt(x[i]);
       }},
  };
#undef TTUNE_LOOP
  auto const it = all.find(name);
  return it == all.end() ? nullptr : it->second;
}

}  // namespace

ttune_bench::array_function<float> ttune_bench::plain_function_f32(std::string const& name) {
  return find<float>(name);
}
ttune_bench::array_function<double> ttune_bench::plain_function_f64(std::string const& name) {
  return find<double>(name);
}
