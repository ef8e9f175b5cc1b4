// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "ttune/arith/conditions.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/arith/symbolic_bounds.hpp"
#include "ttune/lowering/sampled_share.hpp"
#include "ttune/lowering/scratch_reads.hpp"
#include "ttune/lowering/split_at_diagonals.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

class diagonal_splitter {
 public:
  ir::stmt visit(ir::stmt const& s) {
    if (ir::as<ir::store>(s)) return s;
    auto const* l = ir::as<ir::loop>(s);
    if (l && l->kind >= ir::loop_kind::block_x) return s;
    if (l && l->kind == ir::loop_kind::serial && is_innermost(l->body)) return parts(s, *l, most_conditions);
    if (l && l->kind == ir::loop_kind::vectorized) return where_lanes_run(s, *l);
    auto const saved = known_;
    declare(s, saved, known_);
    auto made =
        ir::map_parts(s, [&](ir::stmt const& part) { return visit(part); }, [](ir::expr const& e) { return e; });
    known_ = saved;
    return made;
  }

 private:
  static constexpr int most_conditions = 2;        ///< for which one loop is cut
  static constexpr double least_iterations = 6;    ///< on average, of a loop that is cut
  static constexpr double most_on_diagonal = 0.5;  ///< share of the iterations

  static constexpr double most_running = 0.9;  ///< share of vectors with a lane that runs

  /// A comparison, and the places where it begins and ends to depend on what is inside of the loop.
  struct diagonal {
    ir::expr condition;
    ir::expr first;
    ir::expr second;
    bool holds_before = false;  ///< before `first`; behind `second` it is the other way round
  };

  static bool is_innermost(ir::stmt const& s) {
    auto const* l = ir::as<ir::loop>(s);
    bool found = !l || l->kind == ir::loop_kind::unrolled || l->kind == ir::loop_kind::vectorized ||
                 l->kind == ir::loop_kind::tensorized;
    for_each_part(s, [&](ir::stmt const& part) { found = found && is_innermost(part); });
    return found;
  }

  /// Returns a vector outside of such loops, as in an iteration that `partition` took from one, under the condition
  /// that one of its lanes runs.
  [[nodiscard]] ir::stmt where_lanes_run(ir::stmt const& s, ir::loop const& l) const {
    auto const* c = ir::as<ir::conditional>(l.body);
    if (!c || c->otherwise) return s;
    arith::ranges inner;
    declare_all(s, known_, inner);
    std::vector<ir::expr> parts;
    arith::conjuncts(c->condition, parts);
    std::erase_if(parts, [&](ir::expr const& part) {  // the others are the same in all lanes
      return !ir::contains(part, [&](ir::expr const& n) {
        auto const* v = ir::as<ir::variable>(n);
        return v && v->name == l.variable;
      });
    });
    auto const runs = arith::simplify(arith::may_hold(arith::conjunction(parts), inner), known_);
    bool const pays = !ir::is_constant(runs) && share_where(runs, known_) <= most_running;
    return pays ? ir::make_conditional(runs, s) : s;
  }

  // ------------------------------------------------------------------------------------------------ conditions

  /// Calls f(comparison) for the comparisons of indices that choose something.
  template <class F>
  static void for_each_comparison(ir::stmt const& s, F const& f) {
    auto const speak = [&](ir::expr const& condition) {
      ir::for_each_node(condition, [&](ir::expr const& n) {
        auto const* b = ir::as<ir::binary>(n);
        if (b && b->left->type == dtype::index && (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal))
          f(n);
      });
    };
    if (auto const* c = ir::as<ir::conditional>(s)) speak(c->condition);
    if (auto const* w = ir::as<ir::store>(s))
      ir::for_each_node(w->value, [&](ir::expr const& n) {
        if (auto const* choice = ir::as<ir::select>(n)) speak(choice->condition);
      });
    for_each_part(s, [&](ir::stmt const& part) { for_each_comparison(part, f); });
  }

  /// Returns where a comparison of the form c * variable + rest <= 0 changes in a loop.
  [[nodiscard]] std::optional<diagonal> diagonal_of(ir::expr const& comparison, ir::loop const& l,
                                                    arith::ranges const& inner) const {
    auto const* b = ir::as<ir::binary>(comparison);
    auto rest = arith::to_linear(b->left - b->right);
    if (b->op == ir::binary_op::less) rest.constant += 1;
    auto const variable = ir::make_variable(l.variable);
    std::int64_t c = 0;
    for (auto const& [atom, times] : rest.terms)
      if (ir::equal(atom, variable)) c = times;
    if (c == 0) return std::nullopt;
    rest.add(variable, -c);
    auto const whole = arith::from_linear(rest);
    auto const uses = [](ir::expr const& e, auto const& test) {
      return ir::contains(e, [&](ir::expr const& n) {
        auto const* v = ir::as<ir::variable>(n);
        return v && test(v->name);
      });
    };
    if (uses(whole, [&](std::string const& name) { return name == l.variable; })) return std::nullopt;
    auto const low = arith::least(whole, inner);
    auto const high = arith::greatest(whole, inner);
    auto const varies = [&](std::string const& name) {
      auto const it = known_.find(name);
      return it == known_.end() || it->second.low != it->second.high;
    };
    if (!low || !high || !uses(low, varies)) return std::nullopt;
    // the first iteration in which c * variable + e <= 0 changes: before it, it holds if c > 0
    auto const change = [&](ir::expr const& e) {
      auto const negative = ir::make_index(0) - e;
      return c > 0 ? ir::make_binary(ir::binary_op::floor_divide, negative, ir::make_index(c)) + 1
                   : ir::make_binary(ir::binary_op::floor_divide, e + (-c - 1), ir::make_index(-c));
    };
    diagonal made;
    made.condition = comparison;
    made.holds_before = c > 0;
    auto const inside = [&](ir::expr const& e) {
      auto const from_begin = ir::make_binary(ir::binary_op::maximum, e, l.begin);
      return arith::simplify(ir::make_binary(ir::binary_op::minimum, from_begin, l.end), known_);
    };
    made.first = inside(change(c > 0 ? high : low));
    made.second = inside(change(c > 0 ? low : high));  // not before `first`: the bounds have one form
    return made;
  }

  /// Returns the share of a loop's iterations that lie on a diagonal, 1 if it is not worth a cut.
  [[nodiscard]] double share_on(diagonal const& d, ir::loop const& l) const {
    double all = 0;
    double between = 0;
    int samples = 0;
    for_each_sample({d.first, d.second, l.begin, l.end}, known_, [&](arith::ranges const& at) {
      auto const length = [&](ir::expr const& low, ir::expr const& high) {
        auto const n = arith::simplify(high - low, at);
        return ir::is_constant(n) ? static_cast<double>(std::max<std::int64_t>(0, ir::constant_integer(n))) : 0.0;
      };
      all += length(l.begin, l.end);
      between += length(d.first, d.second);
      ++samples;
    });
    if (all < least_iterations * samples) return 1;
    return between / all;
  }

  [[nodiscard]] std::optional<diagonal> choose(ir::loop const& l) const {
    std::optional<diagonal> best;
    double least_share = most_on_diagonal;
    std::vector<ir::expr> seen;
    auto known = known_;
    known[l.variable] = {arith::bounds(l.begin, known_).low, arith::bounds(l.end, known_).high};
    arith::ranges inner;
    declare_all(l.body, known, inner);
    for_each_comparison(l.body, [&](ir::expr const& comparison) {
      if (std::any_of(seen.begin(), seen.end(), [&](ir::expr const& e) { return ir::equal(e, comparison); })) return;
      seen.push_back(comparison);
      auto found = diagonal_of(comparison, l, inner);
      if (!found) return;
      if (auto const share = share_on(*found, l); share < least_share) best = std::move(found), least_share = share;
    });
    return best;
  }

  // ----------------------------------------------------------------------------------------------------- loops

  [[nodiscard]] static ir::stmt decided(ir::stmt const& s, ir::expr const& condition, bool holds) {
    return ir::rewrite(
        s, [](ir::stmt const& part) { return part; },
        [&](ir::expr const& e) {
          return ir::rewrite(e, [&](ir::expr const& n) { return ir::equal(n, condition) ? ir::make_bool(holds) : n; });
        });
  }

  ir::stmt parts(ir::stmt const& s, ir::loop const& l, int conditions) const {
    auto const found = conditions > 0 ? choose(l) : std::nullopt;
    if (!found) return s;
    auto const part = [&](ir::expr const& begin, ir::expr const& end, ir::stmt const& body) -> ir::stmt {
      if (!body || ir::equal(begin, end)) return {};
      auto const made = ir::make_loop(l.variable, begin, end, l.kind, body);
      return parts(made, *ir::as<ir::loop>(made), conditions - 1);
    };
    std::vector<ir::stmt> made;
    made.push_back(part(l.begin, found->first, decided(l.body, found->condition, found->holds_before)));
    made.push_back(part(found->first, found->second, l.body));
    made.push_back(part(found->second, l.end, decided(l.body, found->condition, !found->holds_before)));
    return ir::make_block(std::move(made));
  }

  arith::ranges known_;
};

}  // namespace detail

ir::stmt split_at_diagonals(ir::stmt const& s) { return s ? detail::diagonal_splitter().visit(s) : s; }

}}}  // namespace ttune::v0::lowering
