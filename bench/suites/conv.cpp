// SPDX-License-Identifier: Apache-2.0
// Suite conv: the convolutions of ResNet-18.
#include "../suite.hpp"
#include "run_cases.hpp"

namespace {

ttune_bench::add_suite const conv{
    {"conv", "convolutions of ResNet-18, batch 1, f32, weights packed ahead; --mode nchw|nhwc|free",
     [](ttune_bench::options const& chosen) {
       auto const mode = ttune_bench::mode_of(chosen, "conv", {"nchw", "nhwc", "free"});
       auto const cases =
           chosen.shapes.empty() ? ttune_bench::conv_cases(mode) : ttune_bench::conv_shapes(chosen.shapes, mode);
       return ttune_bench::run_cases<ttune_bench::conv_problem>("conv", cases, chosen);
     }}};

}  // namespace
