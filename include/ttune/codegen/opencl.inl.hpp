// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/codegen/c_family/opencl_dialect.hpp"
#include "ttune/codegen/opencl.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

[[nodiscard]] inline sub_groups sub_groups_of(target const& machine) {
  auto const has = [&](char const* feature) { return machine.features.find(feature) != std::string::npos; };
  if (!has(sub_groups_feature)) return sub_groups::none;
  return has(sub_group_size_feature) ? sub_groups::of_chosen_size : sub_groups::of_the_drivers_choice;
}

}  // namespace detail

device_program opencl(ir::lowered const& program, target const& machine) {
  opencl_dialect const dialect(detail::sub_groups_of(machine));
  return c_emitter(program, machine, dialect).run();
}

}}}  // namespace ttune::v0::codegen
