// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/spread_virtual_threads.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// One loop over virtual threads.
class virtual_thread_loop {
 public:
  explicit virtual_thread_loop(ir::loop const& l) : loop_(l), thread_variables_{l.variable} {
    if (!ir::is_constant(l.begin) || !ir::is_constant(l.end))
      throw backend_error("the number of virtual threads " + l.variable + " is not known");
  }

  [[nodiscard]] ir::stmt spread(ir::stmt const& s) {
    if (!s) return s;
    if (auto const* n = ir::as<ir::block>(s)) return spread_block(*n);
    if (!has_barrier(s)) return over_virtual_threads(s);
    if (ir::as<ir::barrier>(s)) return s;
    if (auto const* n = ir::as<ir::loop>(s)) {
      require_alike(n->begin, "a loop");
      require_alike(n->end, "a loop");
      return ir::make_loop(n->variable, n->begin, n->end, n->kind, spread(n->body));
    }
    if (auto const* n = ir::as<ir::conditional>(s)) {
      require_alike(n->condition, "a condition");
      return ir::make_conditional(n->condition, spread(n->then), spread(n->otherwise));
    }
    if (auto const* n = ir::as<ir::let>(s)) {
      if (!mentions(n->value, thread_variables_))
        return ir::make_let(n->variable, n->value, n->low, n->high, spread(n->body));
      lets_.push_back(n);
      thread_variables_.push_back(n->variable);
      auto made = spread(n->body);
      thread_variables_.pop_back();
      lets_.pop_back();
      return made;
    }
    auto const* n = ir::as<ir::allocate>(s);
    if (n->storage->where != ir::memory::local && n->storage->where != ir::memory::registers)
      return ir::make_allocate(n->storage, spread(n->body));
    auto wider = *n->storage;
    wider.extents.insert(wider.extents.begin(), ir::constant_integer(loop_.end));
    auto const each = share(std::move(wider));
    return ir::make_allocate(each, spread(moved(n->body, n->storage, each)));
  }

 private:
  /// Keeps adjacent statements without a barrier together, except those that one instruction does for several virtual
  /// threads.
  [[nodiscard]] ir::stmt spread_block(ir::block const& b) {
    std::vector<ir::stmt> parts;
    std::vector<ir::stmt> together;
    auto const flush = [&] {
      if (!together.empty()) parts.push_back(over_virtual_threads(ir::make_block(std::exchange(together, {}))));
    };
    for (auto const& part : b.body) {
      if (!has_barrier(part) && !only_thread_of(part) && !has_tensorized(part)) {
        together.push_back(part);
        continue;
      }
      flush();
      parts.push_back(spread(part));
    }
    flush();
    return ir::make_block(std::move(parts));
  }

  /// Returns the only virtual thread for which `s` does something, if that is known.
  [[nodiscard]] ir::expr only_thread_of(ir::stmt const& s) const {
    if (auto const* n = ir::as<ir::let>(s)) return only_thread_of(n->body);
    if (auto const* n = ir::as<ir::loop>(s)) return only_thread_of(n->body);
    auto const* n = ir::as<ir::conditional>(s);
    if (!n || !n->then || n->otherwise) return {};
    auto const* b = ir::as<ir::binary>(n->condition);
    auto const* v = b && b->op == ir::binary_op::equal ? ir::as<ir::variable>(b->left) : nullptr;
    return v && v->name == loop_.variable && ir::is_constant(b->right) ? b->right : only_thread_of(n->then);
  }

  [[nodiscard]] ir::stmt over_virtual_threads(ir::stmt s) const {
    if (auto const* l = ir::as<ir::loop>(s);
        l && is_over_terms(*l) && !mentions(l->begin, thread_variables_) && !mentions(l->end, thread_variables_))
      return ir::make_loop(l->variable, l->begin, l->end, l->kind, over_virtual_threads(l->body));
    if (auto const which = only_thread_of(s))
      return ir::make_let(loop_.variable, which, ir::constant_integer(which), ir::constant_integer(which) + 1,
                          with_lets(std::move(s)));
    return ir::make_loop(loop_.variable, loop_.begin, loop_.end, ir::loop_kind::unrolled, with_lets(std::move(s)));
  }

  [[nodiscard]] ir::stmt with_lets(ir::stmt s) const {
    for (auto l = lets_.rbegin(); l != lets_.rend(); ++l)
      s = ir::make_let((*l)->variable, (*l)->value, (*l)->low, (*l)->high, s);
    return s;
  }

  void require_alike(ir::expr const& e, char const* what) const {
    if (mentions(e, thread_variables_))
      throw backend_error("virtual threads " + loop_.variable + " come to a barrier by different ways: " + what +
                          " around it depends on them");
  }

  [[nodiscard]] ir::stmt moved(ir::stmt const& s, handle<ir::buffer> const& from, handle<ir::buffer> const& to) const {
    // One variable for both accesses, so that an addition still adds to the element that it stores.
    auto const own = ir::make_variable(loop_.variable);
    auto const at = [&](std::vector<ir::expr> indices) {
      indices.insert(indices.begin(), own);
      return indices;
    };
    auto const in_expression = [&](ir::expr const& whole) {
      return ir::rewrite(whole, [&](ir::expr const& e) {
        auto const* a = ir::as<ir::access>(e);
        auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
        return b && *b == from ? ir::make_access(to, at(a->indices)) : e;
      });
    };
    return ir::rewrite(
        s,
        [&](ir::stmt const& part) {
          auto const* w = ir::as<ir::store>(part);
          return w && w->to == from ? ir::make_store(to, at(w->indices), w->value) : part;
        },
        in_expression);
  }

  ir::loop const& loop_;
  std::vector<std::string> thread_variables_;  ///< variables that differ between virtual threads
  std::vector<ir::let const*> lets_;
};

}  // namespace detail

ir::stmt spread_virtual_threads(ir::stmt const& s) {
  return ir::rewrite(
      s,
      [](ir::stmt const& part) {
        auto const* l = ir::as<ir::loop>(part);
        if (!l || l->kind != ir::loop_kind::virtual_thread) return part;
        return detail::virtual_thread_loop(*l).spread(l->body);
      },
      [](ir::expr const& e) { return e; });
}

}}}  // namespace ttune::v0::lowering
