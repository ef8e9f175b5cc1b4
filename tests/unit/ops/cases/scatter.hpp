// SPDX-License-Identifier: Apache-2.0
// Sums into places that data choose.
#pragma once

#include "numbers.hpp"
#include "ttune/ops/scatter.hpp"

namespace ttune_test {

inline constexpr auto histogram = [](auto X, auto H) {
  for (int i = 0; i < X.extent(0); ++i)
    for (int b = 0; b < H.extent(1); ++b) {
      int count = 0;
      for (int k = 0; k < X.extent(1); ++k) count += number(X(i, k)) == b;
      put(H(i, b), count);
    }
};

inline constexpr auto rows_added = [](auto at, auto U, auto Y) {
  for (int v = 0; v < Y.extent(0); ++v)
    for (int j = 0; j < Y.extent(1); ++j) {
      double sum = 0;
      for (int i = 0; i < U.extent(0); ++i)
        if (number(at(i)) == v) sum += number(U(i, j));
      put(Y(v, j), sum);
    }
};

template <class Check>
void scatter_cases(Check const& check) {
  using namespace ttune;
  check(ops::histogram(3, 50, 256), histogram);
  check(ops::histogram<std::int8_t, std::int64_t>(2, 37, 9), histogram);
  check(ops::histogram<std::int64_t>(1, 20, 3), histogram);
  check(ops::scatter_add_rows(23, 11, 19), rows_added);
  check(ops::scatter_add_rows<double, std::int64_t>(9, 12, 1), rows_added);
  check(ops::scatter_add_rows<bf16, std::uint8_t>(17, 8, 5), rows_added);
  check(ops::scatter_add_rows<std::int8_t>(17, 8, 33), rows_added);
}

}  // namespace ttune_test
