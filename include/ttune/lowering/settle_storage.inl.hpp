// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/settle_storage.hpp"

namespace ttune { inline namespace v0 { namespace lowering {
namespace detail {

/// Uses of a program's buffers, found by one walk over it.
///
/// A buffer in registers consists of SSA values, so each index must be known during emission: it may depend only
/// on unrolled and vectorised loops. A value that a machine loop passes to its next iteration must exist before
/// the loop. A thread-local buffer is invisible to the tasks of a parallel loop that starts during the buffer's
/// life.
class buffer_uses {
 public:
  explicit buffer_uses(ir::stmt const& s) { visit(s); }

  /// Returns the memory for a buffer, which may differ from the memory that the schedule wants.
  [[nodiscard]] ir::memory place_of(ir::buffer const& b) const {
    bool const own = b.where == ir::memory::registers || b.where == ir::memory::local;
    if (own && crossing_.count(&b) != 0) return ir::memory::workspace;
    return b.where == ir::memory::registers && moving_.count(&b) != 0 ? ir::memory::local : b.where;
  }

 private:
  /// Returns true if the value is known during emission, except for the lane.
  [[nodiscard]] bool is_known(ir::expr const& e) const {
    return !ir::contains(e, [&](ir::expr const& n) {
      auto const* v = ir::as<ir::variable>(n);
      return ir::as<ir::access>(n) || (v && known_.count(v->name) == 0);
    });
  }

  [[nodiscard]] bool is_unrolled(ir::loop const& l) const {
    if (!is_known(l.begin) || !is_known(l.end)) return false;
    if (l.kind == ir::loop_kind::unrolled || l.kind == ir::loop_kind::vectorized || l.kind == ir::loop_kind::tensorized)
      return true;
    return ir::is_constant(l.end - l.begin, 1);
  }

  void use(ir::source const& from, std::vector<ir::expr> const& indices) {
    auto const* held = std::get_if<handle<ir::buffer>>(&from);
    if (!held) return;
    auto const* const b = held->get();
    if (in_parallel_ && outside_.count(b) != 0) crossing_.insert(b);
    if (b->where == ir::memory::registers &&
        !std::all_of(indices.begin(), indices.end(), [&](ir::expr const& i) { return is_known(i); }))
      moving_.insert(b);
  }
  void read(ir::expr const& e) {
    if (!e) return;
    ir::for_each_node(e, [&](ir::expr const& n) {
      if (auto const* a = ir::as<ir::access>(n)) use(a->from, a->indices);
    });
  }

  /// Visits `s` with a variable that is known or unknown in it.
  void visit_with(std::string const& variable, bool known, ir::stmt const& s) {
    bool const was = known_.count(variable) != 0;
    known ? (void)known_.insert(variable) : (void)known_.erase(variable);
    visit(s);
    was ? (void)known_.insert(variable) : (void)known_.erase(variable);
  }

  void visit_loop(ir::loop const& l) {
    read(l.begin), read(l.end);
    if (is_unrolled(l)) return visit_with(l.variable, true, l.body);
    bool const starts_tasks = l.kind == ir::loop_kind::parallel && !in_parallel_;
    in_parallel_ = in_parallel_ || starts_tasks;
    written_before_.push_back(written_);
    visit_with(l.variable, false, l.body);
    written_before_.pop_back();
    if (starts_tasks) in_parallel_ = false;
  }

  /// Records a store. A buffer whose first store is in a machine loop cannot be registers: an iteration would lose it.
  void write(ir::buffer const* b) {
    auto const it = depth_.find(b);
    if (it == depth_.end() || b->where != ir::memory::registers) return;
    if (it->second < written_before_.size() && written_before_[it->second].count(b) == 0) moving_.insert(b);
    written_.insert(b);
  }

  void visit(ir::stmt const& s) {
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& c : n->body) visit(c);
    if (auto const* n = ir::as<ir::loop>(s)) visit_loop(*n);
    if (auto const* n = ir::as<ir::let>(s)) {
      read(n->value);
      visit_with(n->variable, is_known(n->value), n->body);
    }
    if (auto const* n = ir::as<ir::conditional>(s)) read(n->condition), visit(n->then), visit(n->otherwise);
    if (auto const* n = ir::as<ir::allocate>(s)) {
      if (!in_parallel_) outside_.insert(n->storage.get());
      depth_[n->storage.get()] = written_before_.size();
      written_.erase(n->storage.get());
      visit(n->body);
    }
    if (auto const* n = ir::as<ir::store>(s)) {
      for (auto const& i : n->indices) read(i);
      read(n->value);
      use(n->to, n->indices);
      write(n->to.get());
    }
  }

  std::set<std::string> known_;
  bool in_parallel_ = false;
  std::set<ir::buffer const*> outside_;                      ///< allocated outside of the current parallel loops
  std::set<ir::buffer const*> crossing_;                     ///< allocated outside of a parallel loop, used inside
  std::set<ir::buffer const*> moving_;                       ///< wanted in registers, but not possible there
  std::set<ir::buffer const*> written_;                      ///< written so far
  std::vector<std::set<ir::buffer const*>> written_before_;  ///< written before each open machine loop
  std::map<ir::buffer const*, std::size_t> depth_;           ///< number of open loops where the buffer's life begins
};

/// Places every scratch buffer where it can be; returns the same statements if nothing has to move.
class storage_settler {
 public:
  [[nodiscard]] ir::stmt operator()(ir::stmt const& s) {
    if (!s) return s;
    buffer_uses const uses(s);
    find(s, uses);
    if (moved_.empty()) return s;
    return ir::rewrite(
        s, [&](ir::stmt const& n) { return statement(n); },
        [&](ir::expr const& e) { return ir::rewrite(e, [&](ir::expr const& n) { return expression(n); }); });
  }

 private:
  void find(ir::stmt const& s, buffer_uses const& uses) {
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& c : n->body) find(c, uses);
    if (auto const* n = ir::as<ir::loop>(s)) find(n->body, uses);
    if (auto const* n = ir::as<ir::let>(s)) find(n->body, uses);
    if (auto const* n = ir::as<ir::conditional>(s)) find(n->then, uses), find(n->otherwise, uses);
    if (auto const* n = ir::as<ir::allocate>(s)) {
      move(n->storage, uses.place_of(*n->storage));
      find(n->body, uses);
    }
  }
  void move(handle<ir::buffer> const& b, ir::memory where) {
    if (where == b->where) return;
    auto made = *b;
    made.where = where;
    moved_.emplace(b.get(), share(std::move(made)));
  }

  [[nodiscard]] handle<ir::buffer> const* instead_of(ir::buffer const* b) const {
    auto const it = moved_.find(b);
    return it == moved_.end() ? nullptr : &it->second;
  }
  [[nodiscard]] ir::stmt statement(ir::stmt const& s) const {
    if (auto const* n = ir::as<ir::allocate>(s))
      if (auto const* b = instead_of(n->storage.get())) return ir::make_allocate(*b, n->body);
    if (auto const* n = ir::as<ir::store>(s))
      if (auto const* b = instead_of(n->to.get())) return ir::make_store(*b, n->indices, n->value);
    if (auto const* n = ir::as<ir::prefetch>(s))
      if (auto const* b = instead_of(n->from.get())) return ir::make_prefetch(*b, n->indices);
    return s;
  }
  [[nodiscard]] ir::expr expression(ir::expr const& e) const {
    auto const* a = ir::as<ir::access>(e);
    auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
    auto const* b = from ? instead_of(from->get()) : nullptr;
    return b ? ir::make_access(*b, a->indices, a->outside, a->fill, a->component) : e;
  }

  std::map<ir::buffer const*, handle<ir::buffer>> moved_;
};

}  // namespace detail

ir::stmt settle_storage(ir::stmt const& s) { return detail::storage_settler()(s); }

}}}  // namespace ttune::v0::lowering
