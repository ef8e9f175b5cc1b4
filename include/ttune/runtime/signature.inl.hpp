// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "ttune/arith/scatter_form.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the number of terms that an element of a stage sums: those of its reduction, or of all the reductions that
/// it adds up.
inline double terms_of(ir::stage const& st) {
  double terms = 1;
  for (auto const& a : st.reduction.axes) terms *= static_cast<double>(a.size());
  if (st.reduces()) return terms;
  std::set<std::string> seen;
  double sums = 0;
  for (auto const& c : st.components)
    ir::for_each_node(c.value, [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
      if (from && (*from)->reduces() && seen.insert(ir::print(e)).second) sums += terms_of(**from);
    });
  return std::max(terms, sums);
}

/// Has trials draw the values of an operand that chooses the places of terms from those that lie inside of the axis:
/// with others, most terms would be left out, or all meet at a few places.
inline void spread(ir::expr place, std::int64_t size, kernel_signature& made) {
  std::int64_t values = 1;  // that go to one place
  while (true) {
    auto const* c = ir::as<ir::cast>(place);
    auto const* b = ir::as<ir::binary>(place);
    bool const divides = b && b->op == ir::binary_op::divide && ir::is_constant(b->right);
    if (divides) values *= std::max<std::int64_t>(1, ir::constant_integer(b->right));
    if (!c && !divides) break;
    place = ir::expr(c ? c->operand : b->left);
  }
  auto const* a = ir::as<ir::access>(place);
  auto const* from = a ? std::get_if<handle<ir::tensor>>(&a->from) : nullptr;
  if (!from || !is_integer((*from)->type) || (*from)->has_range || (*from)->role == ir::tensor_role::table) return;
  for (auto& o : made.operands)
    if (o.name == (*from)->name) o.high = std::min(size * values, arith::range_of_type(o.type).high + 1);
}

}  // namespace detail

kernel_signature signature_of(handle<ir::program> const& program) {
  kernel_signature made;
  made.name = program->name;
  for (auto const& st : program->stages) made.terms = std::max(made.terms, detail::terms_of(*st));
  auto const shape = [](ir::source const& s) { return ir::shape_of(s); };
  auto const open = ir::open_extents(*program);
  auto const places = [&](ir::source const& s) {
    auto all = ir::places_among(open, s);
    if (std::all_of(all.begin(), all.end(), [](std::int32_t place) { return place < 0; })) all.clear();
    return all;
  };
  for (auto const& t : program->inputs) {
    if (t->role == ir::tensor_role::table) continue;
    operand_info info;
    info.name = t->name;
    info.type = t->type;
    info.shape = shape(t);
    info.open = places(t);
    if (t->role == ir::tensor_role::constant) info.direction = operand_direction::constant;
    if (t->role == ir::tensor_role::inout) info.direction = operand_direction::inout;
    if (t->role == ir::tensor_role::strides) info.direction = operand_direction::strides;
    if (t->role == ir::tensor_role::extents) info.direction = operand_direction::extents;
    info.strides = t->strides;
    info.has_range = t->has_range;
    info.low = t->low;
    info.high = t->high;
    made.operands.push_back(std::move(info));
  }
  for (auto const& st : program->stages)
    if (auto const form = arith::scatter_form_of(*st))
      for (auto const& a : form->axes) detail::spread(a.place, st->axes[a.axis].size(), made);
  for (auto const& out : program->outputs) {
    if (out->updates) continue;
    for (auto const& c : out->components) {
      operand_info info;
      info.name = out->components.size() == 1 ? out->name : out->name + "." + c.name;
      info.type = c.type;
      info.shape = shape(out);
      info.open = places(out);
      info.direction = operand_direction::out;
      info.strides = out->strides;
      made.operands.push_back(std::move(info));
    }
  }
  return made;
}

}}  // namespace ttune::v0
