// SPDX-License-Identifier: Apache-2.0
// Simplifies one expression by the rules of simplify.hpp. Only bodies include it.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/arith/linear_terms.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace arith { namespace detail {

/// Turns index expressions into linear forms from the leaves up. A form becomes an expression again only where one is
/// needed (an atom, the result), so that the terms of long sums are collected once.
class index_simplifier {
 public:
  explicit index_simplifier(ranges const& known) : known_(known) {}

  [[nodiscard]] ir::expr any(ir::expr const& e) const {
    if (e->type == dtype::index) return index(e);
    if (e->type == dtype::boolean) return condition(e);
    return keep_if_rebuilt(e);
  }

 private:
  using op = ir::binary_op;

  // ------------------------------------------------------------------------------------------------ indices

  [[nodiscard]] ir::expr index(ir::expr const& e) const { return keep_if_equal(e, from_linear(form(e))); }

  [[nodiscard]] linear_form form(ir::expr const& e) const {
    if (auto const* c = ir::as<ir::constant>(e)) return {c->integer, {}};
    if (auto const* v = ir::as<ir::variable>(e)) return variable_form(e, v->name);
    if (auto const* b = ir::as<ir::binary>(e)) return binary_form(e, *b);
    auto const atom = keep_if_rebuilt(e);
    return ir::as<ir::select>(atom) || atom == e ? linear_form{0, {{atom, 1}}} : form(atom);
  }

  [[nodiscard]] linear_form variable_form(ir::expr const& e, std::string const& name) const {
    auto const it = known_.find(name);
    if (it != known_.end() && it->second.low == it->second.high) return {it->second.low, {}};
    return {0, {{e, 1}}};
  }

  [[nodiscard]] linear_form binary_form(ir::expr const& e, ir::binary const& b) const {
    auto left = form(b.left);
    auto right = form(b.right);
    switch (b.op) {
      case op::add: left.add(right); return joined(std::move(left));
      case op::subtract: left.add(right, -1); return joined(std::move(left));
      case op::multiply:
        if (left.is_constant()) std::swap(left, right);
        if (!right.is_constant()) return atom(e, b, left, right);
        left.scale(right.constant);
        return left;
      case op::floor_divide:
        return right.is_constant() && right.constant > 0 ? quotient(std::move(left), right.constant)
                                                         : atom(e, b, left, right);
      case op::floor_modulo:
        return right.is_constant() && right.constant > 0 ? remainder(left, right.constant) : atom(e, b, left, right);
      case op::minimum:
      case op::maximum: return extreme(e, b, left, right);
      default: return atom(e, b, left, right);
    }
  }

  /// Returns `e` itself if its operands did not change.
  [[nodiscard]] linear_form atom(ir::expr const& e, ir::binary const& b, linear_form const& left,
                                 linear_form const& right) const {
    auto made = ir::make_binary(b.op, from_linear(left), from_linear(right));
    if (auto const* c = ir::as<ir::constant>(made)) return {c->integer, {}};
    return {0, {{keep_if_equal(e, std::move(made)), 1}}};
  }

  [[nodiscard]] static linear_form divided(op what, linear_form const& form, std::int64_t by) {
    auto made = ir::make_binary(what, from_linear(form), ir::make_index(by));
    return to_linear(made);
  }

  /// Applies a / c * (c k) + a % c * k = a * k.
  [[nodiscard]] static linear_form joined(linear_form form) {
    for (std::size_t r = 0; r < form.terms.size(); ++r) {
      auto const* rest = ir::as<ir::binary>(form.terms[r].first);
      if (!rest || rest->op != op::floor_modulo || !ir::is_constant(rest->right)) continue;
      auto const by = ir::constant_integer(rest->right);
      for (std::size_t q = 0; q < form.terms.size(); ++q) {
        auto const* whole = ir::as<ir::binary>(form.terms[q].first);
        if (!whole || whole->op != op::floor_divide || !ir::is_constant(whole->right, by)) continue;
        if (form.terms[q].second != by * form.terms[r].second || !ir::equal(whole->left, rest->left)) continue;
        auto const inner = to_linear(rest->left);
        auto const times = form.terms[r].second;
        form.terms.erase(form.terms.begin() + static_cast<std::ptrdiff_t>(std::max(q, r)));
        form.terms.erase(form.terms.begin() + static_cast<std::ptrdiff_t>(std::min(q, r)));
        form.add(inner, times);
        return joined(std::move(form));
      }
    }
    return form;
  }

  /// Splits a form into the multiples of `by` and the rest. The constant is split towards zero.
  [[nodiscard]] static std::pair<linear_form, linear_form> parted(linear_form const& form, std::int64_t by) {
    std::pair<linear_form, linear_form> made;
    made.first.constant = form.constant / by;
    made.second.constant = form.constant % by;
    for (auto const& [atom, c] : form.terms) {
      if (c % by == 0) made.first.terms.emplace_back(atom, c / by);
      else made.second.terms.emplace_back(atom, c);
    }
    return made;
  }

  [[nodiscard]] static std::int64_t shared_factor(linear_form const& form, std::int64_t with) {
    for (auto const& t : form.terms) with = std::gcd(with, t.second);
    return with;
  }

  /// Returns true, and the quotient, if all values of the form have the same quotient.
  [[nodiscard]] bool one_quotient(linear_form const& form, std::int64_t by, std::int64_t& q) const {
    auto const range = bounds(form, known_);
    if (!is_bounded(range)) return false;
    q = floor_divide(range.low, by);
    return q == floor_divide(range.high, by);
  }

  [[nodiscard]] linear_form quotient(linear_form form, std::int64_t by) const {
    std::int64_t q = 0;
    if (one_quotient(form, by, q)) return {q, {}};
    auto [whole, rest] = parted(form, by);
    if (one_quotient(rest, by, q)) {
      whole.constant += q;
      return joined(std::move(whole));
    }
    if (auto const shared = shared_factor(rest, by); shared > 1) {
      for (auto& t : rest.terms) t.second /= shared;
      by /= shared;
      rest.constant = floor_divide(rest.constant, shared);
      whole.constant += rest.constant / by;
      rest.constant %= by;
    }
    if (rest.terms.size() == 1 && rest.terms[0].second == 1)
      if (auto const* inner = ir::as<ir::binary>(rest.terms[0].first); inner && inner->op == op::floor_divide &&
                                                                       ir::is_constant(inner->right) &&
                                                                       ir::constant_integer(inner->right) > 0) {
        auto const k = ir::constant_integer(inner->right);
        auto all = to_linear(inner->left);
        all.constant += rest.constant * k;
        whole.add(quotient(std::move(all), by * k));
        return joined(std::move(whole));
      }
    whole.add(divided(op::floor_divide, rest, by));
    return joined(std::move(whole));
  }

  [[nodiscard]] linear_form remainder(linear_form const& given, std::int64_t by) const {
    auto rest = parted(without_modulo(given, by), by).second;
    std::int64_t q = 0;
    if (one_quotient(rest, by, q)) {
      rest.constant -= q * by;
      return rest;
    }
    auto const shared = shared_factor(rest, by);
    if (shared == 1) return divided(op::floor_modulo, rest, by);
    auto const below = floor_modulo(rest.constant, shared);
    for (auto& t : rest.terms) t.second /= shared;
    rest.constant = floor_divide(rest.constant, shared);
    auto made = remainder(rest, by / shared);
    made.scale(shared);
    made.constant += below;
    return made;
  }

  /// Replaces a % (by * k) by a, which differs by a multiple of `by`.
  [[nodiscard]] static linear_form without_modulo(linear_form const& form, std::int64_t by) {
    linear_form made{form.constant, {}};
    for (auto const& [atom, c] : form.terms) {
      auto const* inner = ir::as<ir::binary>(atom);
      bool const drops = inner && inner->op == op::floor_modulo && ir::is_constant(inner->right) &&
                         ir::constant_integer(inner->right) > 0 && (c * ir::constant_integer(inner->right)) % by == 0;
      if (drops) made.add(without_modulo(to_linear(inner->left), by), c);
      else made.add(atom, c);
    }
    return made;
  }

  [[nodiscard]] linear_form extreme(ir::expr const& e, ir::binary const& b, linear_form const& left,
                                    linear_form const& right) const {
    bool const smaller = b.op == op::minimum;
    auto difference = right;
    difference.add(left, -1);
    auto const range = bounds(difference, known_);
    if (range.low >= 0) return smaller ? left : right;
    if (range.high <= 0) return smaller ? right : left;
    if (left.is_constant()) return extreme(e, b, right, left);
    if (right.is_constant() && left.terms.size() == 1 && left.terms[0].second == 1 && left.constant == 0)
      if (auto const* inner = ir::as<ir::binary>(left.terms[0].first);
          inner && inner->op == b.op && ir::is_constant(inner->right)) {
        auto const k = ir::constant_integer(inner->right);
        linear_form const both{smaller ? std::min(k, right.constant) : std::max(k, right.constant), {}};
        return atom(e, b, to_linear(inner->left), both);
      }
    return atom(e, b, left, right);
  }

  // --------------------------------------------------------------------------------------------- conditions

  [[nodiscard]] ir::expr condition(ir::expr const& e) const {
    if (auto const* u = ir::as<ir::unary>(e); u && u->op == ir::unary_op::logical_not) return negation(e, *u);
    auto const* b = ir::as<ir::binary>(e);
    if (!b) return keep_if_rebuilt(e);
    if (b->op == op::logical_and) return conjunction_of(e);
    bool const of_indices = b->left->type == dtype::index;
    if (of_indices && (b->op == op::less || b->op == op::less_equal)) return keep_if_equal(e, comparison(*b));
    if (of_indices && (b->op == op::equal || b->op == op::not_equal)) return keep_if_equal(e, equation(*b));
    return keep_if_rebuilt(e);
  }

  [[nodiscard]] ir::expr negation(ir::expr const& e, ir::unary const& u) const {
    auto const inner = condition(u.operand);
    auto const* b = ir::as<ir::binary>(inner);
    if (b && b->left->type == dtype::index && b->op == op::less)
      return condition(ir::make_binary(op::less_equal, b->right, b->left));
    if (b && b->left->type == dtype::index && b->op == op::less_equal)
      return condition(ir::make_binary(op::less, b->right, b->left));
    if (b && (b->op == op::equal || b->op == op::not_equal))
      return ir::make_binary(b->op == op::equal ? op::not_equal : op::equal, b->left, b->right);
    if (auto const* twice = ir::as<ir::unary>(inner); twice && twice->op == ir::unary_op::logical_not)
      return twice->operand;
    return inner == u.operand ? e : ir::make_unary(u.op, inner);
  }

  [[nodiscard]] ir::expr comparison(ir::binary const& b) const {
    auto difference = form(b.right);
    difference.add(form(b.left), -1);
    if (b.op == op::less) difference.constant -= 1;
    return non_negative(joined(std::move(difference)));
  }

  /// Returns the condition form >= 0.
  [[nodiscard]] ir::expr non_negative(linear_form form) const {
    auto const range = bounds(form, known_);
    if (range.low >= 0) return ir::make_bool(true);
    if (range.high < 0) return ir::make_bool(false);
    auto const shared = shared_factor(form, 0);
    for (auto& t : form.terms) t.second /= shared;
    form.constant = floor_divide(form.constant, shared);
    if (form.terms.size() == 1)
      if (auto const* inner = ir::as<ir::binary>(form.terms[0].first))
        if (auto made = of_one_atom(*inner, form.terms[0].second > 0, form.constant)) return made;
    return sided(op::less_equal, form);
  }

  /// Returns ±(a op b) + k >= 0 as a condition on a and b; null if there is none.
  [[nodiscard]] ir::expr of_one_atom(ir::binary const& b, bool positive, std::int64_t k) const {
    if (b.op == op::floor_divide && ir::is_constant(b.right) && ir::constant_integer(b.right) > 0) {
      auto const by = ir::constant_integer(b.right);
      auto inner = to_linear(b.left);
      if (!positive) inner.scale(-1);
      inner.constant += positive ? k * by : (k + 1) * by - 1;
      return non_negative(std::move(inner));
    }
    bool const both = (b.op == op::minimum && positive) || (b.op == op::maximum && !positive);
    if (!both) return {};
    auto const side = [&](ir::expr const& e) {
      auto inner = to_linear(e);
      if (!positive) inner.scale(-1);
      inner.constant += k;
      return non_negative(std::move(inner));
    };
    return condition(ir::make_binary(op::logical_and, side(b.left), side(b.right)));
  }

  [[nodiscard]] ir::expr equation(ir::binary const& b) const {
    auto difference = form(b.left);
    difference.add(form(b.right), -1);
    difference = joined(std::move(difference));
    auto const range = bounds(difference, known_);
    bool const same = range == interval{0, 0};
    auto const shared = shared_factor(difference, 0);
    bool const never = range.low > 0 || range.high < 0 || (shared != 0 && difference.constant % shared != 0);
    if (same || never) return ir::make_bool(same == (b.op == op::equal));
    for (auto& t : difference.terms) t.second /= shared;
    difference.constant /= shared;
    auto const first =
        std::min_element(difference.terms.begin(), difference.terms.end(), [](auto const& x, auto const& y) {
          return stands_before({x.first, std::abs(x.second)}, {y.first, std::abs(y.second)});
        });
    if (first->second < 0) difference.scale(-1);
    return sided(b.op, difference);
  }

  /// Returns form >= 0 (or == 0) with the negative terms on the left and the positive terms on the right.
  [[nodiscard]] static ir::expr sided(op what, linear_form const& form) {
    linear_form left;
    linear_form right;
    for (auto const& [atom, c] : form.terms) (c < 0 ? left : right).terms.emplace_back(atom, std::abs(c));
    if (what != op::less_equal) {  // put the side with terms on the left
      right.constant = 0;
      if (left.terms.empty()) return ir::make_binary(what, from_linear(right), ir::make_index(-form.constant));
      (form.constant > 0 ? right : left).constant = std::abs(form.constant);
      return ir::make_binary(what, from_linear(right), from_linear(left));
    }
    if (right.terms.empty())  // left < c reads better than left <= c - 1
      return ir::make_binary(op::less, from_linear(left), ir::make_index(form.constant + 1));
    if (left.terms.empty()) return ir::make_binary(op::less_equal, ir::make_index(-form.constant), from_linear(right));
    if (form.constant >= 0) {
      right.constant = form.constant;
      return ir::make_binary(op::less_equal, from_linear(left), from_linear(right));
    }
    left.constant = -form.constant - 1;
    return ir::make_binary(op::less, from_linear(left), from_linear(right));
  }

  // -------------------------------------------------------------------------------------------- conjunctions

  static void collect_parts(ir::expr const& e, std::vector<ir::expr>& parts) {
    if (auto const* b = ir::as<ir::binary>(e); b && b->op == op::logical_and) {
      collect_parts(b->left, parts);
      collect_parts(b->right, parts);
    } else {
      parts.push_back(e);
    }
  }

  /// Returns a <= b as b - a >= 0; nothing for other conditions.
  static bool as_difference(ir::expr const& e, linear_form& difference) {
    auto const* b = ir::as<ir::binary>(e);
    if (!b || b->left->type != dtype::index || (b->op != op::less && b->op != op::less_equal)) return false;
    difference = to_linear(b->right);
    difference.add(to_linear(b->left), -1);
    if (b->op == op::less) difference.constant -= 1;
    return true;
  }

  /// Returns true if `a` makes `b` superfluous: they are equal, or the same sum with a stricter constant.
  static bool implies(ir::expr const& a, ir::expr const& b) {
    if (ir::equal(a, b)) return true;
    linear_form x;
    linear_form y;
    if (!as_difference(a, x) || !as_difference(b, y) || x.constant > y.constant) return false;
    y.add(x, -1);
    return y.is_constant();
  }

  [[nodiscard]] ir::expr conjunction_of(ir::expr const& e) const {
    std::vector<ir::expr> given;
    collect_parts(e, given);
    std::vector<ir::expr> kept;
    for (auto const& part : given) {
      std::vector<ir::expr> made;
      collect_parts(condition(part), made);
      for (auto const& p : made) add_part(kept, p);
    }
    auto all = ir::make_bool(true);
    for (auto const& p : kept) all = ir::make_binary(op::logical_and, all, p);
    return keep_if_equal(e, std::move(all));
  }

  static void add_part(std::vector<ir::expr>& kept, ir::expr const& part) {
    for (auto& k : kept) {
      if (implies(k, part)) return;
      if (implies(part, k)) {
        k = part;
        return;
      }
    }
    kept.push_back(part);
  }

  // -------------------------------------------------------------------------------------------- the rest

  /// Simplifies the operands. A select with a decided condition becomes one of its arms.
  [[nodiscard]] ir::expr keep_if_rebuilt(ir::expr const& e) const {
    auto made = ir::map_operands(e, [&](ir::expr const& o) { return any(o); });
    if (auto const* s = ir::as<ir::select>(made); s && ir::equal(s->when_true, s->when_false)) return s->when_true;
    return made;
  }

  ranges const& known_;
};

}}}}  // namespace ttune::v0::arith::detail
