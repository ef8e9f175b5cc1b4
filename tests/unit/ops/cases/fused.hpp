// SPDX-License-Identifier: Apache-2.0
// Operators of several stages: attention, layers with what is fused behind them, MTTKRP.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "convolutions.hpp"
#include "numbers.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/fused.hpp"
#include "windows.hpp"

namespace ttune_test {

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
