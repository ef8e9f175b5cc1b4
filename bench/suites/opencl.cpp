// SPDX-License-Identifier: Apache-2.0
// Suite opencl: the convolutions of ResNet-18 on the first OpenCL device, compared with machine code for this
// processor. With PoCL both use the same cores.
#include <ttune/backends/opencl.hpp>
#include <ttune/ops/conv2d.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "../peers/ttune.hpp"
#include "../suite.hpp"
#include "run_cases.hpp"

namespace {

using namespace ttune_bench;

/// A problem type of its own, so that the suite has its own systems.
struct device_conv : conv_problem {
  using conv_problem::conv_problem;
};

peer_case conv(device_conv const& problem, buffer const& out, options const& chosen,
               std::shared_ptr<ttune::backend> by) {
  auto const& s = problem.shape;
  auto const op =
      ttune::ops::conv2d({s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding});
  auto const found = with_tuner(
      chosen, true, [&](ttune::tuner& tuner, ttune::tuning_budget const& budget) { return tuner.tune(op, budget); },
      std::move(by));
  auto const kernel = found.prepare(in(problem.in), in(problem.weights), out_of(out));
  return made_by(found, true, [kernel, &problem, &out] { kernel(in(problem.in), in(problem.weights), out_of(out)); });
}

add_system<device_conv> const machine_code{
    {0, "ttune", [](device_conv const& problem, buffer const& out, options const& chosen) {
       return conv(problem, out, chosen, std::make_shared<ttune::orc_backend>());
     }}};
add_system<device_conv> const device{
    {1, "ttune-opencl", [](device_conv const& problem, buffer const& out, options const& chosen) {
       return conv(problem, out, chosen, std::make_shared<ttune::opencl_backend>());
     }}};

int run(options const& chosen) {
  // Otherwise PoCL's threads share one core while another process runs on another one. Workers inherit this setting.
  (void)::setenv("POCL_AFFINITY", "1", 0);
  ttune::opencl_backend const backend;
  if (auto const there = backend.availability(); !there) {
    std::printf("opencl: skipped: %s\n", there.reason.c_str());
    return skipped;
  }
  std::printf("%s against machine code\n", backend.name().c_str());
  if (chosen.cold) throw std::invalid_argument("suite opencl has no --cold");
  return run_cases<device_conv>("opencl", conv_cases(), chosen);
}

add_suite const opencl{{"opencl", "convolutions of ResNet-18 by the first OpenCL device, against machine code", run}};

}  // namespace
