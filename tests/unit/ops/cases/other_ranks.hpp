// SPDX-License-Identifier: Apache-2.0
// Convolutions of sequences and of volumes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "numbers.hpp"
#include "ttune/ops/conv1d.hpp"
#include "ttune/ops/conv3d.hpp"

namespace ttune_test {

/// Returns the element under a tap, or -1 if it lies outside.
inline std::int64_t element_under(ttune::ops::window w, std::int64_t position, std::int64_t tap, std::int64_t extent) {
  auto const at = position * w.stride + tap * w.dilation - w.padding;
  return at >= 0 && at < extent ? at : -1;
}

inline auto conv1d_relu(ttune::ops::conv1d_shape s) {
  return [s](auto I, auto W, auto bias, auto O) {
    for (std::int64_t n = 0; n < s.batch; ++n)
      for (std::int64_t f = 0; f < s.filters; ++f)
        for (std::int64_t x = 0; x < s.out_length(); ++x) {
          double sum = number(bias(f));
          for (std::int64_t c = 0; c < s.channels; ++c)
            for (std::int64_t t = 0; t < s.kernel; ++t)
              if (auto const at = element_under(s.window(), x, t, s.length); at >= 0)
                sum += number(I(n, c, at)) * number(W(f, c, t));
          put(O(n, f, x), std::max(0.0, sum));
        }
  };
}

inline auto conv3d(ttune::ops::conv3d_shape s) {
  return [s](auto I, auto W, auto bias, auto O) {
    auto const w = s.window();
    auto const sum_at = [&](auto n, auto f, auto z, auto y, auto x) {
      double sum = number(bias(f));
      for (std::int64_t c = 0; c < s.channels; ++c)
        for (std::int64_t tap = 0; tap < s.kernel * s.kernel * s.kernel; ++tap) {
          auto const q = tap / (s.kernel * s.kernel), r = tap / s.kernel % s.kernel, t = tap % s.kernel;
          auto const layer = element_under(w, z, q, s.depth);
          auto const row = element_under(w, y, r, s.height);
          auto const column = element_under(w, x, t, s.width);
          if (layer >= 0 && row >= 0 && column >= 0)
            sum += number(I(n, c, layer, row, column)) * number(W(f, c, q, r, t));
        }
      return sum;
    };
    for (std::int64_t n = 0; n < s.batch; ++n)
      for (std::int64_t f = 0; f < s.filters; ++f)
        for (std::int64_t z = 0; z < s.out_depth(); ++z)
          for (std::int64_t y = 0; y < s.out_height(); ++y)
            for (std::int64_t x = 0; x < s.out_width(); ++x) put(O(n, f, z, y, x), sum_at(n, f, z, y, x));
  };
}

template <class Check>
void conv_of_other_ranks_cases(Check const& check) {
  using namespace ttune;
  // Batch, channels, length, filters, kernel, stride, padding, dilation.
  for (auto const& s : {ops::conv1d_shape{1, 3, 17, 5, 3, 1, 1}, {2, 2, 11, 7, 4, 2, 1}, {1, 1, 40, 3, 5, 1, 8, 4}})
    check(ops::conv1d_bias(s, ops::activation::relu), conv1d_relu(s));
  check(ops::conv1d_bias<std::int8_t>({1, 3, 17, 5, 3, 1, 1}, ops::activation::relu),
        conv1d_relu({1, 3, 17, 5, 3, 1, 1}));
  // Batch, channels, depth, height, width, filters, kernel, stride, padding, dilation.
  for (auto const& s : {ops::conv3d_shape{1, 3, 4, 5, 6, 5, 3, 1, 1}, {2, 2, 5, 7, 5, 3, 2, 2, 0}})
    check(ops::conv3d_bias(s), conv3d(s));
  check(ops::conv3d_bias<double>({1, 2, 5, 5, 5, 3, 3, 1, 2, 2}), conv3d({1, 2, 5, 5, 5, 3, 3, 1, 2, 2}));
}

}  // namespace ttune_test
