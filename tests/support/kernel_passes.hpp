// SPDX-License-Identifier: Apache-2.0
// Programs of one kernel after the passes over kernels.
#pragma once

#include "ttune/codegen/c_family/cuda_dialect.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/lowering/kernel_passes.hpp"

namespace ttune_test {

/// Returns the program with its only kernel as CUDA prints it for this machine, verified. The interpreter can run it.
[[nodiscard]] inline ttune::ir::lowered after_kernel_passes(ttune::ir::lowered program, ttune::target const& machine) {
  auto const features = ttune::codegen::c_family::cuda_dialect{}.features(machine);
  program.body = ttune::lowering::run_kernel_passes(program.body, {}, features);
  ttune::ir::verify(program);
  return program;
}

}  // namespace ttune_test
