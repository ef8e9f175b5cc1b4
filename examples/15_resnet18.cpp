// SPDX-License-Identifier: Apache-2.0
// A whole network: ResNet-18 in the notation (networks/resnet.hpp), tuned as a whole, called, and its slowest steps.
// A tiny version of it is compared with the interpreter first. 15_resnet18 [SECONDS of tuning, 5] [ERROR that
// Winograd's method may have, over that of direct sums; 2.5 is a good value; 0: it is not used]
#include <ttune/backends/orc.hpp>
#include <ttune/network.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <vector>

#include "networks/compare.hpp"
#include "networks/resnet.hpp"

namespace {

/// Returns whether machine code of a tiny network computes what the interpreter does.
bool is_right(ttune::tuner& tuner) {
  auto const tiny = networks::resnet18(networks::random_weights(), {.pixels = 32, .width = 8, .classes = 10});
  auto const run = ttune::tune_network(tiny, tuner, {.trials = 0});
  auto const inputs = networks::random_inputs(tiny.graph());
  auto outputs = networks::memory_of_outputs(tiny.graph());
  run(inputs[0], outputs[0]);
  auto const difference = networks::difference_from_interpreter(tiny.graph(), inputs, outputs);
  std::cout << "a tiny network differs from the interpreter by " << difference << "\n";
  return difference < 2e-5;
}

double milliseconds_of_call(ttune::tuned_network const& run, std::vector<float> const& image,
                            std::vector<float>& logits) {
  using clock = std::chrono::steady_clock;
  double least = 1e9;
  for (int call = 0; call < 10; ++call) {
    auto const start = clock::now();
    run(image, logits);
    least = std::min(least, std::chrono::duration<double>(clock::now() - start).count());
  }
  return 1e3 * least;
}

void print_slowest_steps(ttune::tuned_network const& run) {
  auto const seconds = run.step_seconds(5);
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t step) { return -seconds[step]; });
  order.resize(std::min<std::size_t>(order.size(), 5));
  for (auto const step : order)
    std::cout << "  step " << std::setw(2) << step << ": " << 1e3 * seconds[step] << " ms, " << run.step_name(step)
              << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  std::chrono::duration<double> const budget(argc > 1 ? std::atof(argv[1]) : 5);
  auto const error = argc > 2 ? std::atof(argv[2]) : 0;
  ttune::tuner tuner{ttune::orc_backend{}, {.worker = ttune::worker::self{}}};
  if (!is_right(tuner)) return EXIT_FAILURE;

  auto const allowed = error > 0 ? ttune::numerics::error_within(error) : ttune::numerics::reassociation();
  // [network]
  auto const net = networks::resnet18(networks::random_weights());
  auto const run = ttune::tune_network(net, tuner, {.time = budget}, allowed);
  auto const image = networks::random_inputs(net.graph())[0];  // (1, 3, 224, 224)
  std::vector<float> logits(1000);
  run(image, logits);
  // [/network]

  std::cout << net.graph().operators().size() << " operators became " << run.steps() << " steps, "
            << milliseconds_of_call(run, image, logits) << " ms a call; the slowest steps:\n";
  print_slowest_steps(run);
  std::cout << "activations " << run.arena_bytes() / 1024 << " KiB, weights " << run.weights_bytes() / 1024 << " KiB\n";
  bool const finite = std::ranges::all_of(logits, [](float x) { return std::isfinite(x); });
  auto const [least, most] = std::ranges::minmax(logits);
  return finite && least < most ? EXIT_SUCCESS : EXIT_FAILURE;
}
