// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/c_family/cuda_dialect.hpp"
#include "ttune/codegen/c_family/device_program_builder.hpp"
#include "ttune/codegen/cuda.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

device_program cuda(ir::lowered const& program, target const& machine) {
  c_family::cuda_dialect const dialect;
  return c_family::device_program_builder(program, machine, dialect).build();
}

}}}  // namespace ttune::v0::codegen
