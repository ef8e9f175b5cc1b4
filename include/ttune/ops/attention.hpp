// SPDX-License-Identifier: Apache-2.0
// Attention of one head (Vaswani et al., "Attention Is All You Need", 2017).
#pragma once

#include <cmath>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"

namespace ttune::inline v0::ops {

/// softmax(Q K^T / sqrt(d)) V, a row's largest score subtracted first. What a row is divided by is applied to its d
/// results, not to its scores. A schedule takes some rows at a time, so that their scores stay in a cache.
/// Shape: Q (rows, d), K (keys, d), V (keys, d) -> O (rows, d)
template <class T = float>
[[nodiscard]] auto attention(std::int64_t rows, std::int64_t keys, std::int64_t width) {
  auto const [i, j, k, d] = axes<"i", "j", "k", "d">;
  using wide = accumulator_t<T>;
  tensor<"Q", T, 2> const Q{{rows, width}};                                                           // (rows, d)
  tensor<"K", T, 2> const K{{keys, width}};                                                           // (keys, d)
  tensor<"V", T, 2> const V{{keys, width}};                                                           // (keys, d)
  auto const S = compute<"S">(i, j) = sum(over(k), in_type<wide>(Q(i, k)) * in_type<wide>(K(j, k)));  // (rows, keys)
  auto const largest = compute<"largest">(i) = max(over(j), S(i, j));                                 // (rows)
  auto const scale = 1 / std::sqrt(static_cast<double>(width));
  auto const E = compute<"E">(i, j) = exp((S(i, j) - largest(i)) * scale);  // (rows, keys)
  auto const inverse = compute<"inverse">(i) = 1 / sum(over(j), E(i, j));   // (rows)
  auto const O = compute<"O">(i, d) =
      in_type<T>(sum(over(j), E(i, j) * in_type<wide>(V(j, d))) * inverse(i));  // (rows, d)
  return op(inputs(Q, K, V), outputs(O), "attention");
}

}  // namespace ttune::inline v0::ops
