// SPDX-License-Identifier: Apache-2.0
// Operators of the library with plain loops as references, for checks by the interpreter and as machine code: odd and
// prime shapes, extents of 1, all suitable element types. `check(op, reference)` makes the check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ttune/core/float16.hpp"
#include "ttune/core/tf32.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/block_differences.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/elementwise.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"

namespace ttune_test {

template <class T>
double number(T value) {
  if constexpr (std::is_same_v<T, ttune::f16> || std::is_same_v<T, ttune::bf16>) return ttune::to_float(value);
  else return static_cast<double>(value);
}
template <class T>
void put(T& to, double value) {
  if constexpr (std::is_same_v<T, ttune::f16>) to = ttune::to_f16(value);
  else if constexpr (std::is_same_v<T, ttune::bf16>) to = ttune::to_bf16(value);
  else to = static_cast<T>(value);
}

// ------------------------------------------------------------------------------------------------ rows

inline constexpr auto softmax = [](auto S, auto P) {
  for (int i = 0; i < S.extent(0); ++i) {
    double top = -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (int k = 0; k < S.extent(1); ++k) top = std::max(top, number(S(i, k)));
    for (int k = 0; k < S.extent(1); ++k) sum += std::exp(number(S(i, k)) - top);
    for (int k = 0; k < S.extent(1); ++k) put(P(i, k), std::exp(number(S(i, k)) - top) / sum);
  }
};

inline constexpr auto layer_norm = [](auto X, auto gain, auto bias, auto Y) {
  auto const columns = static_cast<double>(X.extent(1));
  for (int i = 0; i < X.extent(0); ++i) {
    double mean = 0;
    double variance = 0;
    for (int k = 0; k < X.extent(1); ++k) mean += number(X(i, k)) / columns;
    for (int k = 0; k < X.extent(1); ++k) variance += (number(X(i, k)) - mean) * (number(X(i, k)) - mean) / columns;
    for (int k = 0; k < X.extent(1); ++k)
      put(Y(i, k), (number(X(i, k)) - mean) / std::sqrt(variance + 1e-5) * number(gain(k)) + number(bias(k)));
  }
};

inline constexpr auto bias_gelu = [](auto X, auto bias, auto Y) {
  for (int i = 0; i < X.extent(0); ++i)
    for (int j = 0; j < X.extent(1); ++j) {
      double const v = number(X(i, j)) + number(bias(j));
      put(Y(i, j), v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))));
    }
};

template <class Check>
void softmax_cases(Check const& check) {
  using namespace ttune;
  check(ops::softmax(7, 13), softmax);
  check(ops::softmax<double>(1, 31), softmax);
  check(ops::softmax(5, 1), softmax);
  check(ops::softmax<f16>(3, 17), softmax);
  check(ops::softmax<bf16>(3, 17), softmax);
}
template <class Check>
void layer_norm_cases(Check const& check) {
  using namespace ttune;
  check(ops::layer_norm(7, 13), layer_norm);
  check(ops::layer_norm<double>(1, 31), layer_norm);
  check(ops::layer_norm(11, 2), layer_norm);
  check(ops::layer_norm<f16>(3, 17), layer_norm);
  check(ops::layer_norm<bf16>(3, 17), layer_norm);
}
template <class Check>
void elementwise_cases(Check const& check) {
  using namespace ttune;
  check(ops::bias_gelu(7, 13), bias_gelu);
  check(ops::bias_gelu<double>(1, 1), bias_gelu);
  check(ops::bias_gelu(1, 37), bias_gelu);
}

// --------------------------------------------------------------------------------------------- windows

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

// ---------------------------------------------------------------------------------------- convolutions

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

// --------------------------------------------------------------------------------------------- products

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

// ------------------------------------------------------------------------------------------------ fused

inline constexpr auto attention = [](auto Q, auto K, auto V, auto O) {
  auto const scale = 1 / std::sqrt(static_cast<double>(Q.extent(1)));
  for (int i = 0; i < Q.extent(0); ++i) {
    std::vector<double> powers(static_cast<std::size_t>(K.extent(0)));
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    for (int j = 0; j < K.extent(0); ++j) {
      auto& score = powers[static_cast<std::size_t>(j)];
      for (int k = 0; k < Q.extent(1); ++k) score += number(Q(i, k)) * number(K(j, k)) * scale;
      top = std::max(top, score);
    }
    for (auto& p : powers) total += p = std::exp(p - top);
    for (int d = 0; d < V.extent(1); ++d) {
      double sum = 0;
      for (int j = 0; j < K.extent(0); ++j) sum += powers[static_cast<std::size_t>(j)] * number(V(j, d));
      put(O(i, d), sum / total);
    }
  }
};
inline constexpr auto matmul_gelu = [](auto A, auto B, auto bias, auto C) {
  for (int i = 0; i < C.extent(0); ++i)
    for (int j = 0; j < C.extent(1); ++j) {
      double sum = number(bias(j));
      for (int k = 0; k < A.extent(1); ++k) sum += number(A(i, k)) * number(B(k, j));
      put(C(i, j), sum * 0.5 * (1 + std::erf(sum / std::sqrt(2.0))));
    }
};
inline auto conv_residual(ttune::ops::conv2d_shape s) {
  return [s](auto I, auto W, auto bias, auto R, auto O) {
    convolve(s, I, W, [&](auto n, auto f, auto y, auto x, double sum) {
      put(O(n, f, y, x), std::max(0.0, sum + number(bias(f)) + number(R(n, f, y, x))));
    });
  };
}
inline auto separable(ttune::ops::window2d_shape s) {
  return [s](auto I, auto D, auto P, auto O) {
    points(s.batch, O.extent(1), s.out_height(), s.out_width(), [&](auto n, auto f, auto y, auto x) {
      double sum = 0;
      for (std::int64_t c = 0; c < s.channels; ++c)
        taps(s.window(), s.height, s.width, y, x, [&](auto row, auto column, auto r, auto t) {
          sum += number(I(n, c, row, column)) * number(D(c, r, t)) * number(P(f, c));
        });
      put(O(n, f, y, x), sum);
    });
  };
}
inline constexpr auto mttkrp = [](auto X, auto B, auto C, auto M) {
  for (int i = 0; i < M.extent(0); ++i)
    for (int r = 0; r < M.extent(1); ++r) {
      double sum = 0;
      for (int j = 0; j < X.extent(1); ++j)
        for (int k = 0; k < X.extent(2); ++k) sum += number(X(i, j, k)) * number(B(j, r)) * number(C(k, r));
      put(M(i, r), sum);
    }
};

/// The second case of each is so large that its stages are computed for blocks of a common axis.
template <class Check>
void fused_cases(Check const& check) {
  using namespace ttune;
  check(ops::attention(7, 13, 5), attention);
  check(ops::attention(33, 260, 3), attention);
  check(ops::attention<double>(5, 9, 1), attention);
  check(ops::attention_in_chunks(7, 30, 5, 10), attention);
  check(ops::attention_in_chunks(5, 13, 4), attention);  // a single chunk
  check(ops::attention_in_chunks<double>(3, 64, 1, 8), attention);
  check(ops::matmul_bias_gelu(7, 11, 13), matmul_gelu);
  check(ops::matmul_bias_gelu<double>(1, 19, 3), matmul_gelu);
  check(ops::conv2d_bias_residual_relu(conv_shapes[0]), conv_residual(conv_shapes[0]));
  check(ops::conv2d_bias_residual_relu(conv_shapes[5]), conv_residual(conv_shapes[5]));
  for (auto const& s : window_shapes) check(ops::depthwise_pointwise(s, 7), separable(s));
  constexpr ops::window2d_shape large{1, 5, 61, 57, 3, 1, 1};
  check(ops::depthwise_pointwise(large, 2), separable(large));
  check(ops::mttkrp(5, 7, 11, 9), mttkrp);
  check(ops::mttkrp(17, 60, 5, 17), mttkrp);
  check(ops::mttkrp<double>(3, 5, 2, 7), mttkrp);
}

}  // namespace ttune_test
