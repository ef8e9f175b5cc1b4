// SPDX-License-Identifier: Apache-2.0
// Layers of bytes with plain loops as references. Rounding is that of the kernels: a product of f32, rounded half to
// even.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cases.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/quantized.hpp"

namespace ttune_test {

/// Limits to the range of bytes; fractions are cut off.
inline std::uint8_t byte_of(float value) { return static_cast<std::uint8_t>(std::min(std::max(value, 0.0F), 255.0F)); }
inline std::uint8_t requantized(std::int64_t sum, float factor, float zero) {
  return byte_of(std::nearbyint(static_cast<float>(sum) * factor) + zero);
}

inline auto bytes_convolved(ttune::ops::conv2d_shape s, std::uint8_t outside) {
  return [=](auto I, auto W, auto bias, auto factor, auto zero, auto O) {
    points(s.batch, s.filters, s.out_height(), s.out_width(), [&](auto n, auto f, auto y, auto x) {
      auto const first = f / s.group_filters() * s.group_channels();
      std::int64_t sum = bias(f);
      points(1, s.group_channels(), s.kernel, s.kernel, [&](auto, auto c, auto r, auto t) {
        auto const row = y * s.stride + r * s.dilation - s.padding;
        auto const column = x * s.stride + t * s.dilation - s.padding;
        bool const inside = row >= 0 && row < s.height && column >= 0 && column < s.width;
        sum += (inside ? I(n, first + c, row, column) : outside) * W(f, c, r, t);
      });
      O(n, f, y, x) = requantized(sum, factor(f), zero(f));
    });
  };
}
inline auto bytes_multiplied(ttune::ops::dense_shape s) {
  return [=](auto X, auto W, auto bias, auto factor, auto zero, auto Y) {
    for (std::int64_t i = 0; i < s.batch; ++i)
      for (std::int64_t j = 0; j < s.outputs; ++j) {
        std::int64_t sum = bias(j);
        for (std::int64_t k = 0; k < s.inputs; ++k) sum += X(i, k) * (s.transposed ? W(j, k) : W(k, j));
        Y(i, j) = requantized(sum, factor(j), zero(j));
      }
  };
}
inline constexpr auto bytes_added = [](auto A, auto B, auto numbers, auto C) {
  for (std::int64_t i = 0; i < C.elements(); ++i) {
    auto const sum =
        number(A.data[i]) * number(numbers(0)) + number(B.data[i]) * number(numbers(1)) + number(numbers(2));
    C.data[i] = byte_of(std::nearbyint(static_cast<float>(sum)));
  }
};
inline auto bytes_averaged(float factor, std::uint8_t zero) {
  return [=](auto I, auto O) {
    for (int n = 0; n < I.extent(0); ++n)
      for (int c = 0; c < I.extent(1); ++c) {
        std::int64_t sum = 0;
        points(1, 1, I.extent(2), I.extent(3), [&](auto, auto, auto y, auto x) { sum += I(n, c, y, x); });
        O(n, c) = requantized(sum, factor, zero);
      }
  };
}

template <class Check>
void quantized_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : conv_shapes)
    for (auto const outside : {std::uint8_t{0}, std::uint8_t{117}})
      check(ops::quantized_conv2d(s, outside), bytes_convolved(s, outside));
  for (ops::dense_shape const s : {ops::dense_shape{3, 11, 7}, {1, 37, 19, true}, {1, 1, 5}, {2, 9, 1, true}})
    check(ops::quantized_dense(s), bytes_multiplied(s));
  check(ops::quantized_add<1>({37}), bytes_added);
  check(ops::quantized_add<4>({1, 3, 5, 7}), bytes_added);
  check(ops::quantized_average_pool(1, 5, 7, 3, 0.37, 3), bytes_averaged(0.37F, 3));
  check(ops::quantized_average_pool(2, 3, 1, 1, 20), bytes_averaged(20, 0));
  auto const quantized = [](auto X, auto Y) {
    for (std::int64_t i = 0; i < Y.elements(); ++i) Y.data[i] = byte_of(std::nearbyint(X.data[i] / 0.0078F) + 60);
  };
  check(ops::quantize<2>({5, 23}, {0.0078, 60}), quantized);  // some are below 0
  auto const dequantized = [](auto X, auto Y) {
    for (std::int64_t i = 0; i < Y.elements(); ++i) Y.data[i] = static_cast<float>((X.data[i] - 3) * 0.25);
  };
  check(ops::dequantize<3>({2, 5, 7}, {0.25, 3}), dequantized);
}

/// Row i sees the keys up to i + `ahead`.
inline auto heads_attended(std::int64_t keys, std::int64_t heads, std::int64_t width, std::int64_t ahead) {
  return [=](auto Q, auto K, auto V, auto O) {
    auto const scale = 1 / std::sqrt(static_cast<double>(width));
    for (std::int64_t i = 0; i < Q.extent(0); ++i)
      for (std::int64_t h = 0; h < heads; ++h) {
        double total = 0;
        std::vector<double> mixed(static_cast<std::size_t>(width));
        for (std::int64_t j = 0; j < std::min(keys, i + ahead + 1); ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < width; ++d) score += number(Q(i, h, d)) * number(K(j, h, d)) * scale;
          total += std::exp(score);
          for (std::int64_t d = 0; d < width; ++d)
            mixed[static_cast<std::size_t>(d)] += std::exp(score) * number(V(j, h, d));
        }
        for (std::int64_t d = 0; d < width; ++d) put(O(i, h, d), mixed[static_cast<std::size_t>(d)] / total);
      }
  };
}

inline auto heads_attended(std::int64_t keys, std::int64_t heads, std::int64_t width) {
  return heads_attended(keys, heads, width, keys);
}

template <class Check>
void heads_cases(Check const& check) {
  using namespace ttune;
  check(ops::multi_head_attention(7, 11, 3, 5), heads_attended(11, 3, 5));
  check(ops::multi_head_attention(1, 13, 2, 8), heads_attended(13, 2, 8));
  check(ops::multi_head_attention<double>(3, 1, 1, 1), heads_attended(1, 1, 1));
  check(ops::multi_head_attention<f16>(3, 4, 2, 4), heads_attended(4, 2, 4));
  check(ops::causal_attention(7, 7, 3, 5), heads_attended(7, 3, 5, 0));
  check(ops::causal_attention(4, 9, 2, 8), heads_attended(9, 2, 8, 5));
  check(ops::causal_attention<double>(19, 33, 1, 4), heads_attended(33, 1, 4, 14));
  CHECK_THROWS_WITH_AS((void)ops::causal_attention(3, 2, 1, 4),
                       "causal_attention: 3 rows, but only 2 keys: the first rows would see none", program_error);
}

}  // namespace ttune_test
