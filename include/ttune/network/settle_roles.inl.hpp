// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>

#include "ttune/ir/rebuild.hpp"
#include "ttune/network/settle_roles.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the program with operands that are constant where `constant` says so; the same one if all are so already.
inline handle<ir::program> with_constants(handle<ir::program> const& p, std::vector<bool> const& constant) {
  ir::program_builder made(p);
  bool changes = false;
  std::size_t operand = 0;
  for (auto const& t : p->inputs) {
    if (t->role == ir::tensor_role::table) continue;
    auto const role = constant[operand++] ? ir::tensor_role::constant : ir::tensor_role::input;
    if (role == t->role) continue;
    auto copy = *t;
    copy.role = role;
    made.replace(t, share(std::move(copy)));
    changes = true;
  }
  if (!changes) return p;
  for (auto const& s : p->stages) made.keep(s);
  return made.finish();
}

}  // namespace detail

network_graph settle_roles(network_graph const& net) {
  std::map<std::pair<ir::program const*, std::vector<bool>>, handle<ir::program>> settled;
  auto all = net.operators();
  for (auto& op : all) {
    std::vector<bool> constant;
    for (auto const tensor : op.inputs) constant.push_back(net.tensors()[tensor].origin == tensor_origin::weights);
    for (auto& compute : op.computes) {
      auto const [at, is_new] = settled.try_emplace({compute.program.get(), constant});
      if (is_new) at->second = detail::with_constants(compute.program, constant);
      compute.program = at->second;
    }
  }
  return net.with_operators(std::move(all));
}

}}  // namespace ttune::v0
