// SPDX-License-Identifier: Apache-2.0
// Suite gpu-conv: the convolutions of ResNet-18 on the first NVIDIA GPU, f32, compared with the best of cuDNN's
// algorithms, Winograd included; with --numerics 2.5 ttune may use it, too. In mode tf32 the peers may use TF32.
#include <ttune/ops/winograd.hpp>

#include "gpu_cudnn.hpp"

namespace {

using namespace ttune_bench;

int run(options const& given) {
  auto chosen = given;
  chosen.mode = mode_of(given, "gpu-conv", {"f32", "tf32"});
  if (!gpu::has_device("gpu-conv")) return skipped;
  gpu::device const on;
  reporter report("gpu-conv", ", " + chosen.mode, {"ttune", "cudnn"}, chosen);
  for (auto const& s : conv_cases()) {
    if (!chosen.wants_case(s.name)) continue;
    conv_problem const problem(s);
    buffer const result(problem.outputs());
    gpu::memory const in(problem.in), weights(problem.weights), out(result);
    ttune::ops::conv2d_shape const shape{s.batch,   s.channels, s.height, s.width,
                                         s.filters, s.kernel,   s.stride, s.padding};
    std::vector<gpu::contender> all;
    all.push_back(gpu::tuned(ttune::ops::conv2d_alternatives(shape), {in.at(), weights.at(), out.at()}, on, chosen));
    all.push_back(gpu::contender_of("cudnn", [&](gpu::contender& made) {
      made.enqueue = gpu::fastest_convolution(
          s, chosen.mode, on, [&](auto const& by, auto const& how) { return by.enqueue(how, in, weights, out); });
    }));
    std::erase_if(all, [&](auto const& c) { return !chosen.wants_system(c.system); });
    gpu::run_case("gpu-conv", problem, out, result, std::move(all), on, chosen, report);
  }
  return report.finish();
}

add_suite const suite{{"gpu-conv", "convolutions of ResNet-18 on the first NVIDIA GPU, against cuDNN", run}};

}  // namespace
