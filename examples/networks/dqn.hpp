// SPDX-License-Identifier: Apache-2.0
// The deep Q network for Atari games (Mnih et al., "Human-level control through deep reinforcement learning", 2015).
#pragma once

#include "layers.hpp"

namespace networks {

/// The sizes of a deep Q network; the defaults are those of the paper.
struct dqn_size {
  std::int64_t pixels = 84;  ///< height and width of the frames
  std::int64_t width = 32;   ///< filters of the first convolution
  std::int64_t hidden = 512;
  std::int64_t actions = 18;
};

/// Input: the last four frames (1, 4, 84, 84). Output: the values of the actions (1, 18).
[[nodiscard]] inline ttune::network dqn(weight_source source, dqn_size const& size = {}) {
  layers net("dqn", std::move(source));
  auto x = net.conv(net.input("frames", 4, size.pixels, size.pixels), {size.width, 8, 4}, activation::relu);
  x = net.conv(x, {2 * size.width, 4, 2}, activation::relu);
  x = net.conv(x, {2 * size.width, 3}, activation::relu);
  auto const hidden = net.dense(net.flattened(x), size.hidden, activation::relu);
  net.output("values", net.dense(hidden, size.actions, activation::none, 1));
  return std::move(net.net());
}

}  // namespace networks
