// SPDX-License-Identifier: Apache-2.0
// `ttune run`: tunes the network of an ONNX model, and shows the time of each step.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "tool.hpp"
#if TTUNE_WITH_ORC && TTUNE_WITH_ONNX
#include "ttune/backends/orc.hpp"
#include "ttune/network/tune_network.hpp"
#include "ttune/onnx.hpp"
#include "ttune/records/sqlite.hpp"
#endif

namespace ttune_tool {

#if TTUNE_WITH_ORC && TTUNE_WITH_ONNX

namespace {

/// Returns the name and the text behind "=". Throws `failure` if there are not both.
std::pair<std::string, std::string> divided(std::string const& text) {
  auto const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) throw failure(text + ": NAME=VALUE is wanted");
  return {text.substr(0, at), text.substr(at + 1)};
}

std::int64_t positive(std::string const& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos || text == "0")
    throw failure(text + " is not a positive number");
  return std::stoll(text);
}

/// Returns the extents of a text such as "1x3x224x224".
std::vector<std::int64_t> extents_of(std::string const& text) {
  std::vector<std::int64_t> made;
  for (std::size_t first = 0; first <= text.size();) {
    auto const last = std::min(text.find('x', first), text.size());
    made.push_back(positive(text.substr(first, last - first)));
    first = last + 1;
  }
  return made;
}

ttune::onnx_options options_of(model_request const& request) {
  ttune::onnx_options made;
  for (auto const& one : request.dimensions) {
    auto const [name, value] = divided(one);
    made.dimensions[name] = positive(value);
  }
  for (auto const& one : request.shapes) {
    auto const [name, value] = divided(one);
    made.shapes[name] = extents_of(value);
  }
  return made;
}

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

int run_model(model_request const& request) {
  auto const net = ttune::read_onnx(request.path, options_of(request));
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

int run_model(model_request const&) {
  throw failure("this program was built without LLVM (llvm-19-dev) or ONNX (libonnx-dev, libprotobuf-dev)");
}

#endif

}  // namespace ttune_tool
