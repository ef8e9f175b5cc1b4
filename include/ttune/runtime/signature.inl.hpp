// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/ir/make.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune::inline v0 {

TTUNE_INLINE kernel_signature signature_of(handle<ir::program> const& program) {
  kernel_signature made;
  made.name = program->name;
  for (auto const& st : program->stages) {
    double terms = 1;
    for (auto const& a : st->reduction.axes) terms *= static_cast<double>(a.size());
    made.terms = std::max(made.terms, terms);
  }
  auto const shape = [](ir::source const& s) { return ir::shape_of(s); };
  for (auto const& t : program->inputs) {
    if (t->role == ir::tensor_role::table) continue;
    operand_info info;
    info.name = t->name;
    info.type = t->type;
    info.shape = shape(t);
    if (t->role == ir::tensor_role::constant) info.way = operand_info::direction::constant;
    if (t->role == ir::tensor_role::inout) info.way = operand_info::direction::inout;
    info.has_range = t->has_range;
    info.low = t->low;
    info.high = t->high;
    made.operands.push_back(std::move(info));
  }
  for (auto const& out : program->outputs) {
    if (out->updates) continue;
    for (auto const& c : out->components) {
      operand_info info;
      info.name = out->components.size() == 1 ? out->name : out->name + "." + c.name;
      info.type = c.type;
      info.shape = shape(out);
      info.way = operand_info::direction::out;
      made.operands.push_back(std::move(info));
    }
  }
  return made;
}

}  // namespace ttune::inline v0
