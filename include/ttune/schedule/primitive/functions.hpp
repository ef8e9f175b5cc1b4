// SPDX-License-Identifier: Apache-2.0
// Functions such as exp in the expressions of a stage: what they depend on, and whether they may be computed at points
// where the stage does not compute them (compute_once.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Returns true for functions, except those of 16-bit floats: a kernel computes them in f32, but a stage would round.
[[nodiscard]] inline bool is_function(ir::expr const& e) {
  if (e->type == dtype::f16 || e->type == dtype::bf16) return false;
  if (auto const* u = ir::as<ir::unary>(e)) return u->op >= ir::unary_op::sqrt && u->op <= ir::unary_op::erf;
  auto const* b = ir::as<ir::binary>(e);
  return b && b->op == ir::binary_op::power;
}

/// Returns true if two reads have the same indices, of sources of one shape.
[[nodiscard]] inline bool are_at_one_place(ir::access const& a, ir::access const& b) {
  return ir::shape_of(a.from) == ir::shape_of(b.from) &&
         std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                    [](ir::expr const& x, ir::expr const& y) { return ir::equal(x, y); });
}

/// Returns true if an expression combines elements of two sources, at the same place that data give: they are gathered
/// together, and could be combined before. Both lie inside, so that neither is absent.
[[nodiscard]] inline bool is_gathered_pair(ir::expr const& e) {
  auto const* b = ir::as<ir::binary>(e);
  if (!b || e->type == dtype::f16 || e->type == dtype::bf16 || e->type == dtype::boolean) return false;
  auto const* left = ir::as<ir::access>(b->left);
  auto const* right = ir::as<ir::access>(b->right);
  if (!left || !right || left->outside != ir::boundary::none || right->outside != ir::boundary::none) return false;
  auto const is_data = [](ir::expr const& i) {
    return ir::contains(i, [](ir::expr const& part) { return ir::as<ir::access>(part) != nullptr; });
  };
  return std::any_of(left->indices.begin(), left->indices.end(), is_data) && are_at_one_place(*left, *right);
}

/// Returns true for what may be computed once for each place: a function, or elements that are gathered together.
[[nodiscard]] inline bool is_worth_once(ir::expr const& e) { return is_function(e) || is_gathered_pair(e); }

/// Returns true for expressions that hold something worth computing once, except those of 16-bit floats, and indices.
[[nodiscard]] inline bool holds_function(ir::expr const& e) {
  return e->type != dtype::f16 && e->type != dtype::bf16 && e->type != dtype::index && ir::contains(e, is_worth_once);
}

/// Returns true for a read of a constant operand.
[[nodiscard]] inline bool is_constant_read(ir::expr const& e) {
  auto const* a = ir::as<ir::access>(e);
  auto const* t = a ? std::get_if<handle<ir::tensor>>(&a->from) : nullptr;
  return t && (*t)->role == ir::tensor_role::constant;
}

/// Returns the axes of a stage, reduced ones included, that an expression depends on, in the stage's order.
[[nodiscard]] inline std::vector<ir::axis> axes_of(ir::expr const& e, ir::stage const& st) {
  std::vector<ir::axis> made;
  for (auto const* axes : {&st.axes, &st.reduction.axes})
    for (auto const& a : *axes)
      if (ir::contains(e, [&](ir::expr const& part) {
            auto const* v = ir::as<ir::variable>(part);
            return v && v->name == a.name;
          }))
        made.push_back(a);
  return made;
}

[[nodiscard]] inline bool divides_by_data(ir::expr const& e) {
  auto const* b = ir::as<ir::binary>(e);
  return b && !is_float(e->type) && e->type != dtype::index && !ir::is_constant(b->right) &&
         (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo);
}
[[nodiscard]] inline bool is_updated(ir::source const& from) {
  auto const* t = std::get_if<handle<ir::tensor>>(&from);
  return t && (*t)->role == ir::tensor_role::inout;
}

/// Returns true if an expression has a value at all points: reads lie inside, integers are divided by constants.
[[nodiscard]] inline bool is_defined_everywhere(ir::expr const& e, arith::ranges const& known) {
  return !ir::contains(e, [&](ir::expr const& part) {
    if (divides_by_data(part)) return true;
    auto const* a = ir::as<ir::access>(part);
    if (!a) return false;
    if (is_updated(a->from)) return true;
    auto const shape = ir::shape_of(a->from);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      bool const is_data =
          ir::contains(a->indices[d], [](ir::expr const& i) { return ir::as<ir::access>(i) != nullptr; });
      auto const range = arith::bounds(a->indices[d], known);
      if (is_data || range.low < 0 || range.high >= shape[d]) return true;
    }
    return a->outside != ir::boundary::none;
  });
}

[[nodiscard]] inline ir::expr dimension_variable(std::size_t d) { return ir::make_variable("d" + std::to_string(d)); }

/// An expression that holds a function of one element, or of elements of several sources at one place, and nothing else
/// that varies; the indices of the element are replaced by d0, d1, ….
struct function_of_element {
  ir::expr form;
  ir::expr element;  ///< the first access of such an element
};
[[nodiscard]] inline function_of_element as_function_of_element(ir::expr const& e) {
  ir::expr element;
  bool fits = holds_function(e);
  auto const look = [&](auto const& self, ir::expr const& part) -> ir::expr {
    if (ir::as<ir::variable>(part)) fits = false;
    auto const* a = ir::as<ir::access>(part);
    if (!a) return ir::map_operands(part, [&](ir::expr const& o) { return self(self, o); });
    fits = fits && a->outside == ir::boundary::none && !is_updated(a->from) &&
           (!element || are_at_one_place(*ir::as<ir::access>(element), *a));
    if (!element) element = part;
    std::vector<ir::expr> places;
    for (std::size_t d = 0; d < a->indices.size(); ++d) places.push_back(dimension_variable(d));
    return ir::make_access(a->from, std::move(places), ir::boundary::none, {}, a->component);
  };
  auto form = look(look, e);
  if (!fits || !element || ir::contains(form, divides_by_data)) return {};
  return {std::move(form), std::move(element)};
}

/// Returns true if a stage has these axes, with the same ranges.
[[nodiscard]] inline bool has_axes(ir::stage const& st, std::vector<ir::axis> const& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](ir::axis const& w) {
    for (auto const* axes : {&st.axes, &st.reduction.axes})
      for (auto const& a : *axes)
        if (a.name == w.name) return a.begin == w.begin && a.end == w.end;
    return false;
  });
}

}}}  // namespace ttune::v0::primitives
