// SPDX-License-Identifier: Apache-2.0
// Products of matrices, transposed or not, one or several.
#pragma once

#include <cstdint>

#include "numbers.hpp"
#include "ttune/core/tf32.hpp"
#include "ttune/ops/matmul.hpp"

namespace ttune_test {

/// The functions `a(b, i, k)`, `b(b, k, j)` and `c(b, i, j)` know which operand is transposed.
template <class A, class B, class C>
void multiply(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k_size, A const& a, B const& b,
              C const& c) {
  for (std::int64_t l = 0; l < batch; ++l)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < k_size; ++k) sum += number(a(l, i, k)) * number(b(l, k, j));
        put(c(l, i, j), sum);
      }
}
inline auto product(std::int64_t k_size, ttune::ops::transposed which = {}) {
  return [=](auto A, auto B, auto C) {
    multiply(
        1, C.extent(0), C.extent(1), k_size, [&](auto, auto i, auto k) { return which.a ? A(k, i) : A(i, k); },
        [&](auto, auto k, auto j) { return which.b ? B(j, k) : B(k, j); },
        [&](auto, auto i, auto j) -> auto& { return C(i, j); });
  };
}
inline constexpr auto rounded_product = [](auto A, auto B, auto C) {
  auto const rounded = [](auto x) { return ttune::rounded_to_tf32(x); };
  multiply(
      1, C.extent(0), C.extent(1), A.extent(1), [&](auto, auto i, auto k) { return rounded(A(i, k)); },
      [&](auto, auto k, auto j) { return rounded(B(k, j)); }, [&](auto, auto i, auto j) -> auto& { return C(i, j); });
};
inline auto batched_product(std::int64_t k_size, ttune::ops::transposed which = {}) {
  return [=](auto A, auto B, auto C) {
    multiply(
        C.extent(0), C.extent(1), C.extent(2), k_size,
        [&](auto l, auto i, auto k) { return which.a ? A(l, k, i) : A(l, i, k); },
        [&](auto l, auto k, auto j) { return which.b ? B(l, j, k) : B(l, k, j); }, C);
  };
}

template <class Check>
void matmul_cases(Check const& check) {
  using namespace ttune;
  for (ops::transposed const which : {ops::transposed{false, false}, {true, false}, {false, true}, {true, true}}) {
    check(ops::matmul(7, 11, 13, which), product(13, which));
    check(ops::matmul(1, 37, 5, which), product(5, which));
    check(ops::matmul(19, 1, 3, which), product(3, which));
    check(ops::batched_matmul(3, 5, 7, 2, which), batched_product(2, which));
  }
  check(ops::matmul_tf32(7, 19, 13), rounded_product);
  check(ops::matmul(1, 1, 1), product(1));
  check(ops::matmul(5, 17, 1), product(1));
  check(ops::batched_matmul(1, 5, 19, 3), batched_product(3));
  check(ops::matmul<double>(5, 7, 9), product(9));
  check(ops::matmul<std::int32_t>(5, 7, 9), product(9));
  check(ops::matmul<std::int8_t>(5, 23, 9), product(9));
  check(ops::matmul<f16>(5, 23, 9), product(9));
  check(ops::matmul<bf16>(5, 23, 9), product(9));
  check(ops::batched_matmul<double>(2, 3, 9, 5), batched_product(5));
}

}  // namespace ttune_test
