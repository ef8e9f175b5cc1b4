// SPDX-License-Identifier: Apache-2.0
// Attention of one head or several (Vaswani et al., "Attention Is All You Need", 2017).
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Returns softmax(Q K^T / sqrt(d)) V. The largest score of a row is subtracted first. The division by a row's sum is
/// applied to the d results of the row, not to its scores. Schedules process several rows at a time, so that their
/// scores stay in a cache.
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

namespace detail {

/// Attention of several heads. `seen(e, otherwise)` is e where row i sees key j, else `otherwise`.
template <class T, class Seen>
[[nodiscard]] auto attention_of_heads(std::int64_t rows, std::int64_t keys, std::int64_t heads, std::int64_t width,
                                      char const* name, Seen const& seen) {
  auto const [h, i, j, k, d] = axes<"h", "i", "j", "k", "d">;
  using wide = accumulator_t<T>;
  tensor<"Q", T, 3> const Q{{rows, heads, width}};  // (rows, heads, d)
  tensor<"K", T, 3> const K{{keys, heads, width}};  // (keys, heads, d)
  tensor<"V", T, 3> const V{{keys, heads, width}};  // (keys, heads, d)
  auto const S = compute<"S">(h, i, j) = sum(over(k), in_type<wide>(Q(i, h, k)) * in_type<wide>(K(j, h, k)));
  auto const largest = compute<"largest">(h, i) =
      max(over(j), seen(S(h, i, j), -std::numeric_limits<double>::infinity()));  // (heads, rows)
  auto const scale = 1 / std::sqrt(static_cast<double>(width));
  auto const E = compute<"E">(h, i, j) = seen(exp((S(h, i, j) - largest(h, i)) * scale), 0);  // (heads, rows, keys)
  auto const inverse = compute<"inverse">(h, i) = 1 / sum(over(j), E(h, i, j));               // (heads, rows)
  auto const O = compute<"O">(i, h, d) =
      in_type<T>(sum(over(j), E(h, i, j) * in_type<wide>(V(j, h, d))) * inverse(h, i));  // (rows, heads, d)
  return op(inputs(Q, K, V), outputs(O), name);
}

}  // namespace detail

/// `attention` of several heads, which lie side by side in a row, as dense layers of all heads give them.
/// Shape: Q (rows, heads, d), K (keys, heads, d), V (keys, heads, d) -> O (rows, heads, d)
template <class T = float>
[[nodiscard]] auto multi_head_attention(std::int64_t rows, std::int64_t keys, std::int64_t heads, std::int64_t width) {
  return detail::attention_of_heads<T>(rows, keys, heads, width, "multi_head_attention",
                                       [](auto const& e, double /*otherwise*/) { return e; });
}

/// `multi_head_attention` in which no row sees what comes behind it: row i sees the keys up to i + keys - rows, so that
/// the last row sees all of them. There are no more rows than keys.
/// Shape: Q (rows, heads, d), K (keys, heads, d), V (keys, heads, d) -> O (rows, heads, d)
template <class T = float>
[[nodiscard]] auto causal_attention(std::int64_t rows, std::int64_t keys, std::int64_t heads, std::int64_t width) {
  if (rows > keys)
    throw program_error("causal_attention: " + std::to_string(rows) + " rows, but only " + std::to_string(keys) +
                        " keys: the first rows would see none");
  return detail::attention_of_heads<T>(rows, keys, heads, width, "causal_attention",
                                       [=](auto const& e, double otherwise) {
                                         auto const [i, j] = axes<"i", "j">;
                                         return select(j <= i + (keys - rows), e, otherwise);
                                       });
}

namespace detail {

/// Returns the largest divisor of `keys` up to `wanted`; returns `keys` if that divisor is less than a quarter of
/// `wanted`.
[[nodiscard]] inline std::int64_t chunk_of(std::int64_t keys, std::int64_t wanted) {
  for (auto size = wanted; 4 * size >= wanted; --size)
    if (size > 0 && keys % size == 0) return size;
  return keys;
}

}  // namespace detail

/// `attention` with the keys in chunks of about `wanted`. Each chunk has its own largest score, sum and results, which
/// are then combined by weights (Dao et al., "Flash-Decoding for long-context inference", 2023). The scores of a chunk
/// fit in the memory of a GPU block, and blocks share the keys.
///
/// Shape: Q (rows, d), K (keys, d), V (keys, d) -> O (rows, d)
template <class T = float>
[[nodiscard]] auto attention_in_chunks(std::int64_t rows, std::int64_t keys, std::int64_t width,
                                       std::int64_t wanted = 64) {
  auto const [i, c, j, k, d, e] = axes<"i", "c", "j", "k", "d", "e">;
  using wide = accumulator_t<T>;
  auto const size = detail::chunk_of(keys, wanted);
  auto const scale = 1 / std::sqrt(static_cast<double>(width));
  auto const in_chunk = c.in(size > 0 ? keys / size : 0);
  tensor<"Q", T, 2> const Q{{rows, width}};  // (rows, d)
  tensor<"K", T, 2> const K{{keys, width}};  // (keys, d)
  tensor<"V", T, 2> const V{{keys, width}};  // (keys, d)
  auto const S = compute<"S">(i, in_chunk, j.in(size)) =
      sum(over(k), in_type<wide>(Q(i, k)) * in_type<wide>(K(c * size + j, k)));   // (rows, chunks, size)
  auto const most = compute<"most">(i, c) = max(over(j), S(i, c, j));             // (rows, chunks)
  auto const E = compute<"E">(i, c, j) = exp((S(i, c, j) - most(i, c)) * scale);  // (rows, chunks, size)
  auto const total = compute<"total">(i, c) = sum(over(j), E(i, c, j));           // (rows, chunks)
  auto const P = compute<"P">(i, c, d) =
      sum(over(j), E(i, c, j) * in_type<wide>(V(c * size + j, d)));  // (rows, chunks, d)
  // results, sum and largest score of a chunk, side by side
  auto const part = compute<"part">(i, c, e.in(width + 2)) =
      select(e < width, P(i, c, min(e, width - 1)), select(e == width, total(i, c), most(i, c)));
  auto const largest = compute<"largest">(i) = max(over(c), part(i, c, width + 1));  // (rows)
  auto const weight = compute<"weight">(i, c) = exp((part(i, c, width + 1) - largest(i)) * scale);
  auto const inverse = compute<"inverse">(i) = 1 / sum(over(c), part(i, c, width) * weight(i, c));
  auto const O = compute<"O">(i, d.in(width)) =
      in_type<T>(sum(over(c), part(i, c, d) * weight(i, c)) * inverse(i));  // (rows, d)
  return op(inputs(Q, K, V), outputs(O), "attention_in_chunks");
}

/// Alternatives for GPUs, whose blocks have little memory: plain attention, and attention in chunks of two sizes.
template <class T = float>
[[nodiscard]] auto attention_alternatives(std::int64_t rows, std::int64_t keys, std::int64_t width) {
  return alternatives(attention<T>(rows, keys, width), attention_in_chunks<T>(rows, keys, width, 64),
                      attention_in_chunks<T>(rows, keys, width, 128));
}

}}}  // namespace ttune::v0::ops
