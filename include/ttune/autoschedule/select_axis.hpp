// SPDX-License-Identifier: Apache-2.0
// Stages with a different expression for each value of a short axis: select(a == 0, …, select(a == 1, …, …)). The
// choice disappears if the loop over that axis is unrolled. The transforms of short convolutions are such stages.
#pragma once

#include <algorithm>

#include "ttune/autoschedule/analysis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The axis in a condition `name == constant` or `name % period == constant`.
struct compared {
  std::string axis;         ///< empty if the condition has another form
  std::int64_t period = 0;  ///< 0 for the axis itself
};

[[nodiscard]] inline compared compared_axis(ir::expr const& condition) {
  auto const* b = ir::as<ir::binary>(condition);
  if (!b || b->op != ir::binary_op::equal || !ir::is_constant(b->right)) return {};
  if (auto const* v = ir::as<ir::variable>(b->left)) return {v->name, 0};
  auto const* rest = ir::as<ir::binary>(b->left);
  if (!rest || rest->op != ir::binary_op::floor_modulo || !ir::is_constant(rest->right)) return {};
  auto const* v = ir::as<ir::variable>(rest->left);
  return v ? compared{v->name, ir::constant_integer(rest->right)} : compared{};
}

/// Returns the choice of a stage, which may be inside of functions, conversions and sums: relu(select(…) + b). Without
/// a choice, returns the expression where the search ended.
[[nodiscard]] inline ir::expr choice_in(ir::expr const& value) {
  if (auto const* u = ir::as<ir::unary>(value)) return choice_in(ir::expr(u->operand));
  if (auto const* c = ir::as<ir::cast>(value)) return choice_in(ir::expr(c->operand));
  auto const* b = ir::as<ir::binary>(value);
  if (!b || !is_float(value->type)) return value;
  auto const left = choice_in(ir::expr(b->left));
  return ir::as<ir::select>(left) ? left : choice_in(ir::expr(b->right));
}

/// The largest number of values by which a stage may choose: they are unrolled.
inline constexpr std::int64_t most_choices = 32;

/// Returns true if the values that a condition distinguishes are few: those of a short axis, or of a remainder. The
/// condition `i == 0` of a long axis describes an edge, not a choice.
[[nodiscard]] inline bool chooses_among_few(ir::stage const& st, compared const& by) {
  if (by.period > 0) return by.period <= most_choices;
  return std::any_of(st.axes.begin(), st.axes.end(),
                     [&](ir::axis const& a) { return a.name == by.axis && a.size() <= most_choices; });
}

/// Returns the free axes by which a stage chooses its expression.
[[nodiscard]] inline std::vector<compared> choices_of_axes(ir::stage const& st) {
  std::vector<compared> found;
  if (st.reduces() || st.components.size() != 1) return found;
  for (auto e = choice_in(st.components[0].value); auto const* s = ir::as<ir::select>(e); e = ir::expr(s->when_false)) {
    auto const one = compared_axis(s->condition);
    auto const same = [&](compared const& c) { return c.axis == one.axis; };
    if (!one.axis.empty() && chooses_among_few(st, one) && std::none_of(found.begin(), found.end(), same))
      found.push_back(one);
  }
  return found;
}
[[nodiscard]] inline std::vector<std::string> choosing_axes(ir::stage const& st) {
  std::vector<std::string> names;
  for (auto const& c : choices_of_axes(st)) names.push_back(c.axis);
  return names;
}

/// Returns the parts of an axis by which a stage chooses. For a condition such as t / 4 % 5 < 4 the axis is best split
/// by 4, then by 5: the result is the sizes 4, 20 of whole parts, ascending; each divides the next.
[[nodiscard]] inline std::vector<std::int64_t> choosing_parts(ir::stage const& st, std::string const& axis) {
  std::vector<std::int64_t> sizes;
  auto const add = [&](std::int64_t size) {
    if (size > 1 && std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  };
  auto const divided = [](ir::expr const& e, ir::binary_op by) {
    auto const* b = ir::as<ir::binary>(e);
    return b && b->op == by && ir::is_constant(b->right) ? b : nullptr;
  };
  auto const look = [&](ir::expr const& part) {
    auto const* modulo = divided(part, ir::binary_op::floor_modulo);
    auto const& whole = modulo ? modulo->left : part;
    auto const* quotient = divided(whole, ir::binary_op::floor_divide);
    auto const* v = ir::as<ir::variable>(quotient ? quotient->left : whole);
    if (!v || v->name != axis) return;
    auto const unit = quotient ? ir::constant_integer(quotient->right) : 1;
    add(unit);
    if (modulo) add(unit * ir::constant_integer(modulo->right));
  };
  for (auto const& component : st.components)
    ir::for_each_node(component.value, [&](ir::expr const& e) {
      auto const* s = ir::as<ir::select>(e);
      auto const* b = s ? ir::as<ir::binary>(s->condition) : nullptr;
      if (b && b->left->type == dtype::index && b->op == ir::binary_op::less) look(b->left);
    });
  std::sort(sizes.begin(), sizes.end());
  std::vector<std::int64_t> chain;
  for (auto const size : sizes)
    if (chain.empty() || size % chain.back() == 0) chain.push_back(size);
  return chain;
}

/// Returns true if a stage is computed from constants and tables only: it is prepared before all calls.
[[nodiscard]] inline bool is_of_constants(plan const& p, stage_plan const& st) {
  if (st.output || st.definition->reduces() || st.definition->updates) return false;
  bool constants = false;
  for (auto const& a : st.accesses) {
    if (a.write) continue;
    if (a.producer >= 0) {
      if (!is_of_constants(p, p.stages[static_cast<std::size_t>(a.producer)])) return false;
      constants = true;
      continue;
    }
    auto const role = p.program->inputs[static_cast<std::size_t>(a.operand)]->role;
    if (role != ir::tensor_role::constant && role != ir::tensor_role::table) return false;
    constants = constants || role == ir::tensor_role::constant;
  }
  return constants;
}

/// Returns true for a stage of constants that only a reduction reads, at plain axes: its layout suits the reduction.
[[nodiscard]] inline bool is_laid_out_ahead(plan const& p, stage_plan const& reader, access_plan const& a) {
  return !a.write && a.producer >= 0 && is_of_constants(p, p.stages[static_cast<std::size_t>(a.producer)]) &&
         readers_of(p, a.producer).size() == 1 && indexes_by_axes(reader, a);
}

/// Returns true for a stage that only reorders the dimensions of an operand.
[[nodiscard]] inline bool is_rearranged_operand(stage_plan const& st) {
  if (st.definition->reduces() || st.definition->components.size() != 1 || st.accesses.size() != 2) return false;
  auto const& read = st.accesses[0];
  if (!ir::as<ir::access>(st.definition->components[0].value) || read.operand < 0 || !indexes_by_axes(st, read))
    return false;
  auto const last = st.definition->axes.size() - 1;
  return read.indices.size() == st.definition->axes.size() && read.indices[last].coefficient[last] == 0;
}

}}}  // namespace ttune::v0::autoschedule
