// SPDX-License-Identifier: Apache-2.0
// Suite fusion: operators without a single kernel in libraries, compared with sequences of calls and compiled loops.
#include "../fusion_problem.hpp"
#include "../suite.hpp"
#include "run_cases.hpp"

namespace {

ttune_bench::add_suite const fusion{
    {"fusion", "fused operators: attention, convolution with its residual, MTTKRP, stencils, chains, block matching",
     [](ttune_bench::options const& chosen) {
       return ttune_bench::run_cases<ttune_bench::fusion_problem>("fusion", ttune_bench::fusion_cases(), chosen);
     }}};

}  // namespace
