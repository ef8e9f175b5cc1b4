// SPDX-License-Identifier: Apache-2.0
// ResNet-18 with activations u8 and weights i8, quantised as ONNX' QuantizeLinear and DequantizeLinear around each
// operator say: a scale for each output channel of the weights, and a scale with a zero for each tensor of activations.
#pragma once

#include <ttune/network/network.hpp>
#include <ttune/ops/pool2d.hpp>
#include <ttune/ops/quantized.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "layers.hpp"
#include "resnet.hpp"

namespace networks {

using ttune::ops::byte_scale;

/// An image of bytes in a network, (1, channels, height, width), and what the bytes stand for.
struct byte_image {
  ttune::network_value<std::uint8_t, 4> value;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  byte_scale means = {};
};

/// Layers of quantised networks. Layers are numbered as ONNX' nodes of the network without quantisation, a rectifier
/// and an addition being nodes of their own; a layer asks for "conv3.weight_quantized", "conv3.weight_scale",
/// "conv3.bias_quantized", and for the meaning of its result for "relu4_scale", "relu4_zero_point".
class byte_layers {
 public:
  byte_layers(std::string name, weight_source source) : net_(std::move(name)), source_(std::move(source)) {}

  /// An input of floats, as bytes.
  [[nodiscard]] byte_image input(std::string const& name, std::int64_t channels, std::int64_t height,
                                 std::int64_t width) {
    auto const means = meaning_of(name);
    auto const floats = net_.input<float>(name, {1, channels, height, width});
    auto const bytes = net_.add(ttune::ops::quantize<4>({1, channels, height, width}, means), floats);
    return {bytes, channels, height, width, means};
  }
  [[nodiscard]] byte_image conv(byte_image const& x, conv_layer const& l, activation then = activation::none) {
    ttune::ops::conv2d_shape const s{1, x.channels, x.height, x.width, l.filters, l.kernel, l.stride, l.padding};
    auto const name = "conv" + next_number();
    auto const means = meaning_of(then.what == activation::none ? name : "relu" + next_number());
    auto const taps = x.channels * l.kernel * l.kernel;
    auto const of = take_layer(name, l.filters, taps, l.gain, x.means, means);
    auto const y = net_.add(ttune::ops::quantized_conv2d(s, x.means.zero), x.value,
                            net_.weights(name + ".weight", {l.filters, x.channels, l.kernel, l.kernel}, of.weights),
                            net_.weights(name + ".bias", {l.filters}, of.bias),
                            net_.weights(name + ".factor", {l.filters}, of.factor),
                            net_.weights(name + ".zero", {l.filters}, of.zero));
    return {y, l.filters, s.out_height(), s.out_width(), means};
  }
  [[nodiscard]] byte_image max_pool(byte_image const& x, std::int64_t kernel, std::int64_t stride,
                                    std::int64_t padding) {
    ttune::ops::window2d_shape const s{1, x.channels, x.height, x.width, kernel, stride, padding};
    (void)next_number();
    auto const y = net_.add(ttune::ops::max_pool2d<std::uint8_t>(s), x.value);
    return {y, x.channels, s.out_height(), s.out_width(), x.means};
  }
  /// The rectified sum of x and y.
  [[nodiscard]] byte_image add_relu(byte_image const& x, byte_image const& y) {
    (void)next_number();
    auto const name = "relu" + next_number();
    auto const means = meaning_of(name);
    auto const of_x = x.means.scale / means.scale;
    auto const of_y = y.means.scale / means.scale;
    auto const shift = means.zero - x.means.zero * of_x - y.means.zero * of_y;
    std::vector<float> const numbers{static_cast<float>(of_x), static_cast<float>(of_y), static_cast<float>(shift)};
    auto const sum = net_.add(ttune::ops::quantized_add<4>({1, x.channels, x.height, x.width}), x.value, y.value,
                              net_.weights(name + ".numbers", {3}, numbers));
    return {sum, x.channels, x.height, x.width, means};
  }
  /// The mean of each channel, a dense layer, and its results as floats.
  [[nodiscard]] ttune::network classified(byte_image const& x, std::int64_t classes) {
    auto const pooled = meaning_of("globalaveragepool" + next_number());
    (void)next_number();  // of ONNX' Flatten
    auto const factor = x.means.scale / pooled.scale / static_cast<double>(x.height * x.width);
    auto const means =
        net_.add(ttune::ops::quantized_average_pool(1, x.channels, x.height, x.width, factor, pooled.zero), x.value);
    auto const name = "gemm" + next_number();
    auto const logits = meaning_of("logits");
    auto const of = take_layer(name, classes, x.channels, 1, pooled, logits);
    auto const y =
        net_.add(ttune::ops::quantized_dense({1, x.channels, classes, true}), means,
                 net_.weights(name + ".weight", {classes, x.channels}, of.weights),
                 net_.weights(name + ".bias", {classes}, of.bias), net_.weights(name + ".factor", {classes}, of.factor),
                 net_.weights(name + ".zero", {classes}, of.zero));
    net_.output("logits", net_.add(ttune::ops::dequantize<2>({1, classes}, logits), y));
    return std::move(net_);
  }

 private:
  /// The operands of a layer of sums.
  struct layer_weights {
    std::vector<std::int8_t> weights;
    std::vector<std::int32_t> bias;
    std::vector<float> factor;
    std::vector<float> zero;
  };

  [[nodiscard]] std::string next_number() { return std::to_string(count_++); }

  /// Random scales are near 0.03, random zeros near 128; those of rectifiers are 0.
  [[nodiscard]] byte_scale meaning_of(std::string const& tensor) {
    bool const rectified = tensor.starts_with("relu");
    auto const scale = take<float>(source_, tensor + "_scale", 1, 0.001, 0.03).front();
    auto const zero =
        take<std::uint8_t>(source_, tensor + "_zero_point", 1, rectified ? 0 : 4, rectified ? 0 : 128).front();
    return {static_cast<double>(scale), zero};
  }
  /// Folds the meanings of operands and result into bias and factors.
  [[nodiscard]] layer_weights take_layer(std::string const& name, std::int64_t filters, std::int64_t taps, double gain,
                                         byte_scale const& from, byte_scale const& to) {
    layer_weights made;
    made.weights = take<std::int8_t>(source_, name + ".weight_quantized", filters * taps, 60);
    auto const scales = take<float>(source_, name + ".weight_scale", filters, 0, layers::scale(gain, taps) / 60);
    made.bias = take<std::int32_t>(source_, name + ".bias_quantized", filters, 500);
    made.zero.assign(static_cast<std::size_t>(filters), to.zero);
    auto const* weight = made.weights.data();
    for (std::size_t f = 0; f < made.bias.size(); ++f) {
      std::int32_t sum = 0;
      for (std::int64_t i = 0; i < taps; ++i) sum += *weight++;
      made.bias[f] -= from.zero * sum;
      made.factor.push_back(static_cast<float>(from.scale * static_cast<double>(scales[f]) / to.scale));
    }
    return made;
  }

  ttune::network net_;
  weight_source source_;
  int count_ = 0;
};

/// Two convolutions of 3x3, added to the input of the block.
[[nodiscard]] inline byte_image basic_byte_block(byte_layers& net, byte_image const& x, std::int64_t filters,
                                                 std::int64_t stride) {
  auto y = net.conv(x, {filters, 3, stride, 1}, activation::relu);
  y = net.conv(y, {filters, 3, 1, 1, 0.5});
  if (stride == 1 && x.channels == filters) return net.add_relu(y, x);
  return net.add_relu(y, net.conv(x, {.filters = filters, .stride = stride, .gain = 1}));
}

/// Input: image (1, 3, 224, 224) of floats. Output: logits (1, 1000), floats.
[[nodiscard]] inline ttune::network resnet18_i8(weight_source source, resnet_size const& size = {}) {
  byte_layers net("resnet18_i8", std::move(source));
  auto x = net.conv(net.input("image", 3, size.pixels, size.pixels), {size.width, 7, 2, 3}, activation::relu);
  x = net.max_pool(x, 3, 2, 1);
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < 2; ++block)
      x = basic_byte_block(net, x, size.width << stage, stage > 0 && block == 0 ? 2 : 1);
  return net.classified(x, size.classes);
}

}  // namespace networks
