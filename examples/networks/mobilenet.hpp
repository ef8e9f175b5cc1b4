// SPDX-License-Identifier: Apache-2.0
// MobileNet (Howard et al., "MobileNets", 2017, table 1) and MobileNetV2 (Sandler et al., "MobileNetV2: Inverted
// Residuals and Linear Bottlenecks", 2018, table 2), with batch normalisation folded into the convolutions.
#pragma once

#include "layers.hpp"

namespace networks {

/// The sizes of a MobileNet; the defaults are those of the papers. Widths are multiples of 8.
struct mobilenet_size {
  std::int64_t pixels = 224;  ///< height and width of the image
  std::int64_t width = 32;    ///< filters of the first convolution; those of other layers are in proportion
  std::int64_t classes = 1000;
};

/// Input: image (1, 3, 224, 224). Output: logits (1, 1000).
[[nodiscard]] inline ttune::network mobilenet_v1(weight_source source, mobilenet_size const& size = {}) {
  struct row {
    std::int64_t widths;  ///< filters, in units of the width
    std::int64_t stride;
  };
  layers net("mobilenet_v1", std::move(source));
  auto x = net.conv(net.input("image", 3, size.pixels, size.pixels), {size.width, 3, 2, 1}, activation::relu);
  constexpr row rows[] = {{2, 1},  {4, 2},  {4, 1},  {8, 2},  {8, 1},  {16, 2}, {16, 1},
                          {16, 1}, {16, 1}, {16, 1}, {16, 1}, {32, 2}, {32, 1}};
  for (auto const& [widths, stride] : rows) {
    x = net.depthwise(x, stride, activation::relu);
    x = net.conv(x, {widths * size.width, 1}, activation::relu);
  }
  return classified(net, x, size.classes);
}

/// A 1x1 convolution that widens, a depthwise one, and a linear 1x1 convolution that narrows; added to the input of the
/// block if the shapes are equal.
[[nodiscard]] inline image inverted_residual(layers& net, image const& x, std::int64_t expansion, std::int64_t filters,
                                             std::int64_t stride) {
  auto y = expansion == 1 ? x : net.conv(x, {x.channels * expansion, 1}, activation::relu6);
  y = net.depthwise(y, stride, activation::relu6);
  y = net.conv(y, {.filters = filters, .gain = 1});
  return stride == 1 && x.channels == filters ? net.add(x, y) : y;
}

/// Input: image (1, 3, 224, 224). Output: logits (1, 1000).
[[nodiscard]] inline ttune::network mobilenet_v2(weight_source source, mobilenet_size const& size = {}) {
  struct row {
    std::int64_t expansion;
    std::int64_t filters;  ///< at a width of 32
    int blocks;
    std::int64_t stride;  ///< of the first block
  };
  layers net("mobilenet_v2", std::move(source));
  auto const scaled = [&](std::int64_t filters) { return filters * size.width / 32; };
  auto x = net.conv(net.input("image", 3, size.pixels, size.pixels), {size.width, 3, 2, 1}, activation::relu6);
  constexpr row rows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                          {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  for (auto const& [expansion, filters, blocks, stride] : rows)
    for (int i = 0; i < blocks; ++i) x = inverted_residual(net, x, expansion, scaled(filters), i == 0 ? stride : 1);
  return classified(net, net.conv(x, {scaled(1280), 1}, activation::relu6), size.classes);
}

}  // namespace networks
