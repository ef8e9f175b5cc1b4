// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/c_family/device_program_builder.hpp"
#include "ttune/codegen/c_family/opencl_dialect.hpp"
#include "ttune/codegen/opencl.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

[[nodiscard]] inline c_family::sub_groups sub_groups_of(target const& machine) {
  auto const has = [&](char const* feature) { return machine.features.find(feature) != std::string::npos; };
  if (!has(sub_groups_feature)) return c_family::sub_groups::none;
  return has(sub_group_size_feature) ? c_family::sub_groups::of_chosen_size
                                     : c_family::sub_groups::of_the_drivers_choice;
}

}  // namespace detail

device_program opencl(ir::lowered const& program, target const& machine) {
  c_family::opencl_dialect const dialect(detail::sub_groups_of(machine));
  return c_family::device_program_builder(program, machine, dialect).build();
}

}}}  // namespace ttune::v0::codegen
