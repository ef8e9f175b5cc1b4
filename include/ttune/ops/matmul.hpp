// SPDX-License-Identifier: Apache-2.0
// Matrix products, alone and in batches, of operands that may be stored transposed.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune::inline v0::ops {

/// Which operands are stored transposed: A as (K, M), B as (N, K).
struct transposed {
  bool a = false;
  bool b = false;
};

namespace detail {

/// Calls `make` with the reads of A and B at (row, column) of the product's view of them.
template <class Make, class ReadA, class ReadB, class I, class J, class K>
auto with_transposed(transposed which, Make const& make, ReadA const& a, ReadB const& b, I const& i, J const& j,
                     K const& k) {
  if (which.a) return which.b ? make(a(k, i), b(j, k)) : make(a(k, i), b(k, j));
  return which.b ? make(a(i, k), b(j, k)) : make(a(i, k), b(k, j));
}

}  // namespace detail

/// Shape: A (M, K), B (K, N) -> C (M, N), row-major
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto matmul(std::int64_t m, std::int64_t n, std::int64_t k_size, transposed which = {}) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", T, 2> const A{{which.a ? k_size : m, which.a ? m : k_size}};  // (M, K) or (K, M)
  tensor<"B", T, 2> const B{{which.b ? n : k_size, which.b ? k_size : n}};  // (K, N) or (N, K)
  auto const product = [&](auto const& a, auto const& b) {
    auto const C = compute<"C">(i, j) = sum(over(k), in_type<Sum>(a) * in_type<Sum>(b));  // (M, N)
    return op(inputs(A, B), outputs(C), "matmul");
  };
  return detail::with_transposed(which, product, A, B, i, j, k);
}

/// Shape: A (batch, M, K), B (batch, K, N) -> C (batch, M, N)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto batched_matmul(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k_size,
                                  transposed which = {}) {
  auto const [l, i, j, k] = axes<"b", "i", "j", "k">;
  tensor<"A", T, 3> const A{{batch, which.a ? k_size : m, which.a ? m : k_size}};  // (batch, M, K) or (batch, K, M)
  tensor<"B", T, 3> const B{{batch, which.b ? n : k_size, which.b ? k_size : n}};  // (batch, K, N) or (batch, N, K)
  auto const product = [&](auto const& a, auto const& b) {
    auto const C = compute<"C">(l, i, j) = sum(over(k), in_type<Sum>(a) * in_type<Sum>(b));  // (batch, M, N)
    return op(inputs(A, B), outputs(C), "batched_matmul");
  };
  auto const read_a = [&](auto const& row, auto const& column) { return A(l, row, column); };
  auto const read_b = [&](auto const& row, auto const& column) { return B(l, row, column); };
  return detail::with_transposed(which, product, read_a, read_b, i, j, k);
}

}  // namespace ttune::inline v0::ops
