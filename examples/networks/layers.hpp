// SPDX-License-Identifier: Apache-2.0
// Layers of networks for images, one call each: a layer makes its operator, asks for its weights, and knows the shape
// of its result. The networks of this folder are written with them.
#pragma once

#include <ttune/network/network.hpp>
#include <ttune/ops/add.hpp>
#include <ttune/ops/concat.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/conv_transpose2d.hpp>
#include <ttune/ops/dense.hpp>
#include <ttune/ops/depthwise_conv2d.hpp>
#include <ttune/ops/pool2d.hpp>
#include <ttune/ops/upsample.hpp>
#include <ttune/ops/winograd.hpp>
#include <ttune/ops/winograd_transposed.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "weights.hpp"

namespace networks {

using ttune::ops::activation;

/// An image in a network: (1, channels, height, width).
struct image {
  ttune::network_value<float, 4> value;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// A matrix in a network, or a vector as a matrix of one row: (rows, columns).
struct matrix {
  ttune::network_value<float, 2> value;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// A convolution, as a row of a table: filters, kernel, stride, padding.
struct conv_layer {
  std::int64_t filters = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  double gain = 2;  ///< of random weights: variance of the result over that of the input; 2 where a rectifier follows
};

/// Builds a network layer by layer. Random weights are scaled as by He et al. ("Delving Deep into Rectifiers", 2015),
/// so that the deviations of activations stay near 1.
class layers {
 public:
  layers(std::string name, weight_source source) : net_(std::move(name)), source_(std::move(source)) {}

  [[nodiscard]] image input(std::string name, std::int64_t channels, std::int64_t height, std::int64_t width) {
    return {net_.input<float>(std::move(name), {1, channels, height, width}), channels, height, width};
  }
  [[nodiscard]] matrix input(std::string name, std::int64_t rows, std::int64_t columns) {
    return {net_.input<float>(std::move(name), {rows, columns}), rows, columns};
  }

  /// Convolution, bias, activation. Those of 3x3 have the computes of Winograd's method too; tuning uses them only
  /// where its numerics allow their error.
  [[nodiscard]] image conv(image const& x, conv_layer const& l, activation then = activation::none) {
    ttune::ops::conv2d_shape const s{1, x.channels, x.height, x.width, l.filters, l.kernel, l.stride, l.padding};
    auto const name = next_name("conv");
    auto const taps = x.channels * l.kernel * l.kernel;
    auto const filters = weights(name + ".weight", {l.filters, x.channels, l.kernel, l.kernel}, scale(l.gain, taps));
    auto const bias = bias_of(name, l.filters);
    auto const y = l.kernel == 3 ? net_.add(computes_of(s, then), x.value, filters, bias)
                                 : net_.add(ttune::ops::conv2d_bias(s, then), x.value, filters, bias);
    return {y, l.filters, s.out_height(), s.out_width()};
  }
  /// A convolution of each channel with a filter of its own, 3x3, padding 1.
  [[nodiscard]] image depthwise(image const& x, std::int64_t stride, activation then) {
    ttune::ops::window2d_shape const s{1, x.channels, x.height, x.width, 3, stride, 1};
    auto const name = next_name("depthwise");
    auto const filters = weights(name + ".weight", {x.channels, 3, 3}, scale(2, 9));
    auto const y = net_.add(ttune::ops::depthwise_conv2d_bias(s, then), x.value, filters, bias_of(name, x.channels));
    return {y, x.channels, s.out_height(), s.out_width()};
  }
  /// A transposed convolution of 4x4, stride 2, padding 1: doubles height and width. It has Winograd's computes, too.
  [[nodiscard]] image doubled(image const& x, std::int64_t filters, activation then, double gain = 2) {
    auto const name = next_name("doubled");
    auto const taps = x.channels * 4;  // a pixel of the result sees four of the sixteen
    auto const kernels = weights(name + ".weight", {x.channels, filters, 4, 4}, scale(gain, taps));
    auto const y = net_.add(
        ttune::ops::conv_transpose2d_bias_alternatives({1, x.channels, x.height, x.width, filters, 4, 2, 1}, then),
        x.value, kernels, bias_of(name, filters));
    return {y, filters, 2 * x.height, 2 * x.width};
  }
  [[nodiscard]] image max_pool(image const& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    ttune::ops::window2d_shape const s{1, x.channels, x.height, x.width, kernel, stride, padding};
    return {net_.add(ttune::ops::max_pool2d(s), x.value), x.channels, s.out_height(), s.out_width()};
  }
  /// The activation of x + y.
  [[nodiscard]] image add(image const& x, image const& y, activation then = activation::none) {
    auto const sum = net_.add(ttune::ops::add<4>({1, x.channels, x.height, x.width}, then), x.value, y.value);
    return {sum, x.channels, x.height, x.width};
  }
  /// The channels of all images, one image behind the other.
  template <class... Images>
  [[nodiscard]] image concat(image const& first, Images const&... others) {
    constexpr std::size_t parts = 1 + sizeof...(Images);
    auto const joined = net_.add(
        ttune::ops::concat<4, parts>({1, 0, first.height, first.width}, 1, {first.channels, others.channels...}),
        first.value, others.value...);
    return {joined, (first.channels + ... + others.channels), first.height, first.width};
  }
  /// Each pixel as two rows and two columns.
  [[nodiscard]] image upsampled(image const& x) {
    auto const y = net_.add(ttune::ops::upsample_nearest({1, x.channels, x.height, x.width, 2, 2}), x.value);
    return {y, x.channels, 2 * x.height, 2 * x.width};
  }
  /// The mean of each channel, as a row.
  [[nodiscard]] matrix mean(image const& x) {
    return {net_.add(ttune::ops::global_average_pool(1, x.channels, x.height, x.width), x.value), 1, x.channels};
  }
  [[nodiscard]] matrix flattened(image const& x) {
    auto const elements = x.channels * x.height * x.width;
    return {net_.reshape(x.value, {1, elements}), 1, elements};
  }
  [[nodiscard]] image as_image(matrix const& x, std::int64_t channels, std::int64_t height, std::int64_t width) {
    return {net_.reshape(x.value, {1, channels, height, width}), channels, height, width};
  }
  /// Dense layer, bias, activation; its weights are (outputs, inputs).
  [[nodiscard]] matrix dense(matrix const& x, std::int64_t outputs, activation then = activation::none,
                             double gain = 2) {
    auto const name = next_name("dense");
    auto const weight = weights(name + ".weight", {outputs, x.columns}, scale(gain, x.columns));
    auto const y =
        net_.add(ttune::ops::dense({x.rows, x.columns, outputs, true}, then), x.value, weight, bias_of(name, outputs));
    return {y, x.rows, outputs};
  }
  void output(std::string name, image const& x) { net_.output(std::move(name), x.value); }
  void output(std::string name, matrix const& x) { net_.output(std::move(name), x.value); }

  /// The weights that the source gives.
  template <int Rank>
  [[nodiscard]] ttune::network_value<float, Rank> weights(std::string const& name, std::int64_t const (&shape)[Rank],
                                                          double deviation, double mean = 0) {
    std::int64_t elements = 1;
    for (auto const extent : shape) elements *= extent;
    return net_.weights(name, shape, take_shared<float>(source_, name, elements, deviation, mean));
  }
  [[nodiscard]] ttune::network_value<float, 1> bias_of(std::string const& layer, std::int64_t elements) {
    return weights(layer + ".bias", {elements}, 0.05);
  }
  /// The standard deviation of weights whose products of `terms` are summed.
  [[nodiscard]] static double scale(double gain, std::int64_t terms) {
    return std::sqrt(gain / static_cast<double>(terms));
  }
  /// A name for the next layer, such as "conv3".
  [[nodiscard]] std::string next_name(std::string const& kind) { return kind + std::to_string(count_++); }
  /// The network that was built so far, for operators that have no function here.
  [[nodiscard]] ttune::network& net() noexcept { return net_; }

 private:
  using conv_key = std::pair<std::array<std::int64_t, 8>, double>;
  using conv_computes = decltype(ttune::ops::conv2d_bias_alternatives(ttune::ops::conv2d_shape()));

  /// The computes of a convolution, made once for equal layers.
  [[nodiscard]] conv_computes const& computes_of(ttune::ops::conv2d_shape const& s, activation then) {
    conv_key const key{{s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding, then.what},
                       then.slope};
    auto const known = convs_.find(key);
    if (known != convs_.end()) return known->second;
    return convs_.emplace(key, ttune::ops::conv2d_bias_alternatives(s, then)).first->second;
  }

  ttune::network net_;
  weight_source source_;
  std::map<conv_key, conv_computes> convs_;
  int count_ = 0;
};

/// Ends a network for images: the mean of each channel, then a dense layer for the classes.
[[nodiscard]] inline ttune::network classified(layers& net, image const& x, std::int64_t classes) {
  net.output("logits", net.dense(net.mean(x), classes, activation::none, 1));
  return std::move(net.net());
}

}  // namespace networks
