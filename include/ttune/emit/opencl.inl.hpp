// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/emit/c_family/emitter.hpp"
#include "ttune/emit/c_family/opencl_dialect.hpp"
#include "ttune/emit/opencl.hpp"

namespace ttune::inline v0::emit {

TTUNE_INLINE device_program opencl(ir::lowered const& program, target const& machine) {
  opencl_dialect const dialect;
  return c_emitter(program, machine, dialect).run();
}

}  // namespace ttune::inline v0::emit
