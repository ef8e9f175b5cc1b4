// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/lowering/loop_interior.hpp"
#include "ttune/lowering/partition.hpp"
#include "ttune/lowering/partition_queries.hpp"
#include "ttune/lowering/redirected_index.hpp"
#include "ttune/lowering/shifted_tiles.hpp"
#include "ttune/lowering/store_conditions.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

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
      return ir::make_conditional_like(*n, arith::simplify(n->condition, known_), visit(n->then),
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

  /// A variable that could be cut, but whose conditions are all inside of register tiles and the same for all tiles in
  /// between. The choice is made at the tiles, so that the differing code, the first values of a tile and its transfer
  /// to memory, exists once: it takes longer to compile than the products.
  struct postponed {
    std::string variable;
    std::int64_t begin;
    std::int64_t end;
  };

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
    auto const c = interior(variable, begin, end, body, known_, true);
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
      auto const c = interior(p.variable, p.begin, p.end, s, known_);
      if (worth_cutting(c, p.begin, p.end) && !has_barrier(s)) return chain(p.variable, c, p.begin, p.end, s, choices);
    }
    return visit(s);
  }

  // ------------------------------------------------------------------------- lanes at the edge of an image

  /// Cuts a vectorised loop: lanes with redirected indices are loaded one by one, the others have their own loop.
  ir::stmt cut_lanes(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    auto const part = [&](std::int64_t low, std::int64_t high) {
      return ir::make_loop(l.variable, ir::make_index(low), ir::make_index(high), l.kind,
                           with_range(l.variable, low, high, l.body));
    };
    auto const plain = plain_lanes(l, begin, end, known_);
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
      auto const outer = given_by_calls_;
      given_by_calls_.insert(l.variable);
      auto const low = arith::bounds(l.begin, known_);
      auto const high = arith::bounds(l.end, known_);
      auto body = with_range(l.variable, low.low, std::max(low.low + 1, high.high), l.body);
      given_by_calls_ = outer;
      return ir::make_loop(l.variable, l.begin, l.end, l.kind, std::move(body));
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
    if (l.kind == ir::loop_kind::serial && !in_thread_)
      if (auto const placed = place_tiles(l, begin, end, known_)) return with_moved_tiles(*placed, begin, end);
    bool const meets = has_barrier(l.body);
    auto const c = interior(l.variable, begin, end, l.body, known_);
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

  /// Returns a loop whose tiles are all inside, and loops over the elements of the edges.
  ir::stmt with_moved_tiles(placed_tiles const& t, std::int64_t begin, std::int64_t end) {
    auto const width = ir::constant_integer(t.lanes.end);
    auto const edge = [&](std::int64_t low, std::int64_t high) {
      if (low == high) return ir::stmt{};
      auto const l = edge_of(t, low, high);
      return ir::make_loop(l.variable, l.begin, l.end, l.kind, with_range(l.variable, low, high, l.body));
    };
    auto known = known_;
    known[t.tiles.variable] = {begin, end - 1};
    auto const lanes =
        with_range(t.place, t.inside.low, t.inside.high,
                   ir::make_loop(t.lanes.variable, t.lanes.begin, t.lanes.end, t.lanes.kind, t.lanes.body));
    auto const tile = ir::make_let(t.place, moved_inside(t, known), t.inside.low, t.inside.high, lanes);
    std::vector<ir::stmt> parts;
    parts.push_back(edge(begin * width, t.inside.low));
    parts.push_back(ir::make_loop(t.tiles.variable, ir::make_index(begin), ir::make_index(end), t.tiles.kind, tile));
    parts.push_back(edge(t.inside.high - 1 + width, end * width));
    return ir::make_block(std::move(parts));
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
    bool const is_given = ir::contains(l.value, [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      return ir::as<ir::access>(e) || (v && given_by_calls_.contains(v->name));
    });
    if (is_given) {  // by calls: its interior is separated (open_interiors.hpp), a version for a value is too much code
      auto const outer = given_by_calls_;
      given_by_calls_.insert(l.variable);
      auto body = with_range(l.variable, l.low, l.high, l.body);
      given_by_calls_ = outer;
      return ir::make_let(l.variable, l.value, l.low, l.high, std::move(body));
    }
    if (auto const at = change_of_choice(l.variable, l.low, l.high, l.body))
      return ir::make_let(l.variable, l.value, l.low, l.high, two_arms(l.variable, l.low, *at, l.high, l.body));
    auto const c = interior(l.variable, l.low, l.high, l.body, known_);
    bool const cut_here = l.high - l.low > 1 && worth_cutting(c, l.low, l.high) && !has_barrier(l.body);
    if (cut_here && can_postpone(l.variable, l.low, l.high, l.body))
      return ir::make_let(l.variable, l.value, l.low, l.high, postpone(l.variable, l.low, l.high, l.body));
    auto body = cut_here ? chain(l.variable, c, l.low, l.high, l.body) : with_range(l.variable, l.low, l.high, l.body);
    return ir::make_let(l.variable, l.value, l.low, l.high, body);
  }

  // ----------------------------------------------------------------------------------- shorter innermost loops

  ir::stmt shorten(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    std::set<std::string> inside;
    variables_inside(l.body, inside);
    auto low = ir::make_index(begin);
    auto high = ir::make_index(end);
    condition_set gone;
    buffers scratch;
    auto const common = common_conditions(l.body, scratch);
    for (auto const& [key, form] : common ? *common : condition_set{}) {
      auto const c = form.coefficient_of(l.variable);
      if (c == 0 || speaks_of(form, inside)) continue;
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
  std::set<std::string> given_by_calls_;  ///< variables whose ranges end where calls say
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
