// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

inline bool both_or_none(expr const& a, expr const& b) { return a && b ? equal(a, b) : !a && !b; }

inline bool equal_lists(std::vector<expr> const& a, std::vector<expr> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), both_or_none);
}

inline bool equal_extents(extent const& a, extent const& b) {
  if (a.value != b.value || a.is_constant() != b.is_constant() || a.run != b.run) return false;
  return a.is_constant() || a.symbol == b.symbol ||
         (a.symbol->name == b.symbol->name && a.symbol->low == b.symbol->low && a.symbol->high == b.symbol->high);
}

inline bool equal_axes(std::vector<axis> const& a, std::vector<axis> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](axis const& x, axis const& y) {
    return x.name == y.name && x.begin == y.begin && equal_extents(x.end, y.end);
  });
}

inline bool equal_sources(source const& a, source const& b, int component) {
  if (a == b) return true;
  return a.index() == b.index() && name_of(a) == name_of(b) && type_of(a, component) == type_of(b, component) &&
         shape_of(a) == shape_of(b);
}

inline bool equal_tensors(tensor const& a, tensor const& b) {
  return a.name == b.name && a.type == b.type && a.order == b.order && a.strides == b.strides && a.role == b.role &&
         a.has_range == b.has_range && a.low == b.low && a.high == b.high &&
         std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(), equal_extents) &&
         std::equal(a.content.begin(), a.content.end(), b.content.begin(), b.content.end(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

/// Compares two nodes of the same kind, by overloads.
struct equal_nodes {
  bool operator()(constant const& a, constant const& b) const {
    return std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real) && a.integer == b.integer;
  }
  bool operator()(variable const& a, variable const& b) const { return a.name == b.name; }
  bool operator()(argument const& a, argument const& b) const {
    return a.right == b.right && a.component == b.component;
  }
  bool operator()(unary const& a, unary const& b) const { return a.op == b.op && equal(a.operand, b.operand); }
  bool operator()(binary const& a, binary const& b) const {
    return a.op == b.op && equal(a.left, b.left) && equal(a.right, b.right);
  }
  bool operator()(select const& a, select const& b) const {
    return equal(a.condition, b.condition) && equal(a.when_true, b.when_true) && equal(a.when_false, b.when_false);
  }
  bool operator()(cast const& a, cast const& b) const { return equal(a.operand, b.operand); }
  bool operator()(access const& a, access const& b) const {
    return a.component == b.component && a.outside == b.outside && equal_sources(a.from, b.from, a.component) &&
           equal_lists(a.indices, b.indices) && both_or_none(a.fill, b.fill);
  }
  bool operator()(block const& a, block const& b) const {
    return std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                      [](stmt const& x, stmt const& y) { return equal(x, y); });
  }
  bool operator()(loop const& a, loop const& b) const {
    return a.variable == b.variable && a.kind == b.kind && equal(a.begin, b.begin) && equal(a.end, b.end) &&
           equal(a.body, b.body);
  }
  bool operator()(let const& a, let const& b) const {
    return a.variable == b.variable && a.low == b.low && a.high == b.high && equal(a.value, b.value) &&
           equal(a.body, b.body);
  }
  bool operator()(conditional const& a, conditional const& b) const {
    return a.speculatable == b.speculatable && equal(a.condition, b.condition) && equal(a.then, b.then) &&
           equal(a.otherwise, b.otherwise);
  }
  bool operator()(allocate const& a, allocate const& b) const {
    return a.storage->where == b.storage->where && a.storage->ahead == b.storage->ahead &&
           a.storage->held == b.storage->held && a.storage->swizzle == b.storage->swizzle &&
           equal_sources(a.storage, b.storage, 0) && equal(a.body, b.body);
  }
  bool operator()(store const& a, store const& b) const {
    return a.is_async == b.is_async && equal_sources(a.to, b.to, 0) && equal_lists(a.indices, b.indices) &&
           equal(a.value, b.value);
  }
  bool operator()(barrier const& a, barrier const& b) const { return a.pending == b.pending; }
  bool operator()(prefetch const& a, prefetch const& b) const {
    return equal_sources(a.from, b.from, 0) && equal_lists(a.indices, b.indices);
  }
  bool operator()(warp_reduction const& a, warp_reduction const& b) const {
    return a.variable == b.variable && a.threads == b.threads && a.op == b.op && equal_sources(a.to, b.to, 0) &&
           equal_lists(a.indices, b.indices) && equal(a.part, b.part);
  }
  bool operator()(matrix_multiply const& a, matrix_multiply const& b) const {
    auto const same = [](loop const& x, loop const& y) {
      return x.variable == y.variable && x.kind == y.kind && equal(x.begin, y.begin) && equal(x.end, y.end);
    };
    return a.unit == b.unit && a.from_zero == b.from_zero && a.in_flight == b.in_flight &&
           std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end(), same) && (*this)(a.sum, b.sum) &&
           equal_lists(a.left_by_lanes, b.left_by_lanes) && equal_lists(a.right_by_lanes, b.right_by_lanes);
  }
};

/// Compares nodes of the same kind by their overload. It dispatches over the first node only: a dispatch over pairs
/// would take a seventh of the compile time of <ttune/expr.hpp>.
template <class... Kinds>
bool equal_kinds(std::variant<Kinds...> const& a, std::variant<Kinds...> const& b) {
  return a.index() == b.index() &&
         std::visit([&]<class Kind>(Kind const& n) { return equal_nodes{}(n, *std::get_if<Kind>(&b)); }, a);
}

inline bool equal_reductions(reduction const& a, reduction const& b) {
  return a.kind == b.kind && a.associative == b.associative && a.commutative == b.commutative &&
         equal_axes(a.axes, b.axes) && equal_lists(a.identity, b.identity) && equal_lists(a.combine, b.combine);
}

class expr_hasher {
 public:
  explicit expr_hasher(hasher& to) : to_(to) {}

  void add(expr const& e) {
    if (!e) return number(0xff);
    number(e->what.index());
    number(static_cast<std::uint64_t>(e->type));
    visit(
        e,
        [&](constant const& n) {
          to_.add(n.real);
          number(static_cast<std::uint64_t>(n.integer));
        },
        [&](variable const& n) { to_.add(std::string_view(n.name)); }, [&](access const& n) { add_access(n); },
        [&](unary const& n) { number(static_cast<std::uint64_t>(n.op)); },
        [&](binary const& n) { number(static_cast<std::uint64_t>(n.op)); },
        [&](argument const& n) { number(static_cast<std::uint64_t>(n.component) * 2 + (n.right ? 1 : 0)); },
        [](select const&) {}, [](cast const&) {});
    for_each_operand(e, [&](expr const& o) { add(o); });
  }

  void add(axis const& a) {
    to_.add(std::string_view(a.name));
    number(static_cast<std::uint64_t>(a.begin));
    add(a.end);
  }

  void add(extent const& e) {
    number(static_cast<std::uint64_t>(e.value));
    if (e.is_constant()) return;
    to_.add(std::string_view(e.symbol->name));
    number(static_cast<std::uint64_t>(e.symbol->low));
    number(static_cast<std::uint64_t>(e.symbol->high));
    if (e.run != 1) number(static_cast<std::uint64_t>(e.run));
  }

  void add(stage const& s) {
    to_.add(std::string_view(s.name));
    number(s.axes.size());
    for (auto const& a : s.axes) add(a);
    auto const& r = s.reduction;
    number(static_cast<std::uint64_t>(r.kind) * 4 + (r.associative ? 2 : 0) + (r.commutative ? 1 : 0));
    number(r.axes.size());
    for (auto const& a : r.axes) add(a);
    for (auto const& e : r.identity) add(e);
    for (auto const& e : r.combine) add(e);
    number(s.components.size());
    for (auto const& c : s.components) {
      to_.add(std::string_view(c.name));
      number(static_cast<std::uint64_t>(c.type));
      add(c.value);
    }
    add(s.predicate);
    to_.add(std::string_view(s.updates ? s.updates->name : std::string()));
  }

  void add(tensor const& t) {
    to_.add(std::string_view(t.name));
    number(static_cast<std::uint64_t>(t.strides) * 4096 + static_cast<std::uint64_t>(t.type) * 64 +
           static_cast<std::uint64_t>(t.order) * 8 + static_cast<std::uint64_t>(t.role));
    number(t.shape.size());
    for (auto const& e : t.shape) add(e);
    number(t.has_range ? 1 : 0);
    number(static_cast<std::uint64_t>(t.low));
    number(static_cast<std::uint64_t>(t.high));
    number(t.content.size());
    for (auto const v : t.content) to_.add(v);
  }

  void number(std::uint64_t n) { to_.add(n); }

 private:
  void add_access(access const& n) {
    number(n.from.index());
    to_.add(std::string_view(name_of(n.from)));
    number(static_cast<std::uint64_t>(n.component));
    number(static_cast<std::uint64_t>(n.outside));
    add_shape(n.from);
  }

  /// Adds the extents as `shape_of` lists them, without a list: programs have thousands of accesses.
  void add_shape(source const& from) {
    if (auto const* t = std::get_if<handle<tensor>>(&from))
      for (auto const& e : (*t)->shape) number(static_cast<std::uint64_t>(e.value));
    else if (auto const* s = std::get_if<handle<stage>>(&from))
      for (auto const& a : (*s)->axes) number(static_cast<std::uint64_t>(a.size()));
    else
      for (auto const e : std::get<handle<buffer>>(from)->extents) number(static_cast<std::uint64_t>(e));
  }

  hasher& to_;
};

}  // namespace detail

bool equal(expr const& a, expr const& b) {
  if (a == b) return true;
  if (!a || !b || a->type != b->type) return false;
  return detail::equal_kinds(a->what, b->what);
}

bool equal(stmt const& a, stmt const& b) {
  if (a == b) return true;
  return a && b && detail::equal_kinds(a->what, b->what);
}

bool equal_but_for_name(stage const& a, stage const& b) {
  auto const same_component = [](component const& x, component const& y) {
    return x.name == y.name && x.type == y.type && equal(x.value, y.value);
  };
  return detail::equal_axes(a.axes, b.axes) && detail::equal_reductions(a.reduction, b.reduction) &&
         std::equal(a.components.begin(), a.components.end(), b.components.begin(), b.components.end(),
                    same_component) &&
         detail::both_or_none(a.predicate, b.predicate) &&
         (a.updates == b.updates || (a.updates && b.updates && detail::equal_tensors(*a.updates, *b.updates)));
}

bool equal(stage const& a, stage const& b) { return a.name == b.name && equal_but_for_name(a, b); }

bool equal(program const& a, program const& b) {
  auto const same_tensor = [](auto const& x, auto const& y) { return detail::equal_tensors(*x, *y); };
  auto const same_stage = [](auto const& x, auto const& y) { return equal(*x, *y); };
  return a.name == b.name &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), same_tensor) &&
         std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(), same_stage) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    [](auto const& x, auto const& y) { return x->name == y->name && x->strides == y->strides; });
}

std::uint64_t hash(expr const& e) {
  hasher h;
  detail::expr_hasher(h).add(e);
  return h.value();
}

std::uint64_t hash(stage const& s) {
  hasher h;
  detail::expr_hasher(h).add(s);
  return h.value();
}

std::uint64_t hash(program const& p) {
  hasher h;
  detail::expr_hasher to(h);
  h.add(std::string_view(p.name));
  to.number(p.inputs.size());
  for (auto const& t : p.inputs) to.add(*t);
  to.number(p.stages.size());
  for (auto const& s : p.stages) to.add(*s);
  for (auto const& s : p.outputs) {
    h.add(std::string_view(s->name));
    if (s->strides != operand_strides::dense) to.number(static_cast<std::uint64_t>(s->strides));
  }
  return h.value();
}

}}}  // namespace ttune::v0::ir
