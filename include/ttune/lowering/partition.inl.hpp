// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/lowering/partition.hpp"
#include "ttune/lowering/store_conditions.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Returns a choice between two expressions, neither of which is a constant: two kinds of elements, not a boundary.
inline ir::select const* as_choice(ir::expr const& e) {
  auto const* s = ir::as<ir::select>(e);
  return s && !ir::is_constant(s->when_true) && !ir::is_constant(s->when_false) ? s : nullptr;
}

/// Calls f for each store inside of a statement.
template <class F>
void for_each_store(ir::stmt const& s, F const& f) {
  if (!s) return;
  if (auto const* n = ir::as<ir::store>(s)) f(*n);
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) for_each_store(c, f);
  if (auto const* n = ir::as<ir::allocate>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::let>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::loop>(s)) for_each_store(n->body, f);
  if (auto const* n = ir::as<ir::conditional>(s)) for_each_store(n->then, f), for_each_store(n->otherwise, f);
}

template <class F>
void for_each_value(ir::stmt const& s, F const& f) {
  for_each_store(s, [&](ir::store const& w) { f(w.value); });
}

/// Returns true if a statement contains such a choice that compares an index.
inline bool has_choices(ir::stmt const& all) {
  bool found = false;
  for_each_value(all, [&](ir::expr const& value) {
    found = found || ir::contains(value, [](ir::expr const& e) {
              auto const* s = as_choice(e);
              auto const* b = s ? ir::as<ir::binary>(s->condition) : nullptr;
              return b && b->left->type == dtype::index &&
                     (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal);
            });
  });
  return found;
}

/// Rewrites a statement tree from the outside to the inside.
class partitioner {
 public:
  explicit partitioner(bool has_choices = false) : has_choices_(has_choices) {}

  ir::stmt visit(ir::stmt const& s) {
    if (auto const* n = ir::as<ir::block>(s)) {
      std::vector<ir::stmt> body;
      for (auto const& c : n->body) body.push_back(visit(c));
      return ir::make_block(std::move(body));
    }
    if (auto const* n = ir::as<ir::allocate>(s)) return visit_allocate(*n);
    if (auto const* n = ir::as<ir::conditional>(s))
      return ir::make_conditional(arith::simplify(n->condition, known_), visit(n->then),
                                  n->otherwise ? visit(n->otherwise) : ir::stmt{});
    if (auto const* n = ir::as<ir::let>(s)) return visit_let(*n);
    if (auto const* n = ir::as<ir::loop>(s)) return visit_loop(*n);
    if (auto const* n = ir::as<ir::store>(s); n && chooses(n->value)) return arith::simplify(s, known_);
    return s;
  }

 private:
  static bool chooses(ir::expr const& e) {
    return ir::contains(e, [](ir::expr const& n) { return ir::as<ir::select>(n) || as_turn(n); });
  }

  /// Returns an index that a boundary redirects: limited, mirrored or periodic; otherwise null.
  static ir::binary const* as_turn(ir::expr const& e) {
    auto const* b = ir::as<ir::binary>(e);
    if (!b || e->type != dtype::index) return nullptr;
    bool const turns = b->op == ir::binary_op::minimum || b->op == ir::binary_op::maximum ||
                       (b->op == ir::binary_op::floor_modulo && ir::is_constant(b->right));
    return turns ? b : nullptr;
  }

  /// Returns the index as it is between the limits, where nothing redirects it.
  static ir::expr straight(ir::expr const& e) {
    auto const* turn = as_turn(e);
    return turn ? straight(turn->left) : ir::map_operands(e, straight);
  }

  /// Appends the conditions under which the index is not redirected: left >= limit, left <= limit, 0 <= left < period.
  static void conditions_of_turn(ir::binary const& turn, arith::ranges const& known, std::vector<ir::expr>& out) {
    auto const inner = straight(turn.left);
    auto const limit = straight(turn.right);
    if (turn.op == ir::binary_op::minimum)
      return out.push_back(ir::make_binary(ir::binary_op::less_equal, inner, limit));
    if (turn.op == ir::binary_op::maximum)
      return out.push_back(ir::make_binary(ir::binary_op::less_equal, limit, inner));
    auto const period = ir::constant_integer(limit);
    auto const range = arith::bounds(inner, known);
    if (range.low <= -period || range.high >= 2 * period) return;  // there are too many periods
    out.push_back(ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), inner));
    out.push_back(ir::make_binary(ir::binary_op::less, inner, limit));
  }

  /// The loops between a condition and the loop that may be cut.
  struct loops_inside {
    std::set<std::string> all;
    std::set<std::string> unrolled;  ///< unrolled or vectorised
    std::set<std::string> vectorized;
  };

  static constexpr std::int64_t most_peeled = 3;  ///< iterations at either edge that become code of their own

  /// A condition inside of a loop, and which loops in between it uses.
  struct found_condition {
    arith::affine form;
    bool unrolled = false;  ///< uses an unrolled or vectorised loop inside
    bool deeper = false;    ///< uses any loop inside
    bool of_tile = false;   ///< is inside of a register tile and uses no loop between the tile and the loop
  };

  /// A variable that could be cut, but whose conditions are all inside of register tiles and the same for all tiles in
  /// between. The choice is made at the tiles, so that the differing code, the first values of a tile and its transfer
  /// to memory, exists once: it takes longer to compile than the products.
  struct postponed {
    std::string variable;
    std::int64_t begin;
    std::int64_t end;
  };

  static bool is_unrolled(ir::loop_kind k) {
    return k == ir::loop_kind::unrolled || k == ir::loop_kind::vectorized || k == ir::loop_kind::tensorized;
  }

  static bool in_registers(ir::allocate const& a) { return a.storage->where == ir::memory::registers; }

  static bool speaks_of(arith::affine const& form, std::set<std::string> const& variables) {
    return std::any_of(form.terms.begin(), form.terms.end(),
                       [&](auto const& t) { return variables.count(t.first) != 0; });
  }

  void collect(ir::stmt const& s, loops_inside& inner, arith::ranges& known, std::vector<found_condition>& out,
               std::set<std::string> const* before_tile = nullptr) const {
    auto const speak = [&](ir::expr const& condition, bool of_lanes_only = false) {
      std::vector<ir::expr> parts;
      arith::conjuncts(condition, parts);
      for (auto const& p : parts) {
        auto form = arith::as_non_negative(p);
        if (!form) continue;
        found_condition f;
        f.unrolled = speaks_of(*form, of_lanes_only ? inner.vectorized : inner.unrolled);
        f.deeper = speaks_of(*form, inner.all);
        f.of_tile = before_tile && !speaks_of(*form, *before_tile);
        f.form = std::move(*form);
        out.push_back(std::move(f));
      }
    };
    auto const speak_inside = [&](ir::expr const& e) {
      ir::for_each_node(e, [&](ir::expr const& n) {
        if (auto const* choice = ir::as<ir::select>(n)) speak(choice->condition);
        std::vector<ir::expr> limits;
        if (auto const* turn = as_turn(n)) conditions_of_turn(*turn, known, limits);
        for (auto const& limit : limits) speak(arith::simplify(limit, known), true);
      });
    };
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& c : n->body) collect(c, inner, known, out, before_tile);
    if (auto const* n = ir::as<ir::allocate>(s)) {
      auto const outside = inner.all;
      collect(n->body, inner, known, out, before_tile || !in_registers(*n) ? before_tile : &outside);
    }
    if (auto const* n = ir::as<ir::store>(s)) speak_inside(n->value);
    if (auto const* n = ir::as<ir::conditional>(s)) {
      speak(n->condition);
      if (n->then) collect(n->then, inner, known, out, before_tile);
      if (n->otherwise) collect(n->otherwise, inner, known, out, before_tile);
    }
    if (auto const* n = ir::as<ir::let>(s)) {
      inner.all.insert(n->variable);
      known[n->variable] = {n->low, n->high - 1};
      collect(n->body, inner, known, out, before_tile);
    }
    if (auto const* n = ir::as<ir::loop>(s)) {
      inner.all.insert(n->variable);
      if (is_unrolled(n->kind)) inner.unrolled.insert(n->variable);
      if (n->kind == ir::loop_kind::vectorized) inner.vectorized.insert(n->variable);
      auto const low = arith::bounds(n->begin, known);
      auto const high = arith::bounds(n->end, known);
      known[n->variable] = {low.low, std::max(low.low, high.high - 1)};
      collect(n->body, inner, known, out, before_tile);
    }
  }

  /// Returns the part of [begin, end) in which every relevant condition holds for all values of the inner loops.
  iterations interior(std::string const& variable, std::int64_t begin, std::int64_t end, ir::stmt const& body,
                      bool outside_of_tiles = false) const {
    loops_inside inner;
    auto known = known_;
    known[variable] = {begin, end - 1};  // inner loops may begin at the variable
    std::vector<found_condition> conditions;
    collect(body, inner, known, conditions);
    iterations made{begin, end};
    for (auto const& f : conditions) {
      auto const c = f.form.coefficient_of(variable);
      if (c == 0 || !f.unrolled || (outside_of_tiles && f.of_tile)) continue;
      auto const rest = arith::rest_of(f.form, variable, known);
      if (!rest) continue;
      auto one = iterations{begin, end};
      if (c > 0) one.low = std::max(begin, ceil_divide(-rest->low, c));
      else one.high = std::min(end, floor_divide(rest->low, -c) + 1);
      if (one.low >= one.high && end - begin > most_peeled) continue;  // no cut decides a condition such as j <= i
      made = {std::max(made.low, one.low), std::min(made.high, one.high)};
    }
    return made;
  }

  ir::stmt with_range(std::string const& variable, std::int64_t low, std::int64_t high, ir::stmt const& body,
                      std::vector<postponed> const& further = {}) {
    auto const saved = known_;
    known_[variable] = {low, high - 1};
    auto made = choose(further, body);
    known_ = saved;
    return made;
  }

  ir::stmt single(std::string const& variable, std::int64_t at, ir::stmt const& body) {
    return ir::make_let(variable, ir::make_index(at), at, at + 1, with_range(variable, at, at + 1, body));
  }

  bool worth_cutting(iterations const& c, std::int64_t begin, std::int64_t end) const {
    if (c.low <= begin && c.high >= end) return false;
    if (c.low >= c.high) return end - begin <= most_peeled;
    return c.low - begin <= most_peeled && end - c.high <= most_peeled;
  }

  /// Returns true if a statement has a barrier: all threads must reach it, so no choice by thread may surround it.
  static bool has_barrier(ir::stmt const& s) {
    if (!s) return false;
    if (ir::as<ir::barrier>(s)) return true;
    if (auto const* n = ir::as<ir::block>(s)) return std::any_of(n->body.begin(), n->body.end(), has_barrier);
    if (auto const* n = ir::as<ir::allocate>(s)) return has_barrier(n->body);
    if (auto const* n = ir::as<ir::let>(s)) return has_barrier(n->body);
    if (auto const* n = ir::as<ir::loop>(s)) return has_barrier(n->body);
    auto const* n = ir::as<ir::conditional>(s);
    return n && (has_barrier(n->then) || has_barrier(n->otherwise));
  }

  // ------------------------------------------------------------------------- choices between two expressions

  /// Returns a value inside of the range at which a choice that uses only this variable changes its result.
  [[nodiscard]] std::optional<std::int64_t> change_of_choice(std::string const& variable, std::int64_t begin,
                                                             std::int64_t end, ir::stmt const& body) const {
    std::optional<std::int64_t> found;
    if (!has_choices_ || end - begin < 2 || has_barrier(body)) return found;
    for_each_value(body, [&](ir::expr const& value) {
      ir::for_each_node(value, [&](ir::expr const& e) {
        auto const* s = as_choice(e);
        auto const form = s ? arith::as_non_negative(s->condition) : std::nullopt;
        if (!form || form->terms.size() != 1 || form->terms[0].first != variable) return;
        auto const c = form->terms[0].second;
        auto const at = c > 0 ? ceil_divide(-form->constant, c) : floor_divide(form->constant, -c) + 1;
        if (at > begin && at < end) found = at;
      });
    });
    return found;
  }

  /// Returns the body for a part of the variable's range, with decided choices.
  ir::stmt decided(std::string const& variable, std::int64_t low, std::int64_t high, ir::stmt const& body) {
    auto known = known_;
    known[variable] = {low, high - 1};
    return arith::simplify(body, known);
  }

  /// Returns code for each part of the range: two loops, or a choice at run time if the loop must stay one.
  ir::stmt two_loops(ir::loop const& l, std::int64_t begin, std::int64_t at, std::int64_t end) {
    auto const part = [&](std::int64_t low, std::int64_t high) {
      return visit(ir::make_loop(l.variable, ir::make_index(low), ir::make_index(high), l.kind,
                                 decided(l.variable, low, high, l.body)));
    };
    std::vector<ir::stmt> parts = {part(begin, at), part(at, end)};
    return ir::make_block(std::move(parts));
  }
  ir::stmt two_arms(std::string const& variable, std::int64_t begin, std::int64_t at, std::int64_t end,
                    ir::stmt const& body) {
    auto const below = ir::make_binary(ir::binary_op::less, ir::make_variable(variable), ir::make_index(at));
    auto const arm = [&](std::int64_t low, std::int64_t high) {
      auto const part = decided(variable, low, high, body);
      if (auto const further = change_of_choice(variable, low, high, part))
        return two_arms(variable, low, *further, high, part);
      return with_range(variable, low, high, part);
    };
    return ir::make_conditional(below, arm(begin, at), arm(at, end));
  }

  // ------------------------------------------------------------------------- choices inside of a register tile

  [[nodiscard]] bool can_postpone(std::string const& variable, std::int64_t begin, std::int64_t end,
                                  ir::stmt const& body) const {
    auto const c = interior(variable, begin, end, body, true);
    return c.low <= begin && c.high >= end;
  }

  ir::stmt postpone(std::string const& variable, std::int64_t begin, std::int64_t end, ir::stmt const& body) {
    postponed_.push_back({variable, begin, end});
    auto made = with_range(variable, begin, end, body);
    postponed_.pop_back();
    return made;
  }

  ir::stmt visit_allocate(ir::allocate const& a) {
    if (!in_registers(a) || postponed_.empty()) return ir::make_allocate(a.storage, visit(a.body));
    auto const choices = std::exchange(postponed_, {});
    std::vector<ir::stmt> parts;
    if (auto const* several = ir::as<ir::block>(a.body))
      for (auto const& part : several->body) parts.push_back(choose(choices, part));
    else parts.push_back(choose(choices, a.body));
    postponed_ = choices;
    return ir::make_allocate(a.storage, ir::make_block(std::move(parts)));
  }

  /// Chooses by the first variable that a statement uses; the arms choose by the others.
  ir::stmt choose(std::vector<postponed> choices, ir::stmt const& s) {
    while (!choices.empty()) {
      auto const p = choices.front();
      choices.erase(choices.begin());
      auto const c = interior(p.variable, p.begin, p.end, s);
      if (worth_cutting(c, p.begin, p.end) && !has_barrier(s)) return chain(p.variable, c, p.begin, p.end, s, choices);
    }
    return visit(s);
  }

  // ------------------------------------------------------------------------- lanes at the edge of an image

  static bool uses_registers(ir::stmt const& s) {
    auto const kept = [](ir::buffer const& b) { return b.where == ir::memory::registers; };
    bool found = false;
    for_each_store(s, [&](ir::store const& w) {
      found = found || kept(*w.to) || ir::contains(w.value, [&](ir::expr const& e) {
                auto const* a = ir::as<ir::access>(e);
                auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
                return b && kept(**b);
              });
    });
    return found;
  }

  /// Returns the lanes of a vectorised loop in which no index is redirected.
  [[nodiscard]] iterations plain_lanes(ir::loop const& l, std::int64_t begin, std::int64_t end) const {
    iterations made{begin, end};
    auto known = known_;
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

  /// Cuts a vectorised loop: lanes with redirected indices are loaded one by one, the others have their own loop.
  ir::stmt cut_lanes(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    auto const part = [&](std::int64_t low, std::int64_t high) {
      return ir::make_loop(l.variable, ir::make_index(low), ir::make_index(high), l.kind,
                           with_range(l.variable, low, high, l.body));
    };
    auto const plain = plain_lanes(l, begin, end);
    if (plain.low >= plain.high || (plain.low == begin && plain.high == end) || uses_registers(l.body))
      return part(begin, end);
    std::vector<ir::stmt> parts;
    if (begin < plain.low) parts.push_back(part(begin, plain.low));
    parts.push_back(part(plain.low, plain.high));
    if (plain.high < end) parts.push_back(part(plain.high, end));
    return ir::make_block(std::move(parts));
  }

  ir::stmt visit_loop(ir::loop const& l) {
    auto const saved = std::exchange(in_thread_, in_thread_ || l.kind >= ir::loop_kind::thread_x);
    auto made = parted(l);
    in_thread_ = saved;
    return made;
  }

  ir::stmt parted(ir::loop const& l) {
    bool const constant = ir::is_constant(l.begin) && ir::is_constant(l.end);
    if (!constant) {
      auto const low = arith::bounds(l.begin, known_);
      auto const high = arith::bounds(l.end, known_);
      return ir::make_loop(l.variable, l.begin, l.end, l.kind,
                           with_range(l.variable, low.low, std::max(low.low + 1, high.high), l.body));
    }
    auto begin = ir::constant_integer(l.begin);
    auto end = ir::constant_integer(l.end);
    if (end <= begin) return {};
    if (l.kind == ir::loop_kind::vectorized) return cut_lanes(l, begin, end);
    if (is_unrolled(l.kind))
      return ir::make_loop(l.variable, l.begin, l.end, l.kind, with_range(l.variable, begin, end, l.body));
    if (l.kind == ir::loop_kind::serial) {
      auto known = known_;
      known[l.variable] = {begin, end - 1};
      buffers scratch;
      auto const useful = storing_iterations(l.variable, {begin, end}, l.body, known, scratch);
      begin = useful.low;
      end = useful.high;
      if (end <= begin) return {};
      if (end - begin == 1) return single(l.variable, begin, l.body);
    }
    if (auto const at = change_of_choice(l.variable, begin, end, l.body)) {
      if (l.kind == ir::loop_kind::serial) return two_loops(l, begin, *at, end);
      return ir::make_loop(l.variable, l.begin, l.end, l.kind, two_arms(l.variable, begin, *at, end, l.body));
    }
    bool const meets = has_barrier(l.body);
    auto const c = interior(l.variable, begin, end, l.body);
    if (worth_cutting(c, begin, end) && end - begin > 1 && !(meets && l.kind != ir::loop_kind::serial)) {
      if (can_postpone(l.variable, begin, end, l.body))
        return ir::make_loop(l.variable, ir::make_index(begin), ir::make_index(end), l.kind,
                             postpone(l.variable, begin, end, l.body));
      if (l.kind != ir::loop_kind::serial)
        return ir::make_loop(l.variable, l.begin, l.end, l.kind, chain(l.variable, c, begin, end, l.body));
      return sequence(l, c, begin, end);
    }
    if (l.kind == ir::loop_kind::serial && !meets && !in_thread_ && has_long_interior(c, begin, end))
      return with_edges(l, c, begin, end);
    if (l.kind == ir::loop_kind::serial && !meets && !(in_thread_ && uses_own_array(l.body)))
      return shorten(l, begin, end);
    return ir::make_loop(l.variable, ir::make_index(begin), ir::make_index(end), l.kind,
                         with_range(l.variable, begin, end, l.body));
  }

  /// Returns true if edges that are too long to be code of their own are short beside the interior.
  static bool has_long_interior(iterations const& c, std::int64_t begin, std::int64_t end) {
    auto const edges = end - begin - (c.high - c.low);
    return c.low < c.high && edges > 0 && 4 * edges <= end - begin;
  }

  /// Returns loops over the interior and the edges. The conditions remain in the edges.
  ir::stmt with_edges(ir::loop const& l, iterations c, std::int64_t begin, std::int64_t end) {
    std::vector<ir::stmt> parts;
    auto const add = [&](std::int64_t low, std::int64_t high) {
      if (low < high)
        parts.push_back(ir::make_loop(l.variable, ir::make_index(low), ir::make_index(high), l.kind,
                                      with_range(l.variable, low, high, l.body)));
    };
    add(begin, c.low);
    add(c.low, c.high);
    add(c.high, end);
    return ir::make_block(std::move(parts));
  }

  /// Returns a loop over the interior, with edges before and after it.
  ir::stmt sequence(ir::loop const& l, iterations c, std::int64_t begin, std::int64_t end) {
    if (c.low >= c.high) c = {end, end};
    std::vector<ir::stmt> parts;
    for (auto i = begin; i < c.low; ++i) parts.push_back(single(l.variable, i, l.body));
    if (c.low < c.high)
      parts.push_back(ir::make_loop(l.variable, ir::make_index(c.low), ir::make_index(c.high), l.kind,
                                    with_range(l.variable, c.low, c.high, l.body)));
    for (auto i = c.high; i < end; ++i) parts.push_back(single(l.variable, i, l.body));
    return ir::make_block(std::move(parts));
  }

  /// The same as a choice at run time, for a variable that must stay one loop (parallel) or is no loop (let).
  ir::stmt chain(std::string const& variable, iterations c, std::int64_t begin, std::int64_t end, ir::stmt const& body,
                 std::vector<postponed> const& further = {}) {
    if (c.low >= c.high) c = {end, end};
    auto const below = [&](std::int64_t limit) {
      return ir::make_binary(ir::binary_op::less, ir::make_variable(variable), ir::make_index(limit));
    };
    std::vector<std::pair<ir::expr, ir::stmt>> arms;
    auto const at = [&](std::int64_t i) {
      return with_range(variable, i, i + 1, arith::substitute(body, {{variable, ir::make_index(i)}}), further);
    };
    for (auto i = begin; i < c.low; ++i) arms.emplace_back(below(i + 1), at(i));
    if (c.low < c.high) arms.emplace_back(below(c.high), with_range(variable, c.low, c.high, body, further));
    for (auto i = c.high; i < end; ++i) arms.emplace_back(below(i + 1), at(i));
    auto made = arms.back().second;
    for (std::size_t i = arms.size() - 1; i-- > 0;) made = ir::make_conditional(arms[i].first, arms[i].second, made);
    return made;
  }

  ir::stmt visit_let(ir::let const& l) {
    if (auto const at = change_of_choice(l.variable, l.low, l.high, l.body))
      return ir::make_let(l.variable, l.value, l.low, l.high, two_arms(l.variable, l.low, *at, l.high, l.body));
    auto const c = interior(l.variable, l.low, l.high, l.body);
    bool const cut_here = l.high - l.low > 1 && worth_cutting(c, l.low, l.high) && !has_barrier(l.body);
    if (cut_here && can_postpone(l.variable, l.low, l.high, l.body))
      return ir::make_let(l.variable, l.value, l.low, l.high, postpone(l.variable, l.low, l.high, l.body));
    auto body = cut_here ? chain(l.variable, c, l.low, l.high, l.body) : with_range(l.variable, l.low, l.high, l.body);
    return ir::make_let(l.variable, l.value, l.low, l.high, body);
  }

  // ----------------------------------------------------------------------------------- shorter innermost loops

  /// Returns true if a statement uses an array of a device thread. Such an array becomes registers only if all its
  /// places are constants after unrolling: loops have constant lengths, and conditions are predicates.
  static bool uses_own_array(ir::stmt const& s) {
    auto const own = [](ir::buffer const& b) {
      return b.where == ir::memory::local || b.where == ir::memory::registers;
    };
    bool found = false;
    for_each_store(s, [&](ir::store const& w) {
      found = found || own(*w.to) || ir::contains(w.value, [&](ir::expr const& e) {
                auto const* a = ir::as<ir::access>(e);
                auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
                return b && own(**b);
              });
    });
    return found;
  }

  ir::stmt shorten(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    loops_inside inner;
    auto known = known_;
    known[l.variable] = {begin, end - 1};
    std::vector<found_condition> ignored;
    collect(l.body, inner, known, ignored);
    auto low = ir::make_index(begin);
    auto high = ir::make_index(end);
    condition_set gone;
    buffers scratch;
    auto const common = common_conditions(l.body, scratch);
    for (auto const& [key, form] : common ? *common : condition_set{}) {
      auto const c = form.coefficient_of(l.variable);
      if (c == 0 || speaks_of(form, inner.all)) continue;
      auto rest = ir::make_index(form.constant);
      for (auto const& [name, k] : form.terms)
        if (name != l.variable) rest = rest + ir::make_variable(name) * k;
      gone.emplace(key, form);
      if (c > 0) {
        auto const negated = ir::make_index(c - 1) - rest;  // ceil(-rest / c)
        auto const bound = ir::make_binary(ir::binary_op::floor_divide, negated, ir::make_index(c));
        low = ir::make_binary(ir::binary_op::maximum, low, bound);
      } else {
        auto const bound = ir::make_binary(ir::binary_op::floor_divide, rest, ir::make_index(-c)) + 1;
        high = ir::make_binary(ir::binary_op::minimum, high, bound);
      }
    }
    auto const body = gone.empty() ? l.body : without(l.body, gone);
    return ir::make_loop(l.variable, arith::simplify(low, known_), arith::simplify(high, known_), l.kind,
                         with_range(l.variable, begin, end, body));
  }

  arith::ranges known_;
  std::vector<postponed> postponed_;
  bool has_choices_;
  bool in_thread_ = false;  ///< inside of a device thread
};

}  // namespace detail

ir::stmt partition(ir::stmt const& s) {
  if (!s) return s;
  if (!detail::has_choices(s)) return detail::partitioner().visit(s);
  return detail::partitioner(true).visit(arith::simplify(s));  // parts of an axis are expressions of loop variables
}

}}}  // namespace ttune::v0::lowering
