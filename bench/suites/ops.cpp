// SPDX-License-Identifier: Apache-2.0
// Suite ops: further operators, compared with the limits of memory or arithmetic.
#include "../ops_problem.hpp"
#include "../suite.hpp"
#include "run_cases.hpp"

namespace {

ttune_bench::add_suite const ops{
    {"ops", "depthwise, pooling, softmax, norm, gelu, transpose, stencil, batched and f64 products, sums",
     [](ttune_bench::options const& chosen) {
       return ttune_bench::run_cases<ttune_bench::ops_problem>("ops", ttune_bench::ops_cases(), chosen);
     }}};

}  // namespace
