// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/rebuild.hpp"
#include "ttune/network/settle_roles.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the program with operands that are constant where `constant` says so.
inline handle<ir::program> with_constants(handle<ir::program> const& p, std::vector<bool> const& constant) {
  ir::program_builder made(p);
  std::size_t operand = 0;
  for (auto const& t : p->inputs) {
    if (t->role == ir::tensor_role::table) continue;
    auto const role = constant[operand++] ? ir::tensor_role::constant : ir::tensor_role::input;
    if (role == t->role) continue;
    auto copy = *t;
    copy.role = role;
    made.replace(t, share(std::move(copy)));
  }
  for (auto const& s : p->stages) made.keep(s);
  return made.finish();
}

}  // namespace detail

network_graph settle_roles(network_graph const& net) {
  auto all = net.operators();
  for (auto& op : all) {
    std::vector<bool> constant;
    for (auto const tensor : op.inputs) constant.push_back(net.tensors()[tensor].origin == tensor_origin::weights);
    for (auto& compute : op.computes) compute.program = detail::with_constants(compute.program, constant);
  }
  return net.with_operators(std::move(all));
}

}}  // namespace ttune::v0
