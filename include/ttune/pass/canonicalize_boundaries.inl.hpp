// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/operands.hpp"
#include "ttune/pass/canonicalize_boundaries.hpp"
#include "ttune/pass/simplify.hpp"

namespace ttune::inline v0::pass {

namespace detail {

inline ir::expr both(ir::expr const& a, ir::expr const& b) {
  if (!a) return b;
  if (!b) return a;
  return ir::make_binary(ir::binary_op::logical_and, a, b);
}

/// The index that a boundary reads instead of `i`; `n` elements.
inline ir::expr redirected(ir::boundary how, ir::expr const& i, std::int64_t n) {
  auto const zero = ir::make_index(0);
  switch (how) {
    case ir::boundary::clamp:
      return ir::make_binary(ir::binary_op::maximum, zero, ir::make_binary(ir::binary_op::minimum, i, ir::make_index(n - 1)));
    case ir::boundary::wrap: return ir::make_binary(ir::binary_op::floor_modulo, i, ir::make_index(n));
    case ir::boundary::mirror: {
      if (n == 1) return zero;
      auto const m = ir::make_binary(ir::binary_op::floor_modulo, i, ir::make_index(2 * (n - 1)));
      return ir::make_binary(ir::binary_op::minimum, m, ir::make_index(2 * (n - 1)) - m);
    }
    default: return i;
  }
}

inline ir::expr without_boundary(ir::expr const& e, ranges const& known) {
  auto const inner = ir::map_operands(e, [&](ir::expr const& o) { return without_boundary(o, known); });
  auto const* a = ir::as<ir::access>(inner);
  if (!a || a->outside == ir::boundary::none) return inner;
  auto const shape = ir::shape_of(a->from);
  auto indices = a->indices;
  ir::expr inside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto const range = bounds(indices[d], known);
    if (range.low >= 0 && range.high < shape[d]) continue;
    if (a->outside != ir::boundary::value) {
      indices[d] = simplify(redirected(a->outside, indices[d], shape[d]), known);
      continue;
    }
    if (range.low < 0) inside = both(inside, ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), indices[d]));
    if (range.high >= shape[d]) inside = both(inside, ir::make_binary(ir::binary_op::less, indices[d], ir::make_index(shape[d])));
  }
  auto read = ir::make_access(a->from, indices, ir::boundary::none, {}, a->component);
  return inside ? ir::make_select(inside, read, a->fill) : read;
}

inline bool is_number(ir::expr const& e, ir::expr const& number) {
  auto const* a = ir::as<ir::constant>(e);
  auto const* b = ir::as<ir::constant>(number);
  return a && b && a->real == b->real && a->integer == b->integer;
}

/// Takes out of a term the condition without which it is 0: from a factor of a product, or the whole.
inline ir::expr take_condition(ir::expr const& e, ir::expr& condition) {
  if (auto const* s = ir::as<ir::select>(e); s && is_number(s->when_false, ir::make_number(e->type, 0))) {
    condition = both(condition, s->condition);
    return take_condition(s->when_true, condition);
  }
  if (auto const* b = ir::as<ir::binary>(e); b && b->op == ir::binary_op::multiply) {
    auto const left = take_condition(b->left, condition);
    auto const right = take_condition(b->right, condition);
    return left == b->left && right == b->right ? e : ir::make_binary(b->op, left, right);
  }
  if (auto const* c = ir::as<ir::cast>(e); c && e->type != dtype::boolean && c->operand->type != dtype::boolean) {
    auto const operand = take_condition(c->operand, condition);
    return operand == c->operand ? e : ir::make_cast(e->type, operand);
  }
  return e;
}

inline void lift_predicate(ir::stage& st) {
  auto& value = st.components[0].value;
  if (st.reduction.kind == ir::reduction_kind::sum) {
    value = take_condition(value, st.predicate);
  } else if (st.reduction.kind != ir::reduction_kind::none && st.reduction.kind != ir::reduction_kind::tuple) {
    auto const* s = ir::as<ir::select>(value);
    if (!s || !is_number(s->when_false, ir::make_identity(st.reduction.kind, value->type))) return;
    st.predicate = both(st.predicate, s->condition);
    value = s->when_true;
  }
}

/// Replaces reads of stages that were made again.
inline ir::expr follow(ir::expr const& e, std::unordered_map<ir::stage const*, handle<ir::stage>> const& moved) {
  auto const inner = ir::map_operands(e, [&](ir::expr const& o) { return follow(o, moved); });
  auto const* a = ir::as<ir::access>(inner);
  auto const* s = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
  auto const it = s ? moved.find(s->get()) : moved.end();
  return it == moved.end() ? inner : ir::make_access(it->second, a->indices, a->outside, a->fill, a->component);
}

}  // namespace detail

TTUNE_INLINE handle<ir::program> canonicalize_boundaries(handle<ir::program> const& program) {
  ir::program made{{}, program->name, program->inputs, {}, {}};
  std::unordered_map<ir::stage const*, handle<ir::stage>> moved;
  for (auto const& old : program->stages) {
    ranges known;
    for (auto const* axes : {&old->axes, &old->reduction.axes})
      for (auto const& a : *axes) known[a.name] = {a.begin, a.end.value - 1};
    auto st = *old;
    for (auto& c : st.components) c.value = detail::without_boundary(detail::follow(c.value, moved), known);
    if (st.predicate) st.predicate = detail::without_boundary(detail::follow(st.predicate, moved), known);
    detail::lift_predicate(st);
    made.stages.push_back(share(std::move(st)));
    moved[old.get()] = made.stages.back();
  }
  for (auto const& out : program->outputs) made.outputs.push_back(moved.at(out.get()));
  return share(std::move(made));
}

}  // namespace ttune::inline v0::pass
