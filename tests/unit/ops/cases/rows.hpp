// SPDX-License-Identifier: Apache-2.0
// Operators on rows: softmax, layer_norm, bias and GELU, scans.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "ttune/ops/elementwise.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/rms_norm.hpp"
#include "ttune/ops/scan.hpp"
#include "ttune/ops/softmax.hpp"

namespace ttune_test {

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

inline constexpr auto rms_norm = [](auto X, auto gain, auto Y) {
  for (int i = 0; i < X.extent(0); ++i) {
    double squares = 0;
    for (int k = 0; k < X.extent(1); ++k)
      squares += number(X(i, k)) * number(X(i, k)) / static_cast<double>(X.extent(1));
    for (int k = 0; k < X.extent(1); ++k) put(Y(i, k), number(X(i, k)) / std::sqrt(squares + 1e-5) * number(gain(k)));
  }
};

inline constexpr auto bias_gelu = [](auto X, auto bias, auto Y) {
  for (int i = 0; i < X.extent(0); ++i)
    for (int j = 0; j < X.extent(1); ++j) {
      double const v = number(X(i, j)) + number(bias(j));
      put(Y(i, j), v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))));
    }
};

inline constexpr auto prefix_sum = [](auto X, auto S) {
  for (int i = 0; i < X.extent(0); ++i) {
    double sum = 0;
    for (int t = 0; t < X.extent(1); ++t) put(S(i, t), sum += number(X(i, t)));
  }
};

inline constexpr auto exclusive_sum = [](auto X, auto S) {
  for (int i = 0; i < X.extent(0); ++i) {
    double sum = 0;
    for (int t = 0; t < X.extent(1); ++t) {
      put(S(i, t), sum);
      sum += number(X(i, t));
    }
  }
};

inline constexpr auto running_maximum = [](auto X, auto M) {
  for (int i = 0; i < X.extent(0); ++i)
    for (int t = 0; t < X.extent(1); ++t)
      put(M(i, t), t == 0 ? number(X(i, t)) : std::max(number(M(i, t - 1)), number(X(i, t))));
};

inline constexpr auto linear_recurrence = [](auto A, auto X, auto Y) {
  for (int i = 0; i < X.extent(0); ++i) {
    double y = 0;
    for (int t = 0; t < X.extent(1); ++t) put(Y(i, t), y = number(A(i, t)) * y + number(X(i, t)));
  }
};

template <class Check>
void scan_cases(Check const& check) {
  using namespace ttune;
  check(ops::prefix_sum(7, 13), prefix_sum);
  check(ops::prefix_sum<std::int8_t>(2, 37), prefix_sum);
  check(ops::prefix_sum<bf16>(3, 17), prefix_sum);
  check(ops::prefix_sum<double>(1, 96, ops::prefix::exclusive), exclusive_sum);
  check(ops::running_maximum(5, 21), running_maximum);
  check(ops::running_maximum<std::uint8_t>(9, 32), running_maximum);
  check(ops::running_maximum<std::int64_t>(2, 11), running_maximum);
  check(ops::running_maximum<f16>(3, 17), running_maximum);
  check(ops::running_maximum<bf16>(3, 17), running_maximum);
  check(ops::linear_recurrence(3, 40), linear_recurrence);
  check(ops::linear_recurrence<double>(12, 9), linear_recurrence);
}
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
  check(ops::rms_norm(7, 35), rms_norm);
  check(ops::rms_norm<double>(1, 9), rms_norm);
  check(ops::rms_norm<f16>(3, 17), rms_norm);
}
template <class Check>
void elementwise_cases(Check const& check) {
  using namespace ttune;
  check(ops::bias_gelu(7, 13), bias_gelu);
  check(ops::bias_gelu<double>(1, 1), bias_gelu);
  check(ops::bias_gelu(1, 37), bias_gelu);
}

}  // namespace ttune_test
