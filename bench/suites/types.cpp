// SPDX-License-Identifier: Apache-2.0
// Suite types: narrow elements, wider sums.
#include "../suite.hpp"
#include "../types_problem.hpp"
#include "run_cases.hpp"

namespace {

ttune_bench::add_suite const types{{"types", "matrix products of bytes and of 16-bit floats, B laid out ahead",
                                    [](ttune_bench::options const& chosen) {
                                      return ttune_bench::run_cases<ttune_bench::types_problem>(
                                          "types", ttune_bench::types_cases(), chosen);
                                    }}};

}  // namespace
