// SPDX-License-Identifier: Apache-2.0
// Decides which extents may stay open (capture/keep_open.hpp). Loops over an open axis end where the extent of a call
// does, so each index of a dimension with an open extent must be such an axis itself, be inside for the smallest
// extent, or be kept inside by a boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/arith/open_axis.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Checks the reads of one stage, with the conditions under which each is made.
class open_read_checker {
 public:
  open_read_checker(ir::program const& p, ir::stage const& reader) : reader_(reader), known_(arith::ranges_of(reader)) {
    auto const extents = arith::ranges_of_extents(p);
    known_.insert(extents.begin(), extents.end());
    everywhere_ = known_;
  }

  /// Throws schedule_error for the first read that may be outside.
  void run() {
    if (reader_.predicate) walk(reader_.predicate), learn(reader_.predicate);
    for (auto const& c : reader_.components) walk(c.value);
  }

 private:
  void walk(ir::expr const& e) {
    if (auto const* s = ir::as<ir::select>(e)) {
      walk(s->condition);
      walk_under(s->condition, s->when_true);
      return walk(s->when_false);
    }
    if (auto const* b = ir::as<ir::binary>(e); b && b->op == ir::binary_op::logical_and) {
      walk(b->left);
      return walk_under(b->left, b->right);
    }
    if (auto const* a = ir::as<ir::access>(e)) check(*a);
    ir::for_each_operand(e, [&](ir::expr const& o) { walk(o); });
  }

  void walk_under(ir::expr const& condition, ir::expr const& e) {
    auto const facts = facts_.size();
    auto const known = known_;
    learn(condition);
    walk(e);
    facts_.resize(facts);
    known_ = known;
  }

  void learn(ir::expr const& condition) {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    for (auto const& part : parts) {
      auto const* b = ir::as<ir::binary>(part);
      if (!b || b->left->type != dtype::index) continue;
      if (b->op != ir::binary_op::less && b->op != ir::binary_op::less_equal) continue;
      facts_.push_back(arith::to_linear(b->right - b->left));
      if (b->op == ir::binary_op::less) --facts_.back().constant;
      narrow(facts_.back());
    }
  }

  /// Narrows the range of the only variable of a fact.
  void narrow(arith::linear_form const& fact) {
    auto const* v = fact.terms.size() == 1 ? ir::as<ir::variable>(fact.terms[0].first) : nullptr;
    auto const at = v ? known_.find(v->name) : known_.end();
    if (at == known_.end()) return;
    auto const times = fact.terms[0].second;
    auto& [low, high] = at->second;
    if (times > 0) low = std::max(low, ceil_divide(-fact.constant, times));
    else high = std::min(high, floor_divide(fact.constant, -times));
  }

  /// Returns true if the conditions around a read never hold.
  [[nodiscard]] bool is_never_read() const {
    return std::any_of(known_.begin(), known_.end(), [](auto const& of) { return of.second.low > of.second.high; });
  }

  void check(ir::access const& read) const {
    if (is_never_read()) return;
    auto const extents = ir::extents_of(read.from);
    bool const is_guarded = read.outside == ir::boundary::value || read.outside == ir::boundary::clamp;  // it will be
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (extents[d].is_constant() || is_guarded) continue;
      auto const& extent = *extents[d].symbol;
      auto const index = arith::simplify(read.indices[d], everywhere_);  // as conditions are
      if (read.outside != ir::boundary::none)
        throw schedule_error("keep_open", reader_.name,
                             "wraps or mirrors reads outside of " + ir::name_of(read.from) + ", whose extent " +
                                 extent.name + " stays open: bind it with op.at({{" + extent.name + ", value}})");
      if (!is_below(index, extent) || !is_not_negative(index))
        throw schedule_error(
            "keep_open", reader_.name,
            "reads " + ir::name_of(read.from) + " at " + ir::print(index) +
                ", which may be outside of the open extent " + extent.name + ": read " + ir::name_of(read.from) +
                " by zero_outside or clamp_outside, or bind it with op.at({{" + extent.name + ", value}})");
    }
  }

  /// Returns true if a form is at least 0 by a condition around the read, or is such a constant. Quotients leave both
  /// sides: k - x / c >= 0 if c (k + 1) - x - 1 >= 0, and k + x / c >= 0 if c k + x >= 0.
  [[nodiscard]] bool is_known(arith::linear_form const& wanted) const {
    auto const follows = [](arith::linear_form const& rest) { return rest.is_constant() && rest.constant >= 0; };
    if (follows(wanted)) return true;
    for (auto const& fact : facts_) {
      auto rest = wanted;
      rest.add(fact, -1);
      if (follows(rest)) return true;
    }
    for (std::size_t t = 0; t < wanted.terms.size(); ++t) {
      auto const* quotient = ir::as<ir::binary>(wanted.terms[t].first);
      auto const times = wanted.terms[t].second;
      if (!quotient || quotient->op != ir::binary_op::floor_divide || !ir::is_constant(quotient->right) ||
          std::abs(times) != 1)
        continue;
      auto const by = ir::constant_integer(quotient->right);
      auto without = wanted;
      without.terms.erase(without.terms.begin() + static_cast<std::ptrdiff_t>(t));
      if (times < 0) ++without.constant;
      without.scale(by);
      without.add(arith::to_linear(quotient->left), times);
      if (times < 0) --without.constant;
      return is_known(without);
    }
    return false;
  }
  [[nodiscard]] bool is_known(ir::expr const& e) const { return is_known(arith::to_linear(e)); }

  [[nodiscard]] bool is_not_negative(ir::expr const& index) const {
    return arith::bounds(index, known_).low >= 0 || is_known(index);
  }

  /// Returns true if an index is below an open extent in every call.
  [[nodiscard]] bool is_below(ir::expr const& index, ir::dimension const& extent) const {
    if (arith::bounds(index, known_).high < extent.low || arith::ends_with(reader_, index, extent)) return true;
    if (auto const* b = ir::as<ir::binary>(index)) {
      if (b->op == ir::binary_op::minimum) return is_below(b->left, extent) || is_below(b->right, extent);
      if (b->op == ir::binary_op::maximum) return is_below(b->left, extent) && is_below(b->right, extent);
    }
    auto const size = ir::make_variable(ir::variable_of(extent));
    return is_known(size - index + -1) || is_known(ir::make_index(extent.low) - index + -1);
  }

  ir::stage const& reader_;
  arith::ranges known_;                    ///< of variables, where the walk is
  arith::ranges everywhere_;               ///< of variables, without the conditions around the walk
  std::vector<arith::linear_form> facts_;  ///< forms that are at least 0 where the walk is
};

/// Throws schedule_error for the first read of a program for which extents cannot stay open.
inline void check_open_axes(ir::program const& p) {
  if (!ir::keeps_extents_open(p)) return;
  for (auto const& s : p.stages) {
    for (auto const& a : s->reduction.axes)
      if (!a.end.is_constant() && a.begin != 0)
        throw schedule_error("keep_open", s->name,
                             "sums from " + std::to_string(a.begin) + " on to the open extent " + a.end.symbol->name);
    open_read_checker(p, *s).run();
  }
  for (auto const& t : p.inputs)
    for (auto const& e : t->shape)
      if (t->role == ir::tensor_role::constant && !e.is_constant())
        throw schedule_error("keep_open", t->name,
                             "is a constant with the open extent " + e.symbol->name + ": declare it as an input");
}

/// The dimensions of the operands of a program: the place of each extent among the open ones, or -1.
[[nodiscard]] inline std::vector<std::vector<std::int32_t>> places_in_operands(
    ir::program const& p, std::vector<handle<ir::dimension>> const& open) {
  std::vector<std::vector<std::int32_t>> made;
  for (auto const& t : p.inputs)
    if (t->role != ir::tensor_role::table) made.push_back(ir::places_among(open, t));
  for (auto const& s : p.outputs)
    for (std::size_t c = 0; c < s->components.size(); ++c) made.push_back(ir::places_among(open, s));
  return made;
}

/// Throws schedule_error if steps gave the operands other dimensions than calls give.
inline void check_same_operands(ir::program const& before, ir::program const& after) {
  auto const open = ir::open_extents(before);
  if (!open.empty() && places_in_operands(before, open) != places_in_operands(after, open))
    throw schedule_error("keep_open", before.name,
                         "would have operands of other dimensions than calls give, and some of these stay open");
}

}}}  // namespace ttune::v0::detail
