// SPDX-License-Identifier: Apache-2.0
// ResNet-18 and ResNet-50 (He et al., "Deep Residual Learning for Image Recognition", 2015, table 1), with batch
// normalisation folded into the convolutions. ResNet-50 is v1.5: the stride is that of the 3x3 convolution.
#pragma once

#include "layers.hpp"

namespace networks {

/// The sizes of a residual network; the defaults are those of the paper.
struct resnet_size {
  std::int64_t pixels = 224;  ///< height and width of the image
  std::int64_t width = 64;    ///< filters of the first convolution and of the first stage
  std::int64_t classes = 1000;
};

/// Brings the input of a block to the shape of its result, by a 1x1 convolution where they differ.
[[nodiscard]] inline image shortcut(layers& net, image const& x, std::int64_t filters, std::int64_t stride) {
  if (stride == 1 && x.channels == filters) return x;
  return net.conv(x, {.filters = filters, .stride = stride, .gain = 1});
}

/// Two convolutions of 3x3, added to the input of the block.
[[nodiscard]] inline image basic_block(layers& net, image const& x, std::int64_t filters, std::int64_t stride) {
  auto y = net.conv(x, {filters, 3, stride, 1}, activation::relu);
  y = net.conv(y, {filters, 3, 1, 1, 0.5});
  return net.add(y, shortcut(net, x, filters, stride), activation::relu);
}

/// Convolutions of 1x1, 3x3 and 1x1, the first two with a quarter of the filters, added to the input of the block.
[[nodiscard]] inline image bottleneck_block(layers& net, image const& x, std::int64_t filters, std::int64_t stride) {
  auto y = net.conv(x, {filters / 4, 1}, activation::relu);
  y = net.conv(y, {filters / 4, 3, stride, 1}, activation::relu);
  y = net.conv(y, {filters, 1, 1, 0, 0.5});
  return net.add(y, shortcut(net, x, filters, stride), activation::relu);
}

/// Some equal blocks; the first of them has the stride.
struct resnet_stage {
  std::int64_t filters;
  int blocks;
  std::int64_t stride;
};

template <class Block, std::size_t Stages>
[[nodiscard]] ttune::network resnet(std::string name, weight_source source, resnet_size const& size, Block const& block,
                                    resnet_stage const (&stages)[Stages]) {
  layers net(std::move(name), std::move(source));
  auto x = net.conv(net.input("image", 3, size.pixels, size.pixels), {size.width, 7, 2, 3}, activation::relu);
  x = net.max_pool(x, 3, 2, 1);
  for (auto const& stage : stages)
    for (int i = 0; i < stage.blocks; ++i) x = block(net, x, stage.filters, i == 0 ? stage.stride : 1);
  return classified(net, x, size.classes);
}

/// Input: image (1, 3, 224, 224). Output: logits (1, 1000).
[[nodiscard]] inline ttune::network resnet18(weight_source source, resnet_size const& size = {}) {
  auto const w = size.width;
  return resnet("resnet18", std::move(source), size, basic_block,
                {{w, 2, 1}, {2 * w, 2, 2}, {4 * w, 2, 2}, {8 * w, 2, 2}});
}

/// Input: image (1, 3, 224, 224). Output: logits (1, 1000).
[[nodiscard]] inline ttune::network resnet50(weight_source source, resnet_size const& size = {}) {
  auto const w = size.width;
  return resnet("resnet50", std::move(source), size, bottleneck_block,
                {{4 * w, 3, 1}, {8 * w, 4, 2}, {16 * w, 6, 2}, {32 * w, 3, 2}});
}

}  // namespace networks
