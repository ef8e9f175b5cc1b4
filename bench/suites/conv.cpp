// SPDX-License-Identifier: Apache-2.0
// Suite conv: the convolutions of ResNet-18.
#include "../suite.hpp"
#include "run_cases.hpp"

namespace {

ttune_bench::add_suite const conv{{"conv", "convolutions of ResNet-18, batch 1, f32, NCHW, weights packed ahead",
                                   [](ttune_bench::options const& chosen) {
                                     return ttune_bench::run_cases<ttune_bench::conv_problem>(
                                         "conv", ttune_bench::conv_cases(), chosen);
                                   }}};

}  // namespace
