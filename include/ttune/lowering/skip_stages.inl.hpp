// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/arith/symbolic_bounds.hpp"
#include "ttune/lowering/sampled_share.hpp"
#include "ttune/lowering/scratch_reads.hpp"
#include "ttune/lowering/skip_stages.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// The statements that read a group of buffers, as they are where no element is read, or where all conditions hold.
class reading_statements {
 public:
  explicit reading_statements(buffer_group const& group) : group_(group) {}

  /// Returns a statement for the case that no condition of a read holds: the innermost guard of each read fails.
  [[nodiscard]] ir::stmt unread(ir::stmt const& s) const {
    if (auto const* c = ir::as<ir::conditional>(s)) {
      if (c->then && needs(c->then)) return c->otherwise ? unread(c->otherwise) : ir::stmt{};
      if (c->otherwise && needs(c->otherwise)) return c->then ? unread(c->then) : ir::stmt{};
    }
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return unread(part); }, [&](ir::expr const& e) { return unread(e); });
  }

  /// Returns a statement for the case that all conditions of all reads hold.
  [[nodiscard]] ir::stmt read(ir::stmt const& s) const {
    if (auto const* c = ir::as<ir::conditional>(s)) {
      bool const in_first = c->then && reads(group_, c->then);
      bool const in_second = c->otherwise && reads(group_, c->otherwise);
      if (in_first && !in_second) return read(c->then);
      if (in_second && !in_first) return read(c->otherwise);
    }
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return read(part); }, [&](ir::expr const& e) { return read(e); });
  }

 private:
  /// Returns true if evaluating an expression reads an element, whatever its conditions are.
  [[nodiscard]] bool needs(ir::expr const& e) const {
    if (auto const* s = ir::as<ir::select>(e)) return needs(s->condition);
    auto const* a = ir::as<ir::access>(e);
    if (a && is_of(group_, *a)) return true;
    bool found = false;
    ir::for_each_operand(e, [&](ir::expr const& o) { found = found || needs(o); });
    return found;
  }
  [[nodiscard]] bool needs(ir::stmt const& s) const {
    if (auto const* w = ir::as<ir::store>(s)) return needs(w->value);
    if (ir::as<ir::conditional>(s)) return false;
    bool found = false;
    for_each_part(s, [&](ir::stmt const& part) { found = found || needs(part); });
    return found;
  }

  [[nodiscard]] ir::expr unread(ir::expr const& e) const {
    if (auto const* s = ir::as<ir::select>(e)) {
      if (needs(s->when_true)) return unread(s->when_false);
      if (needs(s->when_false)) return unread(s->when_true);
    }
    return ir::map_operands(e, [&](ir::expr const& o) { return unread(o); });
  }

  [[nodiscard]] ir::expr read(ir::expr const& e) const {
    if (auto const* s = ir::as<ir::select>(e)) {
      bool const in_first = reads(group_, s->when_true);
      bool const in_second = reads(group_, s->when_false);
      if (in_first && !in_second) return read(s->when_true);
      if (in_second && !in_first) return read(s->when_false);
    }
    return ir::map_operands(e, [&](ir::expr const& o) { return read(o); });
  }

  buffer_group const& group_;
};

/// Finds where elements that a statement computes may be read.
class demand {
 public:
  demand(buffer_group const& group, std::vector<scratch_read> const& of) : group_(group) {
    for (auto const& r : of) reads_.push_back(renamed(r));
  }

  /// Returns the condition under which an element that `s` stores may be read, over the variables around `s`; nothing
  /// if `s` has other lasting effects.
  [[nodiscard]] std::optional<ir::expr> of(ir::stmt const& s, arith::ranges const& around) const {
    arith::ranges inner;
    std::vector<std::vector<ir::expr>> stores;
    if (!collect_stores(group_, s, {}, stores) || stores.size() > most_stores) return std::nullopt;
    declare_all(s, around, inner);
    auto any = ir::make_bool(false);
    for (auto const& to : stores)
      for (auto const& r : reads_) {
        auto every = ir::make_bool(true);
        auto all = r.inner;
        all.insert(inner.begin(), inner.end());
        for (auto const& c : r.conditions)
          every = ir::make_binary(ir::binary_op::logical_and, every,
                                  arith::simplify(arith::may_hold(of_element(c, r, to), all), around));
        any = either(any, arith::simplify(every, around));
      }
    return any;
  }

 private:
  static constexpr std::size_t most_stores = 8;

  /// Gives the variables of a read other names: its loops may be around the stores, too, in another iteration.
  static scratch_read renamed(scratch_read const& r) {
    scratch_read made;
    arith::substitution names;
    for (auto const& [name, range] : r.inner) {
      names.emplace(name, ir::make_variable(name + "'"));
      made.inner.emplace(name + "'", range);
    }
    for (auto const& i : r.indices) made.indices.push_back(arith::substitute(i, names));
    for (auto const& c : r.conditions) made.conditions.push_back(arith::substitute(c, names));
    return made;
  }

  static ir::expr either(ir::expr const& a, ir::expr const& b) {
    if (ir::is_constant(a, 0) || ir::is_constant(b, 1) || ir::equal(a, b)) return b;
    if (ir::is_constant(b, 0) || ir::is_constant(a, 1)) return a;
    return ir::make_binary(ir::binary_op::logical_or, a, b);
  }

  /// Returns a condition of a read of the element at `to`: variables of the read are replaced where its indices, which
  /// are equal to `to`, determine them.
  static ir::expr of_element(ir::expr const& condition, scratch_read const& r, std::vector<ir::expr> const& to) {
    auto const* b = ir::as<ir::binary>(condition);
    if (b && condition->type == dtype::boolean && b->left->type == dtype::index)
      return ir::make_binary(b->op, moved(b->left - b->right, r, to), ir::make_index(0));
    if (condition->type == dtype::index) return moved(condition, r, to);
    return ir::map_operands(condition, [&](ir::expr const& o) { return of_element(o, r, to); });
  }

  static ir::expr moved(ir::expr const& e, scratch_read const& r, std::vector<ir::expr> const& to) {
    auto const form = arith::to_linear(e);
    arith::linear_form sum{form.constant, {}};
    for (auto const& [atom, times] : form.terms)
      sum.add(arith::to_linear(ir::map_operands(atom, [&](ir::expr const& o) { return of_element(o, r, to); })), times);
    for (std::size_t d = 0; d < r.indices.size(); ++d) move_to(arith::to_linear(r.indices[d]), to[d], r, sum);
    return arith::from_linear(std::move(sum));
  }

  /// Adds a multiple of `to - index`, which is 0, so that a variable of the read vanishes.
  static void move_to(arith::linear_form const& index, ir::expr const& to, scratch_read const& r,
                      arith::linear_form& sum) {
    for (auto const& [atom, times] : index.terms) {
      auto const* v = ir::as<ir::variable>(atom);
      if (!v || r.inner.count(v->name) == 0) continue;
      std::int64_t has = 0;
      for (auto const& [other, c] : sum.terms)
        if (ir::equal(other, atom)) has = c;
      if (has == 0 || has % times != 0) continue;
      sum.add(arith::to_linear(to), has / times);
      sum.add(index, -has / times);
      return;
    }
  }

  buffer_group const& group_;
  std::vector<scratch_read> reads_;
};

/// Makes the guards for one group of buffers after the other.
class stage_skipper {
 public:
  [[nodiscard]] ir::stmt run(ir::stmt s) {
    int position = 0;
    std::vector<candidate> all;
    collect(s, position, all);
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.first > b.first; });
    for (auto const& one : all) s = at_allocation(s, one.storage);
    return s;
  }

 private:
  static constexpr double most_kept = 0.93;  ///< share of tiles that are computed, for a guard that pays

  /// A buffer, and the position of its first store: readers come after what they read.
  struct candidate {
    handle<ir::buffer> storage;
    int first = -1;
  };

  static void collect(ir::stmt const& s, int& position, std::vector<candidate>& out) {
    if (auto const* a = ir::as<ir::allocate>(s)) out.push_back({a->storage});
    if (auto const* w = ir::as<ir::store>(s)) {
      ++position;
      for (auto& c : out)
        if (c.storage == w->to && c.first < 0) c.first = position;
    }
    for_each_part(s, [&](ir::stmt const& part) { collect(part, position, out); });
  }

  /// Rewrites the allocation of a buffer somewhere in a statement.
  ir::stmt at_allocation(ir::stmt const& s, handle<ir::buffer> const& storage) {
    if (auto const* a = ir::as<ir::allocate>(s); a && a->storage == storage) return allocation(s, *a);
    if (ir::as<ir::store>(s)) return s;
    auto const saved = known_;
    declare(s, saved, known_);
    auto made = ir::map_parts(
        s, [&](ir::stmt const& part) { return at_allocation(part, storage); }, [](ir::expr const& e) { return e; });
    known_ = saved;
    return made;
  }

  ir::stmt allocation(ir::stmt const& s, ir::allocate const& a) {
    buffer_group group = {a.storage.get()};
    if (a.storage->where == ir::memory::registers) return registers(s, group);
    read_collector all(group, known_);
    if (!all.collect(a.body)) return s;
    demand const needed(group, all.found());
    std::vector<tile> tiles;
    collect_tiles(a.body, group, needed, tiles);
    bool const all_alike = std::all_of(tiles.begin(), tiles.end(), [&](tile const& one) {
      return one.condition && tiles[0].condition && ir::equal(one.condition, tiles[0].condition);
    });
    bool const has_sums = std::any_of(tiles.begin(), tiles.end(), [](tile const& one) { return one.adds; });
    auto const body = guarded(a.body, group, needed, has_sums && !all_alike);
    return body == a.body ? s : ir::make_allocate(a.storage, body);
  }

  // ------------------------------------------------------------------------------------------ buffers in memory

  /// A statement that computes a tile, with the guard that it would have; null: none.
  struct tile {
    ir::expr condition;
    bool adds = false;  ///< reads the elements that it stores
  };

  /// Calls f for the innermost parts of a statement that compute a tile, and puts its results in their place. The loops
  /// inside of such a part are vectorised or unrolled, or do not move its stores.
  template <class F>
  ir::stmt at_tiles(ir::stmt const& s, buffer_group const& group, F const& f) {
    if (!stores_into(group, s)) return s;
    if (is_tile(s, group)) return f(s);
    auto const saved = known_;
    declare(s, saved, known_);
    auto made = ir::map_parts(
        s, [&](ir::stmt const& part) { return at_tiles(part, group, f); }, [](ir::expr const& e) { return e; });
    known_ = saved;
    return made;
  }

  void collect_tiles(ir::stmt const& s, buffer_group const& group, demand const& needed, std::vector<tile>& out) {
    (void)at_tiles(s, group, [&](ir::stmt const& part) {
      out.push_back({guard_of(part, needed), reads(group, part)});
      return part;
    });
  }

  /// Puts guards around tiles. First values of sums must be stored wherever terms are added, even if nobody reads the
  /// sum: with `only_sums`, they have no guards.
  ir::stmt guarded(ir::stmt const& s, buffer_group const& group, demand const& needed, bool only_sums) {
    return at_tiles(s, group, [&](ir::stmt const& part) {
      if (only_sums && !reads(group, part)) return part;
      auto const condition = guard_of(part, needed);
      return condition ? ir::make_conditional(condition, part) : part;
    });
  }

  [[nodiscard]] static bool is_tile(ir::stmt const& s, buffer_group const& group) {
    if (ir::as<ir::store>(s) || ir::as<ir::conditional>(s)) return true;
    if (auto const* a = ir::as<ir::allocate>(s)) return a->storage->where == ir::memory::registers;
    auto const* l = ir::as<ir::loop>(s);
    if (!l) return false;
    if (l->kind != ir::loop_kind::serial && l->kind != ir::loop_kind::parallel) return true;
    return !moves_stores(s, l->variable, group);
  }

  /// Returns true if the place of a store into the buffers depends on a variable.
  [[nodiscard]] static bool moves_stores(ir::stmt const& s, std::string const& variable, buffer_group const& group) {
    if (auto const* w = ir::as<ir::store>(s))
      return group.count(w->to.get()) != 0 && std::any_of(w->indices.begin(), w->indices.end(), [&](auto const& i) {
               return ir::contains(i, [&](ir::expr const& n) {
                 auto const* v = ir::as<ir::variable>(n);
                 return v && v->name == variable;
               });
             });
    bool found = false;
    if (auto const* l = ir::as<ir::let>(s); l && ir::contains(l->value, [&](ir::expr const& n) {
                                              auto const* v = ir::as<ir::variable>(n);
                                              return v && v->name == variable;
                                            }))
      found = moves_stores(l->body, l->variable, group);
    for_each_part(s, [&](ir::stmt const& part) { found = found || moves_stores(part, variable, group); });
    return found;
  }

  [[nodiscard]] ir::expr guard_of(ir::stmt const& s, demand const& needed) const {
    auto const condition = needed.of(s, known_);
    return condition && pays(*condition) ? *condition : ir::expr();
  }

  [[nodiscard]] bool pays(ir::expr const& condition) const {
    return !ir::is_constant(condition) && share_where(condition, known_) <= most_kept;
  }

  // ------------------------------------------------------------------------------------ accumulators in registers

  /// The parts of the statement that accumulators are allocated for.
  struct parts {
    std::vector<ir::stmt> computing;
    std::vector<ir::stmt> reading;
    [[nodiscard]] bool in_order() const { return !computing.empty() && !reading.empty(); }
  };

  [[nodiscard]] static parts parts_of(ir::stmt const& body, buffer_group const& group) {
    parts made;
    auto const* several = ir::as<ir::block>(body);
    if (!several) return made;
    for (auto const& part : several->body) {
      bool const computes = stores_into(group, part);
      if (computes && !made.reading.empty()) return {};
      (computes ? made.computing : made.reading).push_back(part);
    }
    return made;
  }

  [[nodiscard]] ir::stmt registers(ir::stmt const& s, buffer_group group) const {
    auto const* a = ir::as<ir::allocate>(s);
    std::vector<handle<ir::buffer>> storage = {a->storage};
    while (auto const* inner = ir::as<ir::allocate>(a->body)) {  // components of one reduction
      if (inner->storage->where != ir::memory::registers) return s;
      storage.push_back(inner->storage);
      group.insert(inner->storage.get());
      a = inner;
    }
    read_collector all(group, known_);
    auto const divided = parts_of(a->body, group);
    if (!divided.in_order() || !all.collect(a->body)) return s;
    auto made = three_forms(divided, group, all.found());
    if (!made) return s;
    for (auto i = storage.size(); i-- > 0;) made = ir::make_allocate(storage[i], made);
    return made;
  }

  [[nodiscard]] ir::stmt three_forms(parts const& divided, buffer_group const& group,
                                     std::vector<scratch_read> const& of) const {
    demand const needed(group, of);
    auto const condition = needed.of(ir::make_block(divided.computing), known_);
    if (!condition || !pays(*condition)) return {};
    reading_statements const forms(group);
    auto const reading = ir::make_block(divided.reading);
    auto const otherwise = forms.unread(reading);
    if (otherwise && reads(group, otherwise)) return {};
    auto const whole = everywhere(of);
    auto computed = divided.computing;
    bool const has_whole = !ir::is_constant(whole) && share_where(whole, known_) > 1 - most_kept;
    computed.push_back(has_whole ? ir::make_conditional(whole, forms.read(reading), reading) : reading);
    return ir::make_conditional(*condition, ir::make_block(std::move(computed)), otherwise);
  }

  /// Returns the condition under which all reads of a tile happen.
  [[nodiscard]] ir::expr everywhere(std::vector<scratch_read> const& of) const {
    auto all = ir::make_bool(true);
    for (auto const& r : of)
      for (auto const& c : r.conditions)
        all =
            ir::make_binary(ir::binary_op::logical_and, all, arith::simplify(arith::surely_holds(c, r.inner), known_));
    return arith::simplify(all, known_);
  }

  arith::ranges known_;
};

/// Returns true if a statement has the loops of a device.
inline bool has_device_loops(ir::stmt const& s) {
  auto const* l = ir::as<ir::loop>(s);
  bool found = l && l->kind >= ir::loop_kind::block_x;
  for_each_part(s, [&](ir::stmt const& part) { found = found || has_device_loops(part); });
  return found;
}

}  // namespace detail

ir::stmt skip_stages(ir::stmt const& s) {
  return !s || detail::has_device_loops(s) ? s : detail::stage_skipper().run(s);
}

}}}  // namespace ttune::v0::lowering
