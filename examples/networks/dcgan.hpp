// SPDX-License-Identifier: Apache-2.0
// The generator of DCGAN (Radford et al., "Unsupervised Representation Learning with Deep Convolutional Generative
// Adversarial Networks", 2015, figure 1), with batch normalisation folded into the layers.
#pragma once

#include "layers.hpp"

namespace networks {

/// The sizes of a generator; the defaults are those of the paper.
struct dcgan_size {
  std::int64_t noise = 100;   ///< elements of the input
  std::int64_t width = 1024;  ///< channels of the first image, of 4x4 pixels; a multiple of 8
};

/// Input: noise (1, 100). Output: image (1, 3, 64, 64), from -1 to 1.
[[nodiscard]] inline ttune::network dcgan(weight_source source, dcgan_size const& size = {}) {
  layers net("dcgan", std::move(source));
  auto const first = net.dense(net.input("noise", 1, size.noise), size.width * 4 * 4, activation::relu);
  auto x = net.as_image(first, size.width, 4, 4);
  for (auto const filters : {size.width / 2, size.width / 4, size.width / 8})
    x = net.doubled(x, filters, activation::relu);
  net.output("image", net.doubled(x, 3, activation::tanh, 1));
  return std::move(net.net());
}

}  // namespace networks
