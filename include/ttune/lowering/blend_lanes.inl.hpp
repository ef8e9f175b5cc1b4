// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/lowering/blend_lanes.hpp"
#include "ttune/lowering/known_facts.hpp"
#include "ttune/lowering/scratch_reads.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

class lane_blender {
 public:
  ir::stmt visit(ir::stmt const& s) {
    if (auto const* c = ir::as<ir::conditional>(s)) return conditional(s, *c);
    if (ir::as<ir::store>(s))
      return ir::map_parts(
          s, [](ir::stmt const& part) { return part; },
          [&](ir::expr const& e) { return lane_.empty() ? e : blended(e, known_); });
    auto const saved = std::make_tuple(known_, rolled_, lane_);
    enter(s);
    auto made =
        ir::map_parts(s, [&](ir::stmt const& part) { return visit(part); }, [](ir::expr const& e) { return e; });
    std::tie(known_, rolled_, lane_) = saved;
    return made;
  }

 private:
  void enter(ir::stmt const& s) {
    auto const before = known_;
    declare(s, before.variables, known_.variables);
    if (auto const* l = ir::as<ir::let>(s); l && speaks_of_rolled(l->value)) rolled_.insert(l->variable);
    auto const* l = ir::as<ir::loop>(s);
    if (!l) return;
    bool const once = ir::is_constant(l->begin) && ir::is_constant(l->end) &&
                      known_.variables[l->variable].low == known_.variables[l->variable].high;
    bool const rolls = l->kind == ir::loop_kind::serial || l->kind == ir::loop_kind::parallel;
    if (rolls && !once) rolled_.insert(l->variable);
    if (l->kind == ir::loop_kind::vectorized && lane_.empty()) lane_ = l->variable;
  }

  [[nodiscard]] bool speaks_of_rolled(ir::expr const& e) const {
    return ir::contains(e, [&](ir::expr const& n) {
      auto const* v = ir::as<ir::variable>(n);
      return ir::as<ir::access>(n) || (v && rolled_.count(v->name) != 0);
    });
  }

  // ------------------------------------------------------------------------------------------------ conditions

  /// The parts of a conjunction: comparisons that differ between lanes and are unknown before run time, and all others.
  struct divided {
    std::vector<ir::expr> of_lanes;
    std::vector<ir::expr> others;
  };

  [[nodiscard]] divided parts_of(ir::expr const& condition) const {
    divided made;
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    for (auto const& part : parts) {
      auto const compared = as_data(part);
      (compared ? made.of_lanes : made.others).push_back(compared ? compared : part);
    }
    return made;
  }

  /// Returns such a comparison as one of data, with the lanes on its left side; null for another condition.
  [[nodiscard]] ir::expr as_data(ir::expr const& part) const {
    auto const form = arith::as_non_negative(part);
    auto const of_lane = form ? form->coefficient_of(lane_) : 0;
    if (of_lane == 0) return {};
    bool const unknown =
        std::any_of(form->terms.begin(), form->terms.end(), [&](auto const& t) { return rolled_.count(t.first) != 0; });
    auto const range = arith::bounds(*form, known_.variables);
    constexpr std::int64_t most = std::int64_t{1} << 30;
    if (!unknown || !arith::is_bounded(range)) return {};
    arith::linear_form rest{form->constant, {}};  // form >= 0 is -lanes <= rest
    for (auto const& [name, c] : form->terms)
      if (name != lane_) rest.add(ir::make_variable(name), c);
    auto const left = ir::make_variable(lane_) * -of_lane;
    auto const right = arith::from_linear(std::move(rest));
    auto const fits = [&](ir::expr const& e) {
      auto const b = arith::bounds(e, known_.variables);
      return -most < b.low && b.high < most;
    };
    auto const type = fits(left) && fits(right) ? dtype::i32 : dtype::i64;
    return ir::make_binary(ir::binary_op::less_equal, ir::make_cast(type, left), ir::make_cast(type, right));
  }

  // --------------------------------------------------------------------------------------------------- selects

  [[nodiscard]] ir::expr blended(ir::expr const& e, known_facts const& known) const {
    auto const* s = ir::as<ir::select>(e);
    if (!s) return ir::map_operands(e, [&](ir::expr const& o) { return blended(o, known); });
    auto const when_true = blended(s->when_true, known.where(s->condition));
    auto const when_false = blended(s->when_false, known);
    auto const parts = parts_of(s->condition);
    auto const marked = [&](ir::expr const& made) { return s->speculatable ? ir::make_speculatable(made) : made; };
    auto const others = arith::conjunction(parts.others);
    auto const where = known.where(others);
    if (parts.of_lanes.empty() || !where.allow(when_true) || !where.allow(when_false)) {
      if (when_true == s->when_true && when_false == s->when_false) return e;
      return marked(ir::make_select(s->condition, when_true, when_false));
    }
    auto const inner =
        ir::make_speculatable(ir::make_select(arith::conjunction(parts.of_lanes), when_true, when_false));
    return parts.others.empty() ? inner : marked(ir::make_select(others, inner, when_false));
  }

  // -------------------------------------------------------------------------------------------- conditional stores

  ir::stmt conditional(ir::stmt const& s, ir::conditional const& c) {
    if (!lane_.empty() && c.then && !c.otherwise) {
      auto const parts = parts_of(c.condition);
      auto const others = arith::conjunction(parts.others);
      auto const where = known_.where(others);
      if (!parts.of_lanes.empty() && accumulates(c.then, where)) {
        auto const stores = chosen(c.then, arith::conjunction(parts.of_lanes), where);
        return ir::make_conditional(others, stores);
      }
    }
    auto const saved = known_;
    known_ = saved.where(c.condition);
    auto const then = c.then ? visit(c.then) : c.then;
    known_ = saved;
    auto const otherwise = c.otherwise ? visit(c.otherwise) : c.otherwise;
    if (then == c.then && otherwise == c.otherwise) return s;
    return ir::make_conditional_like(c, c.condition, then, otherwise);
  }

  /// Returns true if all that a statement does is to add to elements of this thread, one for each lane.
  [[nodiscard]] bool accumulates(ir::stmt const& s, known_facts const& where) const {
    if (auto const* several = ir::as<ir::block>(s))
      return std::all_of(several->body.begin(), several->body.end(),
                         [&](ir::stmt const& part) { return accumulates(part, where); });
    auto const* w = ir::as<ir::store>(s);
    if (!w || (w->to->where != ir::memory::registers && w->to->where != ir::memory::local)) return false;
    auto const element = ir::make_access(w->to, w->indices);
    bool const moves = std::any_of(w->indices.begin(), w->indices.end(), [&](ir::expr const& i) {
      auto const form = arith::to_affine(i);
      return form && form->coefficient_of(lane_) != 0;
    });
    bool const adds = ir::contains(w->value, [&](ir::expr const& e) { return ir::equal(e, element); });
    return moves && adds && where.allow(element) && where.allow(w->value);
  }

  [[nodiscard]] ir::stmt chosen(ir::stmt const& s, ir::expr const& condition, known_facts const& where) const {
    if (auto const* several = ir::as<ir::block>(s)) {
      std::vector<ir::stmt> made;
      for (auto const& part : several->body) made.push_back(chosen(part, condition, where));
      return ir::make_block(std::move(made));
    }
    auto const* w = ir::as<ir::store>(s);
    auto const value = ir::make_select(condition, blended(w->value, where), ir::make_access(w->to, w->indices));
    return ir::make_store(w->to, w->indices, ir::make_speculatable(value));
  }

  known_facts known_;
  std::set<std::string> rolled_;  ///< variables that are known only at run time
  std::string lane_;              ///< variable of the vectorised loop
};

}  // namespace detail

ir::stmt blend_lanes(ir::stmt const& s) { return s ? detail::lane_blender().visit(s) : s; }

}}}  // namespace ttune::v0::lowering
