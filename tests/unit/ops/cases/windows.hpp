// SPDX-License-Identifier: Apache-2.0
// Operators on windows of images: pooling, differences of blocks, convolutions of each channel.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numbers.hpp"
#include "ttune/ops/block_differences.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/support/error.hpp"

namespace ttune_test {

/// Calls f(element, tap row, tap column) for the elements inside of the image under the window at (y, x).
template <class F>
void taps(ttune::ops::window w, std::int64_t height, std::int64_t width, std::int64_t y, std::int64_t x, F const& f) {
  for (std::int64_t r = 0; r < w.size; ++r)
    for (std::int64_t s = 0; s < w.size; ++s) {
      auto const row = y * w.stride + r * w.dilation - w.padding;
      auto const column = x * w.stride + s * w.dilation - w.padding;
      if (row >= 0 && row < height && column >= 0 && column < width) f(row, column, r, s);
    }
}

/// Calls f for each batch, row, column of the output, and each of its channels.
template <class F>
void points(std::int64_t batch, std::int64_t channels, std::int64_t height, std::int64_t width, F const& f) {
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) f(n, c, y, x);
}

inline auto max_pool(ttune::ops::window2d_shape s) {
  return [s](auto I, auto O) {
    points(s.batch, s.channels, s.out_height(), s.out_width(), [&](auto n, auto c, auto y, auto x) {
      double top = -std::numeric_limits<double>::infinity();
      taps(s.window(), s.height, s.width, y, x,
           [&](auto row, auto column, auto, auto) { top = std::max(top, number(I(n, c, row, column))); });
      put(O(n, c, y, x), top);
    });
  };
}
inline auto avg_pool(ttune::ops::window2d_shape s) {
  return [s](auto I, auto O) {
    points(s.batch, s.channels, s.out_height(), s.out_width(), [&](auto n, auto c, auto y, auto x) {
      double sum = 0;
      taps(s.window(), s.height, s.width, y, x,
           [&](auto row, auto column, auto, auto) { sum += number(I(n, c, row, column)); });
      put(O(n, c, y, x), sum / static_cast<double>(s.kernel * s.kernel));
    });
  };
}
inline auto depthwise(ttune::ops::window2d_shape s) {
  return [s](auto I, auto W, auto O) {
    points(s.batch, s.channels, s.out_height(), s.out_width(), [&](auto n, auto c, auto y, auto x) {
      double sum = 0;
      taps(s.window(), s.height, s.width, y, x,
           [&](auto row, auto column, auto r, auto t) { sum += number(I(n, c, row, column)) * number(W(c, r, t)); });
      put(O(n, c, y, x), sum);
    });
  };
}

inline auto differences_of_blocks(ttune::ops::block_matching_shape s) {
  return [s](auto C, auto R, auto S) {
    points(s.rows, s.columns, s.window, s.window, [&](auto a, auto b, auto v, auto u) {
      double sum = 0;
      for (std::int64_t y = 0; y < s.size; ++y)
        for (std::int64_t x = 0; x < s.size; ++x)
          sum +=
              std::abs(number(C(a * s.size + y, b * s.size + x)) - number(R(a * s.size + y + v, b * s.size + x + u)));
      put(S(a, b, v, u), sum);
    });
  };
}

/// Shapes of windows over images: padding, strides, dilation; windows of one row, one column, the whole image, nothing.
inline constexpr ttune::ops::window2d_shape window_shapes[] = {
    {1, 3, 7, 11, 3, 1, 1},   {2, 1, 5, 13, 3, 2, 1}, {1, 5, 1, 9, 1, 2, 0}, {1, 2, 5, 5, 5, 1, 0},
    {1, 2, 9, 8, 3, 1, 2, 2}, {1, 19, 3, 2, 2, 1, 0}, {1, 2, 9, 81, 5, 1, 2}};

template <class Check>
void pooling_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : window_shapes) {
    check(ops::max_pool2d(s), max_pool(s));
    check(ops::avg_pool2d(s), avg_pool(s));
  }
  auto const& s = window_shapes[1];
  check(ops::max_pool2d<std::int8_t>(s), max_pool(s));
  check(ops::max_pool2d<double>(s), max_pool(s));
  check(ops::avg_pool2d<double>(s), avg_pool(s));
}
template <class Check>
void block_differences_cases(Check const& check) {
  using namespace ttune;
  for (ops::block_matching_shape const s :
       {ops::block_matching_shape{2, 3, 16, 19}, {1, 2, 8, 33}, {3, 1, 5, 7}, {1, 1, 1, 1}})
    check(ops::block_differences(s), differences_of_blocks(s));
  check(ops::block_differences<std::int32_t>({1, 2, 17, 21}), differences_of_blocks({1, 2, 17, 21}));
  CHECK_THROWS_AS((void)ops::block_differences({1, 1, 17, 4}), argument_error);
}
template <class Check>
void depthwise_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : window_shapes) check(ops::depthwise_conv2d(s), depthwise(s));
  auto const& s = window_shapes[1];
  check(ops::depthwise_conv2d<double>(s), depthwise(s));
  check(ops::depthwise_conv2d<std::int8_t>(s), depthwise(s));
  check(ops::depthwise_conv2d<std::int32_t>(s), depthwise(s));
  check(ops::depthwise_conv2d<f16>(s), depthwise(s));
}

}  // namespace ttune_test
