// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "ttune/arith/canonicalize_boundaries.hpp"
#include "ttune/arith/open_axis.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/arith/term_guards.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

/// The ranges that are known where a stage is computed: those of its axes, and of extents if calls give them.
struct stage_ranges {
  ir::stage const& of;
  ranges known;
  bool extents_are_open;

  [[nodiscard]] bool is_open(ir::extent const& e) const { return extents_are_open && !e.is_constant(); }
  /// Returns the number of elements of a dimension: a constant, or the variable of the extent that calls give.
  [[nodiscard]] ir::expr size(ir::extent const& e) const {
    return is_open(e) ? ir::make_variable(ir::variable_of(*e.symbol)) : ir::make_index(e.value);
  }
  /// Returns true if an index is inside of a dimension, whatever extent a call gives.
  [[nodiscard]] bool is_inside(ir::expr const& index, ir::extent const& e) const {
    auto const range = bounds(index, known);
    if (!is_open(e)) return arith::is_inside(range, 0, e.value);
    return range.low >= 0 && (range.high < e.symbol->low || ends_with(of, index, *e.symbol));
  }
};

/// Returns the index that a boundary reads instead of `i`. The dimension has `size` elements; where calls give their
/// number, the boundary clamps, else they are `n`.
inline ir::expr redirected(ir::boundary how, ir::expr const& i, ir::expr const& size, std::int64_t n) {
  using ir::binary_op;
  using ir::make_binary;
  switch (how) {
    case ir::boundary::clamp:
      return make_binary(binary_op::maximum, make_binary(binary_op::minimum, i, size + -1), ir::make_index(0));
    case ir::boundary::wrap: return make_binary(binary_op::floor_modulo, i, ir::make_index(n));
    case ir::boundary::mirror: {
      if (n == 1) return ir::make_index(0);
      auto const period = ir::make_index(2 * (n - 1));
      auto const m = make_binary(binary_op::floor_modulo, i, period);
      return make_binary(binary_op::minimum, m, period - m);
    }
    default: return i;
  }
}

inline ir::expr guarded(ir::expr const& condition, ir::expr const& value, ir::expr const& otherwise) {
  return condition ? ir::make_select(condition, value, otherwise) : value;
}

inline void require_also(ir::expr& all, ir::expr const& condition) {
  all = all ? ir::make_binary(ir::binary_op::logical_and, all, condition) : condition;
}

/// Returns an access whose indices have no boundaries any more.
inline ir::expr without_boundary(ir::expr const& e, ir::access const& a, stage_ranges const& in) {
  if (a.outside == ir::boundary::none) return e;
  auto const shape = ir::extents_of(a.from);
  auto indices = a.indices;
  ir::expr guard;   // condition on axes: may become a predicate
  ir::expr gather;  // condition on data: is tested inside the guard
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (in.is_inside(indices[d], shape[d])) continue;
    auto const size = in.size(shape[d]);
    if (a.outside != ir::boundary::value) {
      indices[d] = simplify(redirected(a.outside, indices[d], size, shape[d].value), in.known);
      continue;
    }
    auto const range = bounds(indices[d], in.known);
    auto& condition = reads_data(indices[d]) ? gather : guard;
    if (range.low < 0)
      require_also(condition, ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), indices[d]));
    if (in.is_open(shape[d]) || range.high >= shape[d].value)
      require_also(condition, ir::make_binary(ir::binary_op::less, indices[d], size));
  }
  if (guard) guard = simplify(guard, in.known);
  auto read = ir::make_access(a.from, indices, ir::boundary::none, {}, a.component);
  return guarded(guard, guarded(gather, read, a.fill), a.fill);
}

inline ir::select const* as_absent_or(ir::expr const& e) {
  return ir::as<ir::select>(e) ? as_guarded(e, ir::make_number(e->type, 0)) : nullptr;
}

inline bool is_zero(ir::expr const& e) { return is_same_constant(e, ir::make_number(e->type, 0)); }

/// Returns select(p, e, 0); merges the conditions if `e` is select(q, a, 0).
inline ir::expr absent_unless(ir::expr const& p, ir::expr const& e) {
  if (is_zero(e)) return e;
  auto const* s = as_absent_or(e);
  if (!s) return ir::make_select(p, e, ir::make_number(e->type, 0));
  return absent_unless(ir::make_binary(ir::binary_op::logical_and, p, s->condition), s->when_true);
}

/// Returns `make(operand)` below the guard of the operand, or null if the operand has no guard.
template <class Make>
ir::expr around(ir::expr const& operand, dtype type, Make const& make) {
  if (is_zero(operand)) return ir::make_number(type, 0);
  auto const* s = as_absent_or(operand);
  return s ? absent_unless(s->condition, make(s->when_true)) : ir::expr();
}

/// Moves the guards of the operands out of one node of a sum. The operands are processed already.
inline ir::expr with_guard_outside(ir::expr const& e) {
  ir::expr made;
  if (auto const* b = ir::as<ir::binary>(e); b && b->op == ir::binary_op::multiply) {
    made = around(b->left, e->type, [&](ir::expr const& a) { return with_guard_outside(a * b->right); });
    if (!made) made = around(b->right, e->type, [&](ir::expr const& a) { return with_guard_outside(b->left * a); });
  } else if (auto const* u = ir::as<ir::unary>(e); u && ir::keeps_absence(u->op)) {
    made = around(u->operand, e->type, [&](ir::expr const& a) { return ir::make_unary(u->op, a); });
  } else if (auto const* c = ir::as<ir::cast>(e); c && c->operand->type != dtype::index) {
    made = around(c->operand, e->type, [&](ir::expr const& a) { return ir::make_cast(e->type, a); });
  } else if (auto const* s = as_absent_or(e); s && (is_zero(s->when_true) || as_absent_or(s->when_true))) {
    made = absent_unless(s->condition, s->when_true);
  }
  return made ? made : e;
}

/// Moves guards outwards in an expression. Accesses do not change, because their indices are not terms.
inline ir::expr with_guards_outside(ir::expr const& e) {
  if (ir::as<ir::access>(e)) return e;
  return with_guard_outside(ir::map_operands(e, with_guards_outside));
}

[[nodiscard]] inline std::vector<ir::expr> terms_of(ir::stage const& st) {
  std::vector<ir::expr> made;
  for (auto const& c : st.components) made.push_back(c.value);
  return made;
}

/// Makes guards around whole terms the predicate of the stage.
inline void lift_predicate(ir::stage& st, ranges const& known) {
  if (!st.reduces()) return;
  if (auto& value = st.components[0].value; st.reduction.kind == ir::reduction_kind::sum)
    value = with_guards_outside(value);
  while (auto const guard = common_guard(st.reduction, terms_of(st))) {
    for (auto& c : st.components) c.value = ir::expr(ir::as<ir::select>(c.value)->when_true);
    require_also(st.predicate, guard);
    st.predicate = simplify(st.predicate, known);
    if (ir::is_constant(st.predicate, 1)) st.predicate = {};
  }
}

using moved_stages = std::unordered_map<ir::stage const*, handle<ir::stage>>;

/// Removes the boundaries of one expression of a stage. Reads of rewritten stages become reads of the new ones.
inline ir::expr canonical(ir::expr const& e, moved_stages const& moved, stage_ranges const& in) {
  return ir::rewrite(e, [&](ir::expr const& n) -> ir::expr {
    auto const* a = ir::as<ir::access>(n);
    if (!a) return n;
    auto const* s = std::get_if<handle<ir::stage>>(&a->from);
    auto const it = s ? moved.find(s->get()) : moved.end();
    if (it == moved.end()) return without_boundary(n, *a, in);
    auto const followed = ir::make_access(it->second, a->indices, a->outside, a->fill, a->component);
    return without_boundary(followed, *ir::as<ir::access>(followed), in);
  });
}

inline handle<ir::stage> canonical(handle<ir::stage> const& old, moved_stages const& moved, ranges const& of_extents) {
  auto known = ranges_of(*old);
  known.insert(of_extents.begin(), of_extents.end());
  stage_ranges const in{*old, known, !of_extents.empty()};
  auto made = *old;
  for (auto& c : made.components) c.value = canonical(c.value, moved, in);
  if (made.predicate) made.predicate = simplify(canonical(made.predicate, moved, in), known);
  if (ir::is_constant(made.predicate, 1)) made.predicate = {};
  lift_predicate(made, known);
  bool same = made.predicate == old->predicate;
  for (std::size_t i = 0; i < made.components.size(); ++i)
    same = same && made.components[i].value == old->components[i].value;
  return same ? old : share(std::move(made));
}

}  // namespace detail

handle<ir::program> canonicalize_boundaries(handle<ir::program> const& program) {
  ir::program made{{}, program->name, program->inputs, {}, {}};
  detail::moved_stages moved;
  auto const of_extents = ranges_of_extents(*program);
  for (auto const& old : program->stages) {
    made.stages.push_back(detail::canonical(old, moved, of_extents));
    if (made.stages.back() != old) moved.emplace(old.get(), made.stages.back());
  }
  if (moved.empty()) return program;
  for (auto const& out : program->outputs) {
    auto const it = moved.find(out.get());
    made.outputs.push_back(it == moved.end() ? out : it->second);
  }
  return share(std::move(made));
}

}}}  // namespace ttune::v0::arith
