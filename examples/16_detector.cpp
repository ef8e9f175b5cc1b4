// SPDX-License-Identifier: Apache-2.0
// A network with branches, as object detectors have them: features of two resolutions, of which the coarse ones are
// enlarged and joined with the fine ones; then heads for boxes and for scores at each resolution. A tiny version is
// compared with the interpreter. 16_detector [SECONDS of tuning, 3]
#include <ttune/backends/orc.hpp>
#include <ttune/network.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "networks/compare.hpp"
#include "networks/layers.hpp"

namespace {

using networks::activation;
using networks::image;
using networks::layers;

constexpr std::int64_t anchors = 3;  ///< boxes of each pixel

/// Adds a head: four coordinates and the scores of all classes for each anchor.
void add_head(layers& net, std::string const& name, image const& features, std::int64_t classes) {
  auto const hidden = net.conv(features, {features.channels, 3, 1, 1}, activation::silu);
  net.output("boxes_" + name, net.conv(hidden, {.filters = 4 * anchors, .gain = 1}));
  net.output("scores_" + name, net.conv(hidden, {.filters = classes * anchors, .gain = 1}, activation::sigmoid));
}

// [network]
/// Input: image (1, 3, pixels, pixels). Outputs: boxes and scores at 1/8 and at 1/16 of the resolution.
ttune::network detector(std::int64_t pixels, std::int64_t width, std::int64_t classes) {
  layers net("detector", networks::random_weights());
  auto const silu = activation::silu;
  auto x = net.conv(net.input("image", 3, pixels, pixels), {width, 3, 2, 1}, silu);
  x = net.conv(x, {2 * width, 3, 2, 1}, silu);
  auto const fine = net.conv(x, {4 * width, 3, 2, 1}, silu);
  auto const coarse = net.conv(fine, {8 * width, 3, 2, 1}, silu);
  // three windows of the coarse features, one behind the other, side by side
  auto const narrow = net.conv(coarse, {2 * width, 1}, silu);
  auto const wider = net.max_pool(narrow, 5, 1, 2);
  auto const pyramid = net.conv(net.concat(narrow, wider, net.max_pool(wider, 5, 1, 2)), {4 * width, 1}, silu);
  auto const joined = net.concat(net.upsampled(pyramid), fine);
  add_head(net, "fine", net.conv(joined, {4 * width, 1}, silu), classes);
  add_head(net, "coarse", pyramid, classes);
  return std::move(net.net());
}
// [/network]

void detect(ttune::tuned_network const& run, networks::tensors const& in, networks::tensors& out) {
  run(in[0], out[0], out[1], out[2], out[3]);
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  std::chrono::duration<double> const budget(argc > 1 ? std::atof(argv[1]) : 3);
  ttune::tuner tuner{ttune::orc_backend{}, {.worker = ttune::worker::self{}}};

  auto const tiny = detector(32, 4, 5);
  auto const inputs = networks::random_inputs(tiny.graph());
  auto found = networks::memory_of_outputs(tiny.graph());
  detect(ttune::tune_network(tiny, tuner, {.trials = 0}), inputs, found);
  auto const difference = networks::difference_from_interpreter(tiny.graph(), inputs, found);
  std::cout << "a tiny detector differs from the interpreter by " << difference << "\n";
  if (!(difference < 2e-5)) return EXIT_FAILURE;

  auto const net = detector(256, 16, 80);
  auto const run = ttune::tune_network(net, tuner, {.time = budget});
  auto boxes = networks::memory_of_outputs(net.graph());
  detect(run, networks::random_inputs(net.graph()), boxes);
  double seconds = 0;
  for (auto const each : run.step_seconds(5)) seconds += each;
  std::cout << net.graph().operators().size() << " operators became " << run.steps() << " steps of " << 1e3 * seconds
            << " ms; activations " << run.arena_bytes() / 1024 << " KiB\n";
  for (auto const score : boxes[1])
    if (!(score >= 0 && score <= 1)) return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
