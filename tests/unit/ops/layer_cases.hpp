// SPDX-License-Identifier: Apache-2.0
// Layers of whole networks with plain loops as references: activations, dense and recurrent layers, transposed
// convolutions, joins. `check(op, reference)` makes the check.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "cases.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/concat.hpp"
#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/dense.hpp"
#include "ttune/ops/gather.hpp"
#include "ttune/ops/recurrent.hpp"
#include "ttune/ops/resize.hpp"
#include "ttune/ops/upsample.hpp"
#include "ttune/ops/winograd.hpp"

namespace ttune_test {

using ttune::ops::activation;

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline double activated(activation then, double x) {
  switch (then.what) {
    case activation::none: return x;
    case activation::relu: return std::max(x, 0.0);
    case activation::relu6: return std::min(std::max(x, 0.0), 6.0);
    case activation::leaky_relu: return x < 0 ? then.slope * x : x;
    case activation::tanh: return std::tanh(x);
    case activation::sigmoid: return sigmoid(x);
    case activation::gelu: return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
    case activation::silu: return x * sigmoid(x);
  }
  return 0;
}

inline constexpr activation all_activations[] = {
    activation::none, activation::relu,    activation::relu6, {activation::leaky_relu, 0.25},
    activation::tanh, activation::sigmoid, activation::gelu,  activation::silu};

// ------------------------------------------------------------------------------ bias and activation

inline auto conv_bias(ttune::ops::conv2d_shape s, activation then) {
  return [=](auto I, auto W, auto bias, auto O) {
    convolve(s, I, W, [&](auto n, auto f, auto y, auto x, double sum) {
      put(O(n, f, y, x), activated(then, sum + number(bias(f))));
    });
  };
}
inline auto conv_bias_residual(ttune::ops::conv2d_shape s, activation then) {
  return [=](auto I, auto W, auto bias, auto R, auto O) {
    convolve(s, I, W, [&](auto n, auto f, auto y, auto x, double sum) {
      put(O(n, f, y, x), activated(then, sum + number(bias(f)) + number(R(n, f, y, x))));
    });
  };
}
inline auto depthwise_bias(ttune::ops::window2d_shape s, activation then) {
  return [=](auto I, auto W, auto bias, auto O) {
    points(s.batch, s.channels, s.out_height(), s.out_width(), [&](auto n, auto c, auto y, auto x) {
      double sum = number(bias(c));
      taps(s.window(), s.height, s.width, y, x,
           [&](auto row, auto column, auto r, auto t) { sum += number(I(n, c, row, column)) * number(W(c, r, t)); });
      put(O(n, c, y, x), activated(then, sum));
    });
  };
}

template <class Check>
void conv_bias_cases(Check const& check) {
  using namespace ttune;
  auto const& plain = conv_shapes[0];
  for (auto const& then : {activation::none, activation::relu6, activation::silu})
    for (auto const& s : {plain, conv_shapes[5]}) check(ops::conv2d_bias(s, then), conv_bias(s, then));
  check(ops::conv2d_bias(conv_shapes[1]), conv_bias(conv_shapes[1], activation::none));
  check(ops::conv2d_bias<std::int8_t>(plain, activation::relu6), conv_bias(plain, activation::relu6));
  check(ops::conv2d_bias<double>(plain, activation::tanh), conv_bias(plain, activation::tanh));
  check(ops::conv2d_bias_residual(plain), conv_bias_residual(plain, activation::none));
  for (auto const& s : window_shapes)
    check(ops::depthwise_conv2d_bias(s, activation::relu6), depthwise_bias(s, activation::relu6));
  check(ops::depthwise_conv2d_bias<f16>(window_shapes[1]), depthwise_bias(window_shapes[1], activation::none));
}

/// Winograd's method with bias, activation and residual.
template <class Check>
void winograd_bias_cases(Check const& check) {
  using namespace ttune;
  constexpr ops::conv2d_shape s{1, 3, 9, 7, 5, 3, 1, 1};
  for (auto const& then : {activation::none, activation::relu6})
    check(ops::winograd_conv2d_bias(s, {2}, then), conv_bias(s, then));
  check(ops::winograd_conv2d_bias_residual(s, {2}, activation::relu), conv_bias_residual(s, activation::relu));
}

// -------------------------------------------------------------------------------- dense and recurrent

inline auto dense(ttune::ops::dense_shape s, activation then) {
  return [=](auto X, auto W, auto bias, auto Y) {
    for (std::int64_t i = 0; i < s.batch; ++i)
      for (std::int64_t j = 0; j < s.outputs; ++j) {
        double sum = number(bias(j));
        for (std::int64_t k = 0; k < s.inputs; ++k) sum += number(X(i, k)) * number(s.transposed ? W(j, k) : W(k, j));
        put(Y(i, j), activated(then, sum));
      }
  };
}

template <class Check>
void dense_cases(Check const& check) {
  using namespace ttune;
  for (auto const& then : all_activations) check(ops::dense({3, 11, 7}, then), dense({3, 11, 7}, then));
  for (ops::dense_shape const s :
       {ops::dense_shape{1, 37, 19}, {1, 37, 19, true}, {5, 13, 17, true}, {1, 1, 5}, {2, 9, 1, true}, {1, 70, 130}})
    check(ops::dense(s, activation::relu), dense(s, activation::relu));
  check(ops::dense<std::int8_t>({3, 11, 7}, activation::relu), dense({3, 11, 7}, activation::relu));
  check(ops::dense<bf16>({3, 11, 7, true}), dense({3, 11, 7, true}, activation::none));
  CHECK_THROWS_WITH_AS((void)ops::dense<std::int8_t>({3, 11, 7}, activation::gelu),
                       "activation gelu of integers; use none, relu or relu6, or name a floating-point type of sums",
                       program_error);
}

/// The product of a row of A and a row of B.
inline double row_product(auto const& A, std::int64_t of_a, auto const& B, std::int64_t of_b, std::int64_t terms) {
  double sum = 0;
  for (std::int64_t k = 0; k < terms; ++k) sum += number(A(of_a, k)) * number(B(of_b, k));
  return sum;
}

inline auto lstm(ttune::ops::recurrent_shape s) {
  return [=](auto X, auto H, auto C, auto W, auto R, auto bias, auto next_H, auto next_C) {
    for (std::int64_t n = 0; n < s.batch; ++n)
      for (std::int64_t j = 0; j < s.units; ++j) {
        auto const gate = [&](std::int64_t which) {
          auto const at = which * s.units + j;
          return row_product(X, n, W, at, s.inputs) + row_product(H, n, R, at, s.units) + number(bias(at));
        };
        auto const c = sigmoid(gate(2)) * number(C(n, j)) + sigmoid(gate(0)) * std::tanh(gate(3));
        put(next_C(n, j), c);
        put(next_H(n, j), sigmoid(gate(1)) * std::tanh(c));
      }
  };
}

/// A step of a sequence: the rows of G have what the gates get from the inputs.
inline auto lstm_step(ttune::ops::recurrent_shape s, ttune::ops::sequence_rows rows) {
  return [=](auto G, auto row, auto H, auto C, auto R, auto next_H, auto next_C) {
    for (std::int64_t n = 0; n < s.batch; ++n)
      for (std::int64_t j = 0; j < s.units; ++j) {
        auto const from = static_cast<std::int64_t>(row(0)) + n * rows.between;
        auto const gate = [&](std::int64_t which) {
          auto const at = which * s.units + j;
          return number(G(from, at)) + row_product(H, n, R, at, s.units);
        };
        auto const c = sigmoid(gate(2)) * number(C(n, j)) + sigmoid(gate(0)) * std::tanh(gate(3));
        put(next_C(n, j), c);
        put(next_H(n, j), sigmoid(gate(1)) * std::tanh(c));
      }
  };
}

inline auto gru_step(ttune::ops::recurrent_shape s, ttune::ops::sequence_rows rows, bool linear_before_reset) {
  return [=](auto G, auto row, auto H, auto R, auto state_bias, auto next_H) {
    for (std::int64_t n = 0; n < s.batch; ++n) {
      auto const from = static_cast<std::int64_t>(row(0)) + n * rows.between;
      auto const state = [&](std::int64_t at) { return row_product(H, n, R, at, s.units) + number(state_bias(at)); };
      auto const reset = [&](std::int64_t k) { return sigmoid(number(G(from, s.units + k)) + state(s.units + k)); };
      for (std::int64_t j = 0; j < s.units; ++j) {
        auto const at = 2 * s.units + j;
        double of_state = number(state_bias(at));
        for (std::int64_t k = 0; k < s.units; ++k) of_state += reset(k) * number(H(n, k)) * number(R(at, k));
        if (linear_before_reset) of_state = reset(j) * state(at);
        auto const update = sigmoid(number(G(from, j)) + state(j));
        put(next_H(n, j), (1 - update) * std::tanh(number(G(from, at)) + of_state) + update * number(H(n, j)));
      }
    }
  };
}

inline auto gru(ttune::ops::recurrent_shape s, bool linear_before_reset) {
  return [=](auto X, auto H, auto W, auto R, auto bias, auto state_bias, auto next_H) {
    for (std::int64_t n = 0; n < s.batch; ++n) {
      auto const input = [&](std::int64_t at) { return row_product(X, n, W, at, s.inputs) + number(bias(at)); };
      auto const state = [&](std::int64_t at) { return row_product(H, n, R, at, s.units) + number(state_bias(at)); };
      auto const reset = [&](std::int64_t k) { return sigmoid(input(s.units + k) + state(s.units + k)); };
      for (std::int64_t j = 0; j < s.units; ++j) {
        auto const at = 2 * s.units + j;
        double of_state = number(state_bias(at));
        for (std::int64_t k = 0; k < s.units; ++k) of_state += reset(k) * number(H(n, k)) * number(R(at, k));
        if (linear_before_reset) of_state = reset(j) * state(at);
        auto const update = sigmoid(input(j) + state(j));
        put(next_H(n, j), (1 - update) * std::tanh(input(at) + of_state) + update * number(H(n, j)));
      }
    }
  };
}

template <class Check>
void recurrent_cases(Check const& check) {
  using namespace ttune;
  for (ops::recurrent_shape const s : {ops::recurrent_shape{1, 7, 5}, {3, 1, 11}, {1, 40, 33}, {2, 5, 1}}) {
    check(ops::lstm_cell(s), lstm(s));
    for (bool const linear_before_reset : {false, true})
      check(ops::gru_cell(s, linear_before_reset), gru(s, linear_before_reset));
  }
  for (ops::recurrent_shape const s : {ops::recurrent_shape{1, 1, 33}, {3, 1, 11}, {2, 1, 1}})
    for (ops::sequence_rows const rows : {ops::sequence_rows{4 * s.batch, 1}, {4 * s.batch, 4}}) {
      check(ops::lstm_step(s, rows), lstm_step(s, rows));
      for (bool const linear_before_reset : {false, true})
        check(ops::gru_step(s, rows, linear_before_reset), gru_step(s, rows, linear_before_reset));
    }
  check(ops::lstm_cell<double>({2, 3, 5}), lstm({2, 3, 5}));
  check(ops::gru_cell<double>({2, 3, 5}), gru({2, 3, 5}, false));
}

// ------------------------------------------------------------------------------------------- images

/// Adds each pixel, multiplied with the filters, to its window of the output, in the order of channels.
template <class Sum = double, class Image, class Filters>
std::vector<Sum> scattered(ttune::ops::conv_transpose2d_shape const& s, Image const& I, Filters const& W) {
  auto const height = s.out_height();
  auto const width = s.out_width();
  std::vector<Sum> out(static_cast<std::size_t>(s.batch * s.filters * height * width));
  points(s.batch, s.channels, s.height, s.width, [&](auto n, auto c, auto row, auto column) {
    points(1, s.filters, s.kernel, s.kernel, [&](auto, auto f, auto r, auto t) {
      auto const y = row * s.stride + r - s.padding;
      auto const x = column * s.stride + t - s.padding;
      if (y < 0 || y >= height || x < 0 || x >= width) return;
      auto& sum = out[static_cast<std::size_t>(((n * s.filters + f) * height + y) * width + x)];
      sum = static_cast<Sum>(static_cast<double>(sum) + number(I(n, c, row, column)) * number(W(c, f, r, t)));
    });
  });
  return out;
}
inline auto conv_transpose(ttune::ops::conv_transpose2d_shape s) {
  return [=](auto I, auto W, auto O) {
    auto const sums = scattered(s, I, W);
    std::size_t at = 0;
    points(s.batch, s.filters, s.out_height(), s.out_width(),
           [&](auto n, auto f, auto y, auto x) { put(O(n, f, y, x), sums[at++]); });
  };
}
inline auto conv_transpose_bias(ttune::ops::conv_transpose2d_shape s, activation then) {
  return [=](auto I, auto W, auto bias, auto O) {
    auto const sums = scattered(s, I, W);
    std::size_t at = 0;
    points(s.batch, s.filters, s.out_height(), s.out_width(),
           [&](auto n, auto f, auto y, auto x) { put(O(n, f, y, x), activated(then, sums[at++] + number(bias(f)))); });
  };
}

/// Batch, channels, height, width, filters, kernel, stride, padding, output padding.
inline constexpr ttune::ops::conv_transpose2d_shape conv_transpose_shapes[] = {
    {1, 5, 4, 6, 3, 4, 2, 1},    {2, 3, 5, 3, 7, 3, 2, 1, 1}, {1, 7, 1, 1, 5, 4, 1, 0}, {1, 2, 3, 5, 4, 3, 1, 1},
    {1, 3, 4, 3, 2, 2, 3, 0, 2}, {1, 2, 5, 2, 17, 5, 3, 2},   {1, 1, 3, 3, 1, 1, 2, 0}};

template <class Check>
void conv_transpose_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : conv_transpose_shapes) check(ops::conv_transpose2d(s), conv_transpose(s));
  auto const& s = conv_transpose_shapes[0];
  for (auto const& then : {activation::none, activation::relu, activation::tanh})
    check(ops::conv_transpose2d_bias(s, then), conv_transpose_bias(s, then));
  check(ops::conv_transpose2d<double>(conv_transpose_shapes[1]), conv_transpose(conv_transpose_shapes[1]));
  check(ops::conv_transpose2d<std::int8_t>(s), conv_transpose(s));
  check(ops::conv_transpose2d<f16>(s), conv_transpose(s));
  CHECK_THROWS_WITH_AS((void)ops::conv_transpose2d({1, 1, 3, 3, 1, 3, 2, 1, 2}),
                       "conv_transpose2d: an output padding of 2; it must be less than the stride, 2", program_error);
  CHECK_THROWS_WITH_AS((void)ops::conv_transpose2d({1, 1, 1, 1, 1, 1, 2, 1}),
                       "conv_transpose2d: a padding of 1 leaves no output; use a smaller one", program_error);
}

inline auto avg_pool_inside(ttune::ops::window2d_shape s) {
  return [s](auto I, auto O) {
    points(s.batch, s.channels, s.out_height(), s.out_width(), [&](auto n, auto c, auto y, auto x) {
      double sum = 0;
      double inside = 0;
      taps(s.window(), s.height, s.width, y, x, [&](auto row, auto column, auto, auto) {
        sum += number(I(n, c, row, column));
        ++inside;
      });
      put(O(n, c, y, x), inside > 0 ? sum / inside : 0);
    });
  };
}
inline constexpr auto global_mean = [](auto I, auto O) {
  for (int n = 0; n < I.extent(0); ++n)
    for (int c = 0; c < I.extent(1); ++c) {
      double sum = 0;
      points(1, 1, I.extent(2), I.extent(3), [&](auto, auto, auto y, auto x) { sum += number(I(n, c, y, x)); });
      put(O(n, c), sum / static_cast<double>(I.extent(2) * I.extent(3)));
    }
};
inline auto resized(ttune::ops::resize_shape s) {
  return [s](auto I, auto O) {
    auto const place = [](std::int64_t i, std::int64_t size, std::int64_t out) {
      return (static_cast<double>(i) + 0.5) * static_cast<double>(size) / static_cast<double>(out) - 0.5;
    };
    for (std::int64_t n = 0; n < s.batch; ++n)
      for (std::int64_t c = 0; c < s.channels; ++c)
        for (std::int64_t y = 0; y < s.out_height; ++y)
          for (std::int64_t x = 0; x < s.out_width; ++x) {
            auto const row = place(y, s.height, s.out_height), column = place(x, s.width, s.out_width);
            auto const top = std::floor(row), left = std::floor(column);
            auto const pixel = [&](double r, double k) {
              return number(I(n, c, std::clamp<std::int64_t>(std::int64_t(r), 0, s.height - 1),
                              std::clamp<std::int64_t>(std::int64_t(k), 0, s.width - 1)));
            };
            auto const across = column - left, down = row - top;
            auto const above = pixel(top, left) * (1 - across) + pixel(top, left + 1) * across;
            auto const below = pixel(top + 1, left) * (1 - across) + pixel(top + 1, left + 1) * across;
            put(O(n, c, y, x), above * (1 - down) + below * down);
          }
  };
}
inline auto upsampled(ttune::ops::upsample_shape s) {
  return [s](auto I, auto O) {
    points(s.batch, s.channels, s.height * s.rows, s.width * s.columns,
           [&](auto n, auto c, auto y, auto x) { O(n, c, y, x) = I(n, c, y / s.rows, x / s.columns); });
  };
}

template <class Check>
void layer_image_cases(Check const& check) {
  using namespace ttune;
  for (auto const& s : window_shapes) check(ops::avg_pool2d_inside(s), avg_pool_inside(s));
  check(ops::avg_pool2d_inside<double>({1, 2, 3, 3, 2, 2, 2}), avg_pool_inside({1, 2, 3, 3, 2, 2, 2}));
  check(ops::global_average_pool(2, 19, 7, 7), global_mean);
  check(ops::global_average_pool(1, 3, 1, 13), global_mean);
  check(ops::global_average_pool<double>(1, 5, 4, 1), global_mean);
  for (ops::upsample_shape const s : {ops::upsample_shape{1, 3, 5, 7}, {2, 1, 3, 9, 3, 1}, {1, 2, 1, 4, 1, 5}})
    check(ops::upsample_nearest(s), upsampled(s));
  check(ops::upsample_nearest<std::uint8_t>({1, 3, 5, 7}), upsampled({1, 3, 5, 7}));
  for (auto const& s : {ops::resize_shape{1, 2, 5, 7, 10, 14}, {2, 1, 9, 6, 4, 17}, {1, 1, 1, 3, 4, 3}})
    check(ops::resize_bilinear(s), resized(s));
  check(ops::resize_bilinear<f16>({1, 3, 6, 6, 9, 9}), resized({1, 3, 6, 6, 9, 9}));
}

// -------------------------------------------------------------------------------------------- joins

inline auto elements_added(activation then) {
  return [=](auto A, auto B, auto C) {
    for (std::int64_t i = 0; i < C.elements(); ++i)
      put(C.data[i], activated(then, number(A.data[i]) + number(B.data[i])));
  };
}
inline auto elements_activated(activation then) {
  return [=](auto X, auto Y) {
    for (std::int64_t i = 0; i < Y.elements(); ++i) put(Y.data[i], activated(then, number(X.data[i])));
  };
}
inline constexpr auto rows_gathered = [](auto at, auto W, auto Y) {
  for (int i = 0; i < Y.extent(0); ++i)
    for (int j = 0; j < Y.extent(1); ++j) Y(i, j) = W(at(i), j);
};
/// Copies pieces of each part in turn: all elements of dimensions from `along` on.
inline auto concatenated(int along) {
  return [=](auto... all) {
    auto const operands = std::tuple(all...);
    auto const C = std::get<sizeof...(all) - 1>(operands);
    std::int64_t outer = 1;
    for (int d = 0; d < along; ++d) outer *= C.extent(d);
    std::int64_t first = 0;
    auto const copy = [&](auto const& part) {
      if (static_cast<void const*>(part.data) == C.data) return;
      auto const piece = part.elements() / outer;
      for (std::int64_t o = 0; o < outer; ++o)
        std::copy_n(part.data + o * piece, piece, C.data + o * (C.elements() / outer) + first);
      first += piece;
    };
    (copy(all), ...);
  };
}

template <class Check>
void join_cases(Check const& check) {
  using namespace ttune;
  check(ops::add<1>({37}), elements_added(activation::none));
  check(ops::add_relu<4>({2, 3, 5, 7}), elements_added(activation::relu));
  check(ops::add<2, double>({5, 1}, activation::relu6), elements_added(activation::relu6));
  check(ops::add<3, std::int32_t>({2, 1, 9}), elements_added(activation::none));
  check(ops::activate<2>({3, 17}, activation::sigmoid), elements_activated(activation::sigmoid));
  check(ops::activate<3, double>({3, 1, 5}, activation::leaky_relu), elements_activated(activation::leaky_relu));
  check(ops::gather_rows(7, 11, 19), rows_gathered);
  check(ops::gather_rows<double, std::int64_t>(5, 3, 1), rows_gathered);
  for (int along = 0; along < 4; ++along) check(ops::concat<4, 2>({2, 3, 5, 7}, along, {4, 9}), concatenated(along));
  check(ops::concat<2, 3>({5, 0}, 1, {1, 7, 20}), concatenated(1));
  check(ops::concat<1, 3, std::int32_t>({}, 0, {3, 1, 18}), concatenated(0));
  auto const joined = [](int along, std::int64_t second) { (void)ops::concat<2, 2>({5, 7}, along, {1, second}); };
  CHECK_THROWS_WITH_AS(joined(2, 1),
                       "concat: tensors of 2 dimensions have no dimension 2; dimensions count from 0, the outermost",
                       program_error);
  CHECK_THROWS_WITH_AS(joined(1, 0), "concat: a part of 0 elements; leave it out", program_error);
}

}  // namespace ttune_test
