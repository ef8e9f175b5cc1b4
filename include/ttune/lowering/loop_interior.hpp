// SPDX-License-Identifier: Apache-2.0
// Finds the interior of a loop: the iterations in which the conditions of its body hold for all values of the loops
// inside. Only conditions that use an unrolled or vectorised loop count: in the interior nothing is left of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/partition_queries.hpp"
#include "ttune/lowering/redirected_index.hpp"
#include "ttune/lowering/store_conditions.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Iterations at either edge of a loop that become code of their own.
inline constexpr std::int64_t most_peeled = 3;

/// The loops between a condition and the loop that may be cut.
struct loops_inside {
  std::set<std::string> all;
  std::set<std::string> unrolled;  ///< unrolled or vectorised
  std::set<std::string> vectorized;
};

/// A condition inside of a loop, and which loops in between it uses.
struct found_condition {
  arith::affine form;
  bool unrolled = false;  ///< uses an unrolled or vectorised loop inside
  bool of_tile = false;   ///< is inside of a register tile and uses no loop between the tile and the loop
};

/// Returns true if a sum uses one of these variables.
[[nodiscard]] inline bool speaks_of(arith::affine const& form, std::set<std::string> const& variables) {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [&](auto const& t) { return variables.count(t.first) != 0; });
}

/// Collects the conditions of a statement: of its choices, of its conditionals, and of the indices that a boundary
/// redirects.
class condition_collector {
 public:
  /// `known` are the ranges of the variables around the statement.
  explicit condition_collector(arith::ranges known) : known_(std::move(known)) {}

  void visit(ir::stmt const& s) {
    if (!s) return;
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& c : n->body) visit(c);
    if (auto const* n = ir::as<ir::allocate>(s)) visit_allocate(*n);
    if (auto const* n = ir::as<ir::store>(s)) add_all_of(n->value);
    if (auto const* n = ir::as<ir::conditional>(s)) {
      add(n->condition);
      visit(n->then);
      visit(n->otherwise);
    }
    if (auto const* n = ir::as<ir::let>(s)) {
      inner_.all.insert(n->variable);
      known_[n->variable] = {n->low, n->high - 1};
      visit(n->body);
    }
    if (auto const* n = ir::as<ir::loop>(s)) visit_loop(*n);
  }

  [[nodiscard]] std::vector<found_condition> const& found() const noexcept { return found_; }
  /// Returns the ranges of all variables, those inside of the statement included.
  [[nodiscard]] arith::ranges const& known() const noexcept { return known_; }

 private:
  void visit_allocate(ir::allocate const& a) {
    auto const outside = inner_.all;
    auto const* const saved = before_tile_;
    if (!before_tile_ && in_registers(a)) before_tile_ = &outside;
    visit(a.body);
    before_tile_ = saved;
  }

  void visit_loop(ir::loop const& l) {
    inner_.all.insert(l.variable);
    if (is_unrolled(l.kind)) inner_.unrolled.insert(l.variable);
    if (l.kind == ir::loop_kind::vectorized) inner_.vectorized.insert(l.variable);
    auto const low = arith::bounds(l.begin, known_);
    auto const high = arith::bounds(l.end, known_);
    known_[l.variable] = {low.low, std::max(low.low, high.high - 1)};
    visit(l.body);
  }

  /// Adds each part of a condition that is affine. `of_lanes_only`: of the unrolled loops only vectorised ones count.
  void add(ir::expr const& condition, bool of_lanes_only = false) {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    for (auto const& p : parts) {
      auto form = arith::as_non_negative(p);
      if (!form) continue;
      found_condition f;
      f.unrolled = speaks_of(*form, of_lanes_only ? inner_.vectorized : inner_.unrolled);
      f.of_tile = before_tile_ && !speaks_of(*form, *before_tile_);
      f.form = std::move(*form);
      found_.push_back(std::move(f));
    }
  }

  void add_all_of(ir::expr const& value) {
    ir::for_each_node(value, [&](ir::expr const& n) {
      if (auto const* choice = ir::as<ir::select>(n)) add(choice->condition);
      std::vector<ir::expr> limits;
      if (auto const* turn = as_turn(n)) conditions_of_turn(*turn, known_, limits);
      for (auto const& limit : limits) add(arith::simplify(limit, known_), true);
    });
  }

  loops_inside inner_;
  arith::ranges known_;
  std::vector<found_condition> found_;
  std::set<std::string> const* before_tile_ = nullptr;  ///< inside of a register tile: the loops around the tile
};

/// Returns the part of [begin, end) in which every relevant condition holds for all values of the inner loops. `known`
/// are the ranges of the other variables around `body`. `outside_of_tiles`: leaves out conditions that are the same
/// for all register tiles.
[[nodiscard]] inline iterations interior(std::string const& variable, std::int64_t begin, std::int64_t end,
                                         ir::stmt const& body, arith::ranges known, bool outside_of_tiles = false) {
  known[variable] = {begin, end - 1};  // inner loops may begin at the variable
  condition_collector conditions(std::move(known));
  conditions.visit(body);
  iterations made{begin, end};
  for (auto const& f : conditions.found()) {
    auto const c = f.form.coefficient_of(variable);
    if (c == 0 || !f.unrolled || (outside_of_tiles && f.of_tile)) continue;
    auto const rest = arith::rest_of(f.form, variable, conditions.known());
    if (!rest) continue;
    auto one = iterations{begin, end};
    if (c > 0) one.low = std::max(begin, ceil_divide(-rest->low, c));
    else one.high = std::min(end, floor_divide(rest->low, -c) + 1);
    if (one.low >= one.high && end - begin > most_peeled) continue;  // no cut decides a condition such as j <= i
    made = {std::max(made.low, one.low), std::min(made.high, one.high)};
  }
  return made;
}

/// Returns the lanes of a vectorised loop in which no index is redirected.
[[nodiscard]] inline iterations plain_lanes(ir::loop const& l, std::int64_t begin, std::int64_t end,
                                            arith::ranges known) {
  iterations made{begin, end};
  known[l.variable] = {begin, end - 1};
  auto const speak = [&](ir::expr const& condition) {
    auto const form = arith::as_non_negative(condition);
    auto const c = form ? form->coefficient_of(l.variable) : 0;
    auto const rest = c != 0 ? arith::rest_of(*form, l.variable, known) : std::nullopt;
    if (!rest) return;
    if (c > 0) made.low = std::max(made.low, ceil_divide(-rest->low, c));
    else made.high = std::min(made.high, floor_divide(rest->low, -c) + 1);
  };
  for_each_value(l.body, [&](ir::expr const& value) {
    ir::for_each_node(value, [&](ir::expr const& e) {
      std::vector<ir::expr> limits;
      if (auto const* turn = as_turn(e)) conditions_of_turn(*turn, known, limits);
      for (auto const& limit : limits) speak(arith::simplify(limit, known));
    });
  });
  return made;
}

/// Returns true if the iterations before and after the interior are few enough to be code of their own.
[[nodiscard]] inline bool worth_cutting(iterations const& c, std::int64_t begin, std::int64_t end) {
  if (c.low <= begin && c.high >= end) return false;
  if (c.low >= c.high) return end - begin <= most_peeled;
  return c.low - begin <= most_peeled && end - c.high <= most_peeled;
}

/// Returns true if edges that are too long to be code of their own are short beside the interior.
[[nodiscard]] inline bool has_long_interior(iterations const& c, std::int64_t begin, std::int64_t end) {
  auto const edges = end - begin - (c.high - c.low);
  return c.low < c.high && edges > 0 && 4 * edges <= end - begin;
}

}}}}  // namespace ttune::v0::lowering::detail
