// SPDX-License-Identifier: Apache-2.0
// Suite gemm: matrix products, plain row-major.
#include "../suite.hpp"
#include "run_cases.hpp"

namespace {

ttune_bench::add_suite const gemm{
    {"gemm", "matrix products, M x N x K, f32, row-major; --mode plain|packed (B laid out ahead)",
     [](ttune_bench::options const& chosen) {
       auto const mode = ttune_bench::mode_of(chosen, "gemm", {"plain", "packed"});
       auto const cases =
           chosen.shapes.empty() ? ttune_bench::gemm_cases(mode) : ttune_bench::gemm_shapes(chosen.shapes, mode);
       return ttune_bench::run_cases<ttune_bench::gemm_problem>("gemm", cases, chosen);
     }}};

}  // namespace
