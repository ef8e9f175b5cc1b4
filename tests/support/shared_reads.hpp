// SPDX-License-Identifier: Apache-2.0
// Operators with stages that read the same elements: sums of values and squares, statistics of images, several outputs.
#pragma once

#include "ttune/expr.hpp"

namespace ttune_test {

/// Groups of channels, as an axis of their own: (images, groups, channels of a group, rows, columns).
[[nodiscard]] inline auto group_norm(std::int64_t images, std::int64_t groups, std::int64_t channels,
                                     std::int64_t size) {
  using namespace ttune;
  auto const [n, g, c, y, x] = axes<"n", "g", "c", "y", "x">;
  auto const elements = static_cast<float>(channels * size * size);
  tensor<"X", float, 5> const X{{images, groups, channels, size, size}};
  tensor<"gain", float, 2> const gain{{groups, channels}};
  auto const mean = compute<"mean">(n, g) = sum(over(c, y, x), X(n, g, c, y, x)) / elements;
  auto const square = compute<"square">(n, g) = sum(over(c, y, x), X(n, g, c, y, x) * X(n, g, c, y, x)) / elements;
  auto const scale = rsqrt(square(n, g) - mean(n, g) * mean(n, g) + 1);
  auto const Y = compute<"Y">(n, g, c, y, x) = (X(n, g, c, y, x) - mean(n, g)) * scale * gain(g, c);
  return op(inputs(X, gain), outputs(Y), "group_norm");
}

/// Groups of channels, as parts of one axis: (images, groups * channels, rows, columns).
[[nodiscard]] inline auto group_norm_of_channels(std::int64_t images, std::int64_t groups, std::int64_t channels,
                                                 std::int64_t size) {
  using namespace ttune;
  auto const [n, g, c, y, x, a] = axes<"n", "g", "c", "y", "x", "a">;
  auto const elements = static_cast<float>(channels * size * size);
  tensor<"X", float, 4> const X{{images, groups * channels, size, size}};
  auto const value = X(n, g * channels + c, y, x);
  auto const mean = compute<"mean">(n, g.in(groups)) = sum(over(c.in(channels), y, x), value) / elements;
  auto const square = compute<"square">(n, g.in(groups)) = sum(over(c.in(channels), y, x), value * value) / elements;
  auto const m = mean(n, a / channels);
  auto const Y = compute<"Y">(n, a, y, x) = (X(n, a, y, x) - m) * rsqrt(square(n, a / channels) - m * m + 1);
  return op(inputs(X), outputs(Y), "group_norm_of_channels");
}

/// Mean and variance of each channel; both are outputs.
[[nodiscard]] inline auto channel_statistics(std::int64_t images, std::int64_t channels, std::int64_t size) {
  using namespace ttune;
  auto const [n, c, y, x] = axes<"n", "c", "y", "x">;
  auto const elements = static_cast<float>(images * size * size);
  tensor<"X", float, 4> const X{{images, channels, size, size}};
  auto const value = X(n, c, y, x);
  auto const mean = compute<"mean">(c) = sum(over(n, y, x), value) / elements;
  auto const variance = compute<"variance">(c) = sum(over(n, y, x), value * value) / elements - mean(c) * mean(c);
  return op(inputs(X), outputs(mean, variance), "channel_statistics");
}

/// Scales all elements to [0, 1] by the least and the largest one.
template <class T = float>
[[nodiscard]] auto min_max_scaling(std::int64_t count) {
  using namespace ttune;
  auto const [i] = axes<"i">;
  tensor<"A", T, 1> const A{{count}};
  auto const least = compute<"least">() = min(over(i), A(i));
  auto const largest = compute<"largest">() = max(over(i), A(i));
  auto const Y = compute<"Y">(i) = (A(i) - least()) / (largest() - least() + 1);
  return op(inputs(A), outputs(Y), "min_max_scaling");
}

/// Gradients of a norm's gain and bias: sums over rows, lanes along columns.
[[nodiscard]] inline auto norm_gradients(std::int64_t rows, std::int64_t columns) {
  using namespace ttune;
  auto const [i, j] = axes<"i", "j">;
  tensor<"G", float, 2> const G{{rows, columns}};
  tensor<"X", float, 2> const X{{rows, columns}};
  auto const gain = compute<"gain">(j) = sum(over(i), G(i, j) * X(i, j));
  auto const bias = compute<"bias">(j) = sum(over(i), G(i, j));
  return op(inputs(G, X), outputs(gain, bias), "norm_gradients");
}

/// A step of an optimiser: three outputs; the last one reads the others.
[[nodiscard]] inline auto optimiser_step(std::int64_t count) {
  using namespace ttune;
  auto const [i] = axes<"i">;
  tensor<"G", float, 1> const G{{count}};
  tensor<"M", float, 1> const M{{count}};
  tensor<"V", float, 1> const V{{count}};
  auto const m = compute<"m">(i) = 0.5F * M(i) + 0.5F * G(i);
  auto const v = compute<"v">(i) = 0.5F * V(i) + 0.5F * G(i) * G(i);
  auto const W = compute<"W">(i) = m(i) / (sqrt(abs(v(i))) + 1);
  return op(inputs(G, M, V), outputs(m, v, W), "optimiser_step");
}

}  // namespace ttune_test
