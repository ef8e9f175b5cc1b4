// SPDX-License-Identifier: Apache-2.0
// Matrix products, single and batched; each operand may be stored transposed.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Selects the operands that are stored transposed: A as (K, M), B as (N, K).
struct transposed {
  bool a = false;
  bool b = false;
};

namespace detail {

/// Calls `make` with the elements A(i, k) and B(k, j) of the product; an operand that is stored transposed is read at
/// the swapped indices.
template <class Make, class ReadA, class ReadB, class I, class J, class K>
auto with_transposed(transposed which, Make const& make, ReadA const& a, ReadB const& b, I const& i, J const& j,
                     K const& k) {
  if (which.a) return which.b ? make(a(k, i), b(j, k)) : make(a(k, i), b(k, j));
  return which.b ? make(a(i, k), b(j, k)) : make(a(i, k), b(k, j));
}

/// Returns the sum of products; `factor` converts the elements before the multiplication.
template <class T, class Factor>
auto product_of(std::int64_t m, std::int64_t n, std::int64_t k_size, transposed which, char const* name,
                Factor const& factor) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", T, 2> const A{{which.a ? k_size : m, which.a ? m : k_size}};  // (M, K) or (K, M)
  tensor<"B", T, 2> const B{{which.b ? n : k_size, which.b ? k_size : n}};  // (K, N) or (N, K)
  auto const product = [&](auto const& a, auto const& b) {
    auto const C = compute<"C">(i, j) = sum(over(k), factor(a) * factor(b));  // (M, N)
    return op(inputs(A, B), outputs(C), name);
  };
  return with_transposed(which, product, A, B, i, j, k);
}

/// Returns the error of a sum of `terms` products of floats rounded to TF32, relative to the same products in f32. Each
/// factor errs by up to 2^-11; each step of a sum in f32 errs by up to 2^-24 of the partial sum. That gives sqrt(2)
/// 2^-11 against sqrt(terms / 2) 2^-24 of the result.
[[nodiscard]] inline double tf32_error(std::int64_t terms) {
  return std::sqrt(1 + 0x1p28 / static_cast<double>(std::max<std::int64_t>(terms, 1)));
}

}  // namespace detail

/// Matrix product.
/// Shape: A (M, K), B (K, N) -> C (M, N), row-major
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto matmul(std::int64_t m, std::int64_t n, std::int64_t k_size, transposed which = {}) {
  return detail::product_of<T>(m, n, k_size, which, "matmul", [](auto const& x) { return in_type<Sum>(x); });
}

/// `matmul<float>` with operands rounded to TF32 and summed in f32, as tensor cores compute it.
template <std::same_as<float> T = float>
[[nodiscard]] auto matmul_tf32(std::int64_t m, std::int64_t n, std::int64_t k_size, transposed which = {}) {
  auto const rounded = [](auto const& x) { return round_to_tf32(x); };
  return detail::product_of<T>(m, n, k_size, which, "matmul_tf32", rounded).with_error(detail::tf32_error(k_size));
}

/// Alternatives: `matmul<float>`, and the product of operands rounded to TF32, for GPUs. The second needs numerics that
/// allow its error, some hundred times that of the direct sum (`op.error()`). On CPUs it gains nothing.
template <std::same_as<float> T = float>
[[nodiscard]] auto matmul_alternatives(std::int64_t m, std::int64_t n, std::int64_t k_size, transposed which = {}) {
  return alternatives(matmul<T>(m, n, k_size, which), matmul_tf32<T>(m, n, k_size, which));
}

/// Batched matrix product.
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

}}}  // namespace ttune::v0::ops
