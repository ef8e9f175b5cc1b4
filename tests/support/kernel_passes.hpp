// SPDX-License-Identifier: Apache-2.0
// Programs whose kernels have been through the passes over kernels.
#pragma once

#include "ttune/arith/interval.hpp"
#include "ttune/codegen/c_family/cuda_dialect.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/kernel_passes.hpp"

namespace ttune_test {

/// Runs the passes over all kernels of a statement: outermost loops over blocks, threads or virtual threads. `known`:
/// ranges of the variables around it.
[[nodiscard]] inline ttune::ir::stmt after_kernel_passes(ttune::ir::stmt const& s, ttune::arith::ranges known,
                                                         ttune::lowering::device_features const& features) {
  using namespace ttune;
  if (!s) return s;
  auto const* l = ir::as<ir::loop>(s);
  if (l && l->kind >= ir::loop_kind::block_x) return lowering::run_kernel_passes(s, known, features);
  if (l) known[l->variable] = {arith::bounds(l->begin, known).low, arith::bounds(l->end, known).high - 1};
  if (auto const* n = ir::as<ir::let>(s)) known[n->variable] = {n->low, n->high - 1};
  return ir::map_parts(
      s, [&](ir::stmt const& part) { return after_kernel_passes(part, known, features); },
      [](ir::expr const& e) { return e; });
}

/// Returns the program with its kernels as CUDA prints them for this machine, verified. The interpreter can run it.
[[nodiscard]] inline ttune::ir::lowered after_kernel_passes(ttune::ir::lowered program, ttune::target const& machine) {
  auto const features = ttune::codegen::c_family::cuda_dialect{}.features(machine);
  for (auto* part : {&program.prepare, &program.body}) *part = after_kernel_passes(*part, {}, features);
  ttune::ir::verify(program);
  return program;
}

}  // namespace ttune_test
