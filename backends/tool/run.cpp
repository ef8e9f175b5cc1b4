// SPDX-License-Identifier: Apache-2.0
// `ttune run`: tunes the network of an ONNX model, and shows the time of each step.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "tool.hpp"
#if TTUNE_WITH_ORC && TTUNE_WITH_ONNX
#include "model_options.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network/tune_network.hpp"
#include "ttune/onnx.hpp"
#include "ttune/records/sqlite.hpp"
#endif

namespace ttune_tool {

#if TTUNE_WITH_ORC && TTUNE_WITH_ONNX

namespace {

void print_steps(ttune::network_graph const& net, ttune::tuned_network const& run) {
  auto const seconds = run.step_seconds();
  double all = 0;
  for (auto const one : seconds) all += one;
  std::size_t width = 4;
  for (std::size_t i = 0; i < run.steps(); ++i) width = std::max(width, run.step_name(i).size());
  std::printf("%-*s  %12s  %8s\n", static_cast<int>(width), "step", "time", "share");
  for (std::size_t i = 0; i < run.steps(); ++i)
    std::printf("%-*s  %12s  %8s\n", static_cast<int>(width), run.step_name(i).c_str(), in_units(seconds[i]).c_str(),
                percent(all > 0 ? seconds[i] / all : 0).c_str());
  std::printf("%s: %zu steps, %s; weights %.1f MiB, activations %.1f MiB\n", net.name().c_str(), run.steps(),
              in_units(all).c_str(), static_cast<double>(run.weights_bytes()) / 0x1p20,
              static_cast<double>(run.arena_bytes()) / 0x1p20);
}

}  // namespace

int run_model(run_request const& request) {
  auto const net = ttune::read_onnx(request.model.path, options_of(request.model));
  for (auto const input : net.inputs()) std::printf("input  %s\n", net.tensors()[input].text().c_str());
  for (auto const output : net.outputs()) std::printf("output %s\n", net.tensors()[output].text().c_str());
  std::fflush(stdout);
  ttune::tuner_options options;
  if (!request.store.empty()) options.records = ttune::sqlite{request.store};
  ttune::tuner by(ttune::orc_backend{}, std::move(options));
  ttune::tuning_budget budget;
  budget.time = std::chrono::duration<double>(request.seconds);
  if (request.seconds == 0) budget.trials = 0;
  print_steps(net, ttune::tune_network(net, by, budget));
  return 0;
}

#else

int run_model(run_request const&) {
  throw failure("this program was built without LLVM (llvm-19-dev) or ONNX (libonnx-dev, libprotobuf-dev)");
}

#endif

}  // namespace ttune_tool
