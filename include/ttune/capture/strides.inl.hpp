// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "ttune/capture/strides.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture {

void add_strides(ir::program& p) {
  std::int64_t count = 0;
  for (auto const& t : p.inputs) {
    if (t->role == ir::tensor_role::strides) return;
    if (t->strides != operand_strides::dense) count += std::ssize(t->shape);
  }
  for (auto const& s : p.outputs)
    if (!s->updates && s->strides != operand_strides::dense) count += std::ssize(s->axes) * std::ssize(s->components);
  if (count == 0) return;
  if (std::any_of(p.inputs.begin(), p.inputs.end(), [](auto const& t) { return t->name == strides_name; }))
    throw program_error(p.name + ": an operand is called strides, which strided operands need: name it apart");
  ir::tensor made;
  made.name = strides_name;
  made.type = dtype::i64;
  made.shape.emplace_back(count);
  made.role = ir::tensor_role::strides;
  p.inputs.push_back(share(std::move(made)));
}

handle<ir::program> with_strides(handle<ir::program> const& p, std::vector<std::string> const& operands) {
  auto const is_meant = [&](std::string const& name) {
    return operands.empty() || std::find(operands.begin(), operands.end(), name) != operands.end();
  };
  ir::program_builder made(p);
  for (auto const& t : p->inputs) {
    bool const is_operand = t->role != ir::tensor_role::table && t->role != ir::tensor_role::strides;
    if (!is_operand || !is_meant(t->name) || t->strides != operand_strides::dense) continue;
    auto apart = *t;
    apart.strides = strides_of_rank(operand_strides::outer, t->shape.size());
    made.replace(t, share(std::move(apart)));
  }
  for (auto const& s : p->stages) {
    bool const is_output = std::find(p->outputs.begin(), p->outputs.end(), s) != p->outputs.end();
    auto apart = *s;
    if (is_output && !s->updates && is_meant(s->name) && s->strides == operand_strides::dense)
      apart.strides = strides_of_rank(operand_strides::outer, s->axes.size());
    made.replace(s, made.add(apart));
  }
  auto all = *made.finish();
  std::erase_if(all.inputs,
                [](auto const& t) { return t->role == ir::tensor_role::strides; });  // there may be more now
  add_strides(all);
  return share(std::move(all));
}

}}}  // namespace ttune::v0::capture
