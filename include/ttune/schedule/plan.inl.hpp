// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/affine.hpp"
#include "ttune/arith/canonicalize_boundaries.hpp"
#include "ttune/schedule/check_open_axes.hpp"
#include "ttune/schedule/limits.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/primitive/all.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Applies a step that changes the program. Such steps come first, wherever they are listed: they name axes, not loops.
inline handle<ir::program> changed_program(handle<ir::program> const& p, step const& s) {
  auto made = p;
  primitives::with_rules(s.what, [&]<class Rules>() {
    if constexpr (requires { made = Rules::apply(p, s); }) made = Rules::apply(p, s);
  });
  return made;
}

/// Applies a step that changes loops, places or buffers.
inline void apply_to_plan(plan& p, step const& s) {
  primitives::with_rules(s.what, [&]<class Rules>() {
    if constexpr (requires { Rules::apply(p, s); }) Rules::apply(p, s);
  });
}

/// Calls the checks of the primitives, once after all steps.
inline void check_steps(plan& p) {
  primitives::for_each_rules([&]<class Rules>(primitive) {
    if constexpr (requires { Rules::check(p); }) Rules::check(p);
  });
}

/// Returns true for the last index of a dimension, which is an expression if calls give its extent.
inline bool is_last_index(ir::expr const& e, ir::extent const& extent) {
  if (ir::is_constant(e)) return ir::constant_integer(e) == extent.value - 1;
  auto const form = extent.is_constant() ? std::nullopt : arith::to_affine(e);
  return form && form->constant == -1 && form->terms.size() == 1 && form->terms[0].second == 1 &&
         form->terms[0].first == ir::variable_of(*extent.symbol);
}

/// Returns the index that is clamped to [0, extent), at one end or both; `e` itself if it is not clamped.
inline ir::expr without_clamp(ir::expr const& e, ir::extent const& extent) {
  auto const* b = ir::as<ir::binary>(e);
  if (!b) return e;
  if (b->op == ir::binary_op::maximum && ir::is_constant(b->right, 0)) return without_clamp(b->left, extent);
  if (b->op == ir::binary_op::minimum && is_last_index(b->right, extent)) return without_clamp(b->left, extent);
  return e;
}

/// Returns the index that is wrapped to [0, extent), or mirrored at its ends (arith/canonicalize_boundaries.hpp); `e`
/// itself if it is neither.
inline ir::expr without_period(ir::expr const& e, std::int64_t extent) {
  auto const* b = ir::as<ir::binary>(e);
  auto const period_of = [](ir::binary const* remainder) {
    bool const known = remainder && remainder->op == ir::binary_op::floor_modulo && ir::is_constant(remainder->right);
    return known ? ir::constant_integer(remainder->right) : 0;
  };
  if (period_of(b) == extent && extent > 1) return b->left;
  if (!b || b->op != ir::binary_op::minimum) return e;
  auto const* inner = ir::as<ir::binary>(b->left);
  return period_of(inner) == 2 * (extent - 1) && extent > 1 ? inner->left : e;
}

/// Fills in an index that is not affine. Axes that move only a part which is affine have their coefficients, as `t` in
/// `at(delay(m)) + t`.
inline void plan_unknown_index(stage_plan const& st, ir::expr const& e, index_plan& made) {
  made.whole = true;
  made.moves.assign(st.axis_count(), false);
  auto const axis_of = [&](ir::expr const& n, std::size_t a) {
    auto const* const v = ir::as<ir::variable>(n);
    return v && v->name == st.axis_name(a);
  };
  for (auto const& [atom, coefficient] : arith::to_linear(e).terms)
    for (std::size_t a = 0; a < st.axis_count(); ++a) {
      if (axis_of(atom, a)) made.coefficient[a] = coefficient;
      else if (ir::contains(atom, [&](ir::expr const& n) { return axis_of(n, a); })) made.moves[a] = true;
    }
  for (std::size_t a = 0; a < st.axis_count(); ++a)
    if (made.moves[a]) made.coefficient[a] = 0;
}

/// Returns true if a form has a variable that is no axis of the stage: an extent that calls give.
inline bool has_open_extent(stage_plan const& st, arith::affine const& form) {
  return std::any_of(form.terms.begin(), form.terms.end(), [&](auto const& term) {
    for (std::size_t a = 0; a < st.axis_count(); ++a)
      if (st.axis_name(a) == term.first) return false;
    return true;
  });
}

/// Converts one index of an access to a dimension.
inline index_plan plan_index(stage_plan const& st, ir::expr const& e, ir::extent const& extent) {
  index_plan made;
  made.coefficient.assign(st.axis_count(), 0);
  auto inner = without_clamp(e, extent);
  made.clamped = inner != e;
  inner = without_period(inner, extent.value);
  made.periodic = inner != e && !made.clamped;
  auto const divided = inner;
  if (auto const* d = ir::as<ir::binary>(divided);
      d && d->op == ir::binary_op::floor_divide && ir::is_constant(d->right)) {
    inner = d->left;
    made.divisor = ir::constant_integer(d->right);
  }
  auto const form = arith::to_affine(inner);
  if (!form || made.divisor < 1 || has_open_extent(st, *form)) {
    plan_unknown_index(st, e, made);
    return made;
  }
  made.constant = form->constant;
  for (auto const& [name, coefficient] : form->terms)
    for (std::size_t a = 0; a < st.axis_count(); ++a)
      if (st.axis_name(a) == name) {
        made.coefficient[a] = coefficient;
        made.constant += coefficient * st.axis_begin(a);  // loops count from 0
      }
  return made;
}

/// Returns true if reads of one dimension that differ by constants only always have an element of the source between
/// them, for every place of the reader. The nearest element of each of them is then between them, too.
inline bool stays_within_window(stage_plan const& st, std::vector<index_plan const*> const& reads,
                                std::int64_t extent) {
  auto least = reads[0]->constant;
  auto most = least;
  auto moves = std::int64_t{0};
  for (auto const* i : reads) least = std::min(least, i->constant), most = std::max(most, i->constant);
  for (std::size_t x = 0; x < st.axis_count(); ++x) {
    if (reads[0]->coefficient[x] < 0) return false;
    moves += reads[0]->coefficient[x] * (st.axis_size(x) - 1);
  }
  return floor_divide(most, reads[0]->divisor) >= 0 && floor_divide(least + moves, reads[0]->divisor) < extent;
}

/// Checks clamped reads. A region contains the nearest elements of reads outside of a stage only if it reaches into the
/// stage; otherwise the region is the whole dimension.
inline void check_clamped(plan const& p, stage_plan& st) {
  auto const in_one_window = [](index_plan const& i, index_plan const& j) {
    return !i.whole && i.coefficient == j.coefficient && i.divisor == j.divisor;
  };
  for (auto& a : st.accesses) {
    if (a.write || a.producer < 0) continue;
    auto const& axes = p.program->stages[static_cast<std::size_t>(a.producer)]->axes;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      a.indices[d].whole = a.indices[d].whole || a.indices[d].periodic;  // these elements are not near the index
      if (!a.indices[d].clamped || a.indices[d].whole) continue;
      std::vector<index_plan const*> reads;
      for (auto const& b : st.accesses)
        if (!b.write && b.producer == a.producer && in_one_window(b.indices[d], a.indices[d]))
          reads.push_back(&b.indices[d]);
      a.indices[d].whole = !axes[d].end.is_constant() || !stays_within_window(st, reads, axes[d].size());
    }
  }
}

/// Appends all different reads of a stage, then its write.
inline void plan_accesses(plan& p, stage_plan& st) {
  std::vector<ir::access const*> seen;
  auto const same = [](ir::access const& a, ir::access const& b) {
    return primitives::identity(a.from) == primitives::identity(b.from) && a.indices == b.indices;
  };
  auto const add = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return;
    for (auto const* other : seen)
      if (same(*a, *other)) return;
    seen.push_back(a);
    access_plan made;
    for (std::size_t i = 0; i < p.program->stages.size(); ++i)
      if (p.program->stages[i].get() == primitives::identity(a->from)) made.producer = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < p.program->inputs.size(); ++i)
      if (p.program->inputs[i].get() == primitives::identity(a->from)) made.operand = static_cast<std::int32_t>(i);
    auto const shape = ir::extents_of(a->from);
    for (std::size_t d = 0; d < shape.size(); ++d) made.indices.push_back(plan_index(st, a->indices[d], shape[d]));
    st.accesses.push_back(std::move(made));
  };
  for (auto const& c : st.definition->components) ir::for_each_node(c.value, add);
  access_plan write;
  write.write = true;
  for (auto const& a : st.definition->axes) write.indices.push_back(plan_index(st, ir::make_variable(a.name), a.end));
  st.accesses.push_back(std::move(write));
  check_clamped(p, st);
}

inline stage_plan plan_stage(handle<ir::program> const& program, handle<ir::stage> const& definition) {
  stage_plan st;
  st.definition = definition;
  for (std::size_t a = 0; a < st.axis_count(); ++a) {
    loop_plan l;
    l.name = st.axis_name(a);
    l.axis = static_cast<std::int32_t>(a);
    st.loops.push_back(std::move(l));
    st.order.push_back(static_cast<std::int32_t>(a));
  }
  for (auto const& out : program->outputs) st.output = st.output || out == definition;
  return st;
}

/// Returns true if calls give an extent of a stage.
inline bool has_open_axis(ir::stage const& of) {
  return std::any_of(of.axes.begin(), of.axes.end(), [](ir::axis const& a) { return !a.end.is_constant(); });
}

/// Says whether the elements of a stage change from call to call.
struct constancy {
  bool value = false;       ///< true if its elements are the same in all calls
  bool only_tables = true;  ///< true if it reads tables alone: it is cheap enough for each call
};

/// Returns what is known of a stage whose producers are known.
inline constancy constancy_of(plan const& p, stage_plan const& st, std::vector<constancy> const& producers) {
  constancy made{!st.output && !st.definition->reduces() && !has_open_axis(*st.definition) && st.places.size() == 1};
  for (auto const& a : st.accesses) {
    if (a.operand >= 0) {
      auto const role = p.program->inputs[static_cast<std::size_t>(a.operand)]->role;
      made.value = made.value && (role == ir::tensor_role::constant || role == ir::tensor_role::table);
      made.only_tables = made.only_tables && role == ir::tensor_role::table;
    }
    if (a.producer >= 0) {
      made.value = made.value && producers[static_cast<std::size_t>(a.producer)].value;
      made.only_tables = false;
    }
  }
  return made;
}

/// Chooses the memory of buffers without store_in: operands, prepared constants, or scratch memory per call or per
/// thread (lowering/statements.inl.hpp decides between the last two when places are known). A stage that is computed
/// inside of a prepared one is computed with it, in scratch memory.
inline void choose_memory(plan& p) {
  std::vector<constancy> known(p.stages.size());
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& st = p.stages[i];
    known[i] = constancy_of(p, st, known);
    bool const at_root = st.places.size() == 1 && st.places[0].kind == place_plan::sort::root;
    bool const can_be_prepared = at_root && known[i].value && !known[i].only_tables;
    if (st.where_given && st.where == ir::memory::prepared && !can_be_prepared)
      throw schedule_error(
          "store_in", st.definition->name,
          "is prepared once only if it is computed at the root, without a reduction, for constant extents, "
          "and from constants");
    if (st.output) st.where = ir::memory::operand;
    else if (!st.where_given && can_be_prepared) st.where = ir::memory::prepared;
    else if (!st.where_given && at_root) st.where = ir::memory::workspace;
    if (at_root) known[i].value = st.where == ir::memory::prepared;  // else each call computes it, and its readers
  }
}

/// Checks that the numbers fit the arrays of a nest.
inline void check_size(plan const& p) {
  std::size_t loops = 0;
  for (auto const& st : p.stages) loops += st.order.size();
  if (p.stages.size() > most_stages_of_plan || loops > most_loops_of_plan)
    throw schedule_error("program", p.program->name,
                         "has " + std::to_string(p.stages.size()) + " stages of " + std::to_string(loops) +
                             " loops; at most " + std::to_string(most_stages_of_plan) + " of " +
                             std::to_string(most_loops_of_plan) + " can be scheduled");
}

}  // namespace detail

plan make_plan(space const& of) {
  plan p;
  p.knobs = of.knobs;
  detail::check_open_axes(*of.program);  // boundaries are arithmetic afterwards
  p.program = arith::canonicalize_boundaries(of.program);
  for (auto const& s : of.steps) p.program = detail::changed_program(p.program, s);
  p.program = arith::canonicalize_boundaries(p.program);  // boundaries that inlining combined
  detail::check_same_operands(*of.program, *p.program);
  detail::check_open_axes(*p.program);
  for (auto const& st : p.program->stages) p.stages.push_back(detail::plan_stage(p.program, st));
  for (auto& st : p.stages) detail::plan_accesses(p, st);
  for (auto const& s : of.steps) detail::apply_to_plan(p, s);
  detail::check_steps(p);
  detail::choose_memory(p);
  detail::check_size(p);
  return p;
}

}}  // namespace ttune::v0
