// SPDX-License-Identifier: Apache-2.0
// Finds where the elements of scratch buffers are read, and under which conditions: the analysis of
// lowering/skip_stages.hpp.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Buffers that are computed together: accumulators of one register tile, or a single buffer.
using buffer_group = std::set<ir::buffer const*>;

[[nodiscard]] inline bool is_of(buffer_group const& group, ir::access const& a) {
  auto const* from = std::get_if<handle<ir::buffer>>(&a.from);
  return from && group.count(from->get()) != 0;
}

[[nodiscard]] inline bool reads(buffer_group const& group, ir::expr const& e) {
  return ir::contains(e, [&](ir::expr const& n) {
    auto const* a = ir::as<ir::access>(n);
    return a && is_of(group, *a);
  });
}

/// Calls f for the direct parts of a statement.
template <class F>
void for_each_part(ir::stmt const& s, F const& f) {
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) f(c);
  if (auto const* n = ir::as<ir::loop>(s)) f(n->body);
  if (auto const* n = ir::as<ir::let>(s)) f(n->body);
  if (auto const* n = ir::as<ir::allocate>(s)) f(n->body);
  auto const* n = ir::as<ir::conditional>(s);
  if (n && n->then) f(n->then);
  if (n && n->otherwise) f(n->otherwise);
}

/// Returns true if a store of a statement has a value that reads the buffers.
[[nodiscard]] inline bool reads(buffer_group const& group, ir::stmt const& s) {
  if (auto const* w = ir::as<ir::store>(s)) return reads(group, w->value);
  bool found = false;
  for_each_part(s, [&](ir::stmt const& part) { found = found || reads(group, part); });
  return found;
}

/// A read of an element, under conditions that all hold there.
struct scratch_read {
  std::vector<ir::expr> indices;
  std::vector<ir::expr> conditions;
  arith::ranges inner;  ///< of the variables declared between the buffer's allocation and the read
};

/// Adds what a statement declares to the ranges of variables.
inline void declare(ir::stmt const& s, arith::ranges const& known, arith::ranges& out) {
  if (auto const* l = ir::as<ir::loop>(s)) {
    auto const low = arith::bounds(l->begin, known).low;
    auto const high = arith::bounds(l->end, known).high;
    out[l->variable] = {low, high >= arith::unbounded.high ? high : std::max(low, high - 1)};
  }
  if (auto const* l = ir::as<ir::let>(s)) out[l->variable] = {l->low, l->high - 1};
}

/// Adds everything that is declared inside of a statement; loops of one name may follow each other.
inline void declare_all(ir::stmt const& s, arith::ranges known, arith::ranges& out) {
  arith::ranges declared;
  declare(s, known, declared);
  for (auto const& [name, range] : declared) {
    known[name] = range;
    auto const [it, added] = out.emplace(name, range);
    if (!added) it->second = {std::min(it->second.low, range.low), std::max(it->second.high, range.high)};
  }
  for_each_part(s, [&](ir::stmt const& part) { declare_all(part, known, out); });
}

/// Collects the reads of a group of buffers in the statement that they are allocated for.
class read_collector {
 public:
  read_collector(buffer_group const& group, arith::ranges known) : group_(group), known_(std::move(known)) {}

  /// Returns false if an element is read without a condition, or chooses something, or is a term of another element.
  [[nodiscard]] bool collect(ir::stmt const& s) {
    visit(s);
    return usable_ && !reads_.empty();
  }
  [[nodiscard]] std::vector<scratch_read> const& found() const { return reads_; }

 private:
  static constexpr std::size_t most_reads = 8;

  void refuse_if(bool refused) { usable_ = usable_ && !refused; }

  void visit(ir::stmt const& s) {
    if (!usable_) return;
    if (auto const* w = ir::as<ir::store>(s)) return visit(*w);
    if (auto const* c = ir::as<ir::conditional>(s)) {
      refuse_if(reads(group_, c->condition));
      under(c->condition, [&] {
        if (c->then) visit(c->then);
      });
      if (c->otherwise) under(opposite_of(c->condition), [&] { visit(c->otherwise); });
      return;
    }
    if (auto const* l = ir::as<ir::loop>(s)) refuse_if(reads(group_, l->begin) || reads(group_, l->end));
    if (auto const* l = ir::as<ir::let>(s)) refuse_if(reads(group_, l->value));
    auto const known = known_;
    auto const inner = inner_;
    declare(s, known, known_);
    declare(s, known, inner_);
    for_each_part(s, [&](ir::stmt const& part) { visit(part); });
    known_ = known;
    inner_ = inner;
  }

  void visit(ir::store const& w) {
    for (auto const& i : w.indices) refuse_if(reads(group_, i));
    if (group_.count(w.to.get()) == 0) return visit(w.value);
    refuse_if(ir::contains(w.value, [&](ir::expr const& e) {  // an element may be computed from itself only
      auto const* a = ir::as<ir::access>(e);
      return a && is_of(group_, *a) &&
             !std::equal(a->indices.begin(), a->indices.end(), w.indices.begin(), w.indices.end(),
                         [](auto const& x, auto const& y) { return ir::equal(x, y); });
    }));
  }

  void visit(ir::expr const& e) {
    if (auto const* a = ir::as<ir::access>(e)) {
      for (auto const& i : a->indices) refuse_if(reads(group_, i));
      if (!is_of(group_, *a)) return;
      refuse_if(conditions_.empty() || reads_.size() >= most_reads);
      reads_.push_back({a->indices, conditions_, inner_});
      return;
    }
    if (auto const* s = ir::as<ir::select>(e)) {
      refuse_if(reads(group_, s->condition));
      under(s->condition, [&] { visit(s->when_true); });
      return under(opposite_of(s->condition), [&] { visit(s->when_false); });
    }
    ir::for_each_operand(e, [&](ir::expr const& o) { visit(o); });
  }

  static ir::expr opposite_of(ir::expr const& condition) {
    return ir::make_unary(ir::unary_op::logical_not, condition);
  }

  template <class F>
  void under(ir::expr const& condition, F const& f) {
    conditions_.push_back(condition);
    f();
    conditions_.pop_back();
  }

  buffer_group const& group_;
  arith::ranges known_;
  arith::ranges inner_;
  std::vector<ir::expr> conditions_;
  std::vector<scratch_read> reads_;
  bool usable_ = true;
};

/// Collects the indices of the stores into the buffers. Returns false if the statement also stores into buffers that
/// outlive it; `own` are those that it allocates.
[[nodiscard]] inline bool collect_stores(buffer_group const& group, ir::stmt const& s, buffer_group own,
                                         std::vector<std::vector<ir::expr>>& out) {
  if (auto const* w = ir::as<ir::store>(s)) {
    if (group.count(w->to.get()) == 0) return own.count(w->to.get()) != 0;
    auto const is_same = [&](std::vector<ir::expr> const& other) {
      return std::equal(other.begin(), other.end(), w->indices.begin(), w->indices.end(),
                        [](auto const& x, auto const& y) { return ir::equal(x, y); });
    };
    if (std::none_of(out.begin(), out.end(), is_same)) out.push_back(w->indices);
    return true;
  }
  if (ir::as<ir::barrier>(s)) return false;
  if (auto const* a = ir::as<ir::allocate>(s)) own.insert(a->storage.get());
  bool closed = true;
  for_each_part(s, [&](ir::stmt const& part) { closed = closed && collect_stores(group, part, own, out); });
  return closed;
}

/// Returns true if a statement stores into the buffers.
[[nodiscard]] inline bool stores_into(buffer_group const& group, ir::stmt const& s) {
  if (auto const* w = ir::as<ir::store>(s)) return group.count(w->to.get()) != 0;
  bool found = false;
  for_each_part(s, [&](ir::stmt const& part) { found = found || stores_into(group, part); });
  return found;
}

}}}}  // namespace ttune::v0::lowering::detail
