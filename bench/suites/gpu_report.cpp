// SPDX-License-Identifier: Apache-2.0
// Suite gpu-report: the convolutions C7 and C12 in the space of AutoTVM's report (Zheng, "Replication of AutoTVM";
// ops/cuda_conv2d_template.hpp), on the first NVIDIA GPU. It counts for several seeds the trials until the best kernel
// is faster than cuDNN's best algorithm.
#include <ttune/ops/cuda_conv2d_template.hpp>
#include <ttune/runtime/measure/sample_statistics.hpp>

#include <cstdio>
#include <optional>

#include "gpu_cudnn.hpp"

namespace {

using namespace ttune_bench;

struct outcome {
  std::optional<std::int64_t> passed;  ///< number of trials
  std::int64_t trials = 0;
  double seconds = 0;  ///< time of the best kernel
};

outcome search(ttune::space const& in, double to_beat, std::uint64_t seed, options const& chosen) {
  outcome made;
  ttune::tuner_options how{.model = ttune::xgboost{}};
  how.seed = seed;
  how.on_progress = [&](ttune::progress const& p) {
    made.trials = p.trials_done;
    made.seconds = p.best_seconds;
    if (!made.passed && p.best_seconds < to_beat) made.passed = p.trials_done;
  };
  ttune::tuner tuner{std::make_shared<ttune::cuda_backend>(), how};
  ttune::tuning_budget budget;
  budget.trials = chosen.trials > 0 ? chosen.trials : 2000;
  budget.time = std::chrono::duration<double>(chosen.budget_seconds);
  (void)tuner.tune(in, budget);
  return made;
}

int run(options const& chosen) {
  constexpr std::uint64_t seeds = 5;
  if (!gpu::has_device("gpu-report")) return skipped;
  gpu::device const on;
  std::printf("%-5s %4s %12s %12s %8s %8s\n", "case", "seed", "cuDNN us", "ttune us", "trials", "passed");
  for (auto const& s : conv_cases()) {
    if ((s.name != "C7" && s.name != "C12") || !chosen.wants_case(s.name)) continue;
    conv_problem const problem(s);
    buffer const result(problem.outputs());
    gpu::memory const in(problem.in), weights(problem.weights), out(result);
    auto const peer = gpu::fastest_convolution(
        s, "f32", on, [&](auto const& by, auto const& how) { return by.enqueue(how, in, weights, out); });
    std::vector<double> samples;
    auto const calls = gpu::calls_for(on, peer, 0.01);
    for (int i = 0; i < 21; ++i) samples.push_back(on.seconds(peer, calls) / static_cast<double>(calls));
    auto const to_beat = ttune::median_of(samples);
    ttune::ops::conv2d_shape const shape{s.batch,   s.channels, s.height, s.width,
                                         s.filters, s.kernel,   s.stride, s.padding};
    auto const space = ttune::ops::within_limits(ttune::ops::cuda_conv2d_template(shape), shape);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      auto const found = search(space, to_beat, seed, chosen);
      auto const passed = found.passed ? std::to_string(*found.passed) : std::string("never");
      std::printf("%-5s %4d %12.2f %12.2f %8lld %8s\n", s.name.c_str(), static_cast<int>(seed), 1e6 * to_beat,
                  1e6 * found.seconds, static_cast<long long>(found.trials), passed.c_str());
      std::fflush(stdout);
    }
  }
  return 0;
}

add_suite const suite{{"gpu-report", "C7 and C12 in AutoTVM's own space: trials until cuDNN is passed", run}};

}  // namespace
