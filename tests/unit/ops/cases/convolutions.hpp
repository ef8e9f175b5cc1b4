// SPDX-License-Identifier: Apache-2.0
// Convolutions of all layouts, with groups and dilation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "numbers.hpp"
#include "ttune/ops/conv2d.hpp"
#include "windows.hpp"

namespace ttune_test {

/// The functions `image(n, c, y, x)`, `filter(f, c, r, s)` and `store(n, f, y, x, sum)` know the layout.
template <class Image, class Filter, class Store>
void convolve(ttune::ops::conv2d_shape const& s, Image const& image, Filter const& filter, Store const& store) {
  points(s.batch, s.filters, s.out_height(), s.out_width(), [&](auto n, auto f, auto y, auto x) {
    auto const first = f / s.group_filters() * s.group_channels();
    double sum = 0;
    taps(s.window(), s.height, s.width, y, x, [&](auto row, auto column, auto r, auto t) {
      for (std::int64_t c = 0; c < s.group_channels(); ++c)
        sum += number(image(n, first + c, row, column)) * number(filter(f, c, r, t));
    });
    store(n, f, y, x, sum);
  });
}
inline auto conv(ttune::ops::conv2d_shape s) {
  return [s](auto I, auto W, auto O) {
    convolve(s, I, W, [&](auto n, auto f, auto y, auto x, double sum) { put(O(n, f, y, x), sum); });
  };
}
inline auto conv_bias_relu(ttune::ops::conv2d_shape s) {
  return [s](auto I, auto W, auto bias, auto O) {
    convolve(s, I, W, [&](auto n, auto f, auto y, auto x, double sum) {
      put(O(n, f, y, x), std::max(0.0, sum + number(bias(f))));
    });
  };
}
inline auto conv_nhwc(ttune::ops::conv2d_shape s) {
  return [s](auto I, auto W, auto O) {
    convolve(
        s, [&](auto n, auto c, auto y, auto x) { return I(n, y, x, c); },
        [&](auto f, auto c, auto r, auto t) { return W(r, t, c, f); },
        [&](auto n, auto f, auto y, auto x, double sum) { put(O(n, y, x, f), sum); });
  };
}

/// Batch, channels, height, width, filters, kernel, stride, padding, dilation, groups.
inline constexpr ttune::ops::conv2d_shape conv_shapes[] = {
    {1, 3, 7, 9, 5, 3, 1, 1},       {2, 2, 11, 5, 7, 3, 2, 1},   {1, 5, 1, 7, 3, 1, 1, 0},
    {1, 1, 5, 5, 1, 5, 1, 0},       {1, 2, 9, 9, 3, 3, 1, 2, 2}, {1, 4, 5, 7, 6, 3, 1, 1, 1, 2},
    {1, 6, 7, 5, 6, 3, 2, 1, 1, 6}, {1, 3, 5, 7, 17, 3, 1, 1}};

template <class Check>
void conv_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : conv_shapes) check(ops::conv2d(s), conv(s));
  check(ops::conv2d_bias_relu(conv_shapes[0]), conv_bias_relu(conv_shapes[0]));
  check(ops::conv2d_bias_relu(conv_shapes[5]), conv_bias_relu(conv_shapes[5]));
  auto const& s = conv_shapes[1];
  check(ops::conv2d<double>(s), conv(s));
  check(ops::conv2d<std::int8_t>(s), conv(s));
  check(ops::conv2d<f16>(s), conv(s));
}
template <class Check>
void conv_nhwc_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : conv_shapes) check(ops::conv2d_nhwc(s), conv_nhwc(s));
  auto const& s = conv_shapes[1];
  check(ops::conv2d_nhwc<double>(s), conv_nhwc(s));
  check(ops::conv2d_nhwc<std::int8_t>(s), conv_nhwc(s));
  check(ops::conv2d_nhwc<bf16>(s), conv_nhwc(s));
}

}  // namespace ttune_test
