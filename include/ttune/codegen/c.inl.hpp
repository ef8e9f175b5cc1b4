// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/c.hpp"
#include "ttune/codegen/c_family/c_dialect.hpp"
#include "ttune/codegen/c_family/device_program_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

device_program c(ir::lowered const& program, target const& machine) {
  c_family::plain_c_dialect const dialect;
  return c_family::device_program_builder(program, machine, dialect).build();
}

}}}  // namespace ttune::v0::codegen
