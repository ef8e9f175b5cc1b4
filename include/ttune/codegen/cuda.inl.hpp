// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/c_family/cuda_dialect.hpp"
#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/codegen/cuda.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

device_program cuda(ir::lowered const& program, target const& machine) {
  cuda_dialect const dialect;
  return c_emitter(program, machine, dialect).run();
}

}}}  // namespace ttune::v0::codegen
