// SPDX-License-Identifier: Apache-2.0
// The loops and stores of a lowered kernel with their numbers: how often the busiest core runs each, and how each index
// moves with the loops around it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/sampled_share.hpp"

namespace ttune { inline namespace v0 { namespace roof {

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct counted_loop {
  std::string variable;
  ir::loop_kind kind = ir::loop_kind::serial;
  double all = 1;    ///< iterations
  double trips = 1;  ///< of the busiest core
};

/// The steps of an index: elements for each iteration of each loop around the access, the outermost first.
struct index_steps {
  std::vector<double> step;
  bool gathered = false;  ///< data decide
  double extent = 1;      ///< of the buffer
};

/// A read or write of a buffer by a store.
struct touch {
  ir::buffer const* buffer = nullptr;
  bool write = false;
  std::vector<index_steps> dimensions;
  std::vector<ir::expr> const* indices = nullptr;

  [[nodiscard]] bool gathered() const {
    return std::any_of(dimensions.begin(), dimensions.end(), [](index_steps const& d) { return d.gathered; });
  }
  [[nodiscard]] bool moves_with(std::size_t loop) const {
    return std::any_of(dimensions.begin(), dimensions.end(), [&](index_steps const& d) { return d.step[loop] != 0; });
  }
  /// Returns the elements in memory between two iterations of a loop.
  [[nodiscard]] double stride(std::size_t loop) const {
    double below = 1, sum = 0;
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) sum += d->step[loop] * below, below *= d->extent;
    return std::abs(sum);
  }
};

struct counted_store {
  ir::store const* what = nullptr;
  std::vector<std::size_t> path;  ///< the loops around it, the outermost first
  double share = 1;               ///< of the iterations in which it runs
  double lanes_share = 1;         ///< of the lanes that run
  std::vector<touch> touches;     ///< its own write is the first
};

/// A statement as a tree: a loop, a store, or several parts in sequence.
struct loop_region {
  std::size_t loop = none;
  std::size_t store = none;
  std::size_t depth = 0;  ///< number of loops around it
  std::vector<loop_region> inside;
};

struct loop_tree {
  std::vector<counted_loop> loops;
  std::vector<counted_store> stores;
  loop_region root;
};

/// Makes the tree of a kernel for CPUs.
class loop_tree_builder {
 public:
  explicit loop_tree_builder(std::int32_t threads) : threads_(threads) {}

  [[nodiscard]] loop_tree build(ir::stmt const& body) {
    add(body, made_.root);
    return std::move(made_);
  }

 private:
  struct moved {
    std::vector<double> step;
    bool gathered = false;
  };

  void add(ir::stmt const& s, loop_region& to) {
    if (!s) return;
    if (auto const* b = ir::as<ir::block>(s)) {
      for (auto const& part : b->body) add(part, to);
    } else if (auto const* l = ir::as<ir::loop>(s)) {
      add_loop(*l, to);
    } else if (auto const* n = ir::as<ir::let>(s)) {
      add_let(*n, to);
    } else if (auto const* a = ir::as<ir::allocate>(s)) {
      add(a->body, to);
    } else if (auto const* c = ir::as<ir::conditional>(s)) {
      add_conditional(*c, to);
    } else if (auto const* w = ir::as<ir::store>(s)) {
      add_store(*w, to);
    }
  }

  void add_loop(ir::loop const& l, loop_region& to) {
    auto const begin = middle(l.begin), end = middle(l.end);
    auto const all = std::max(1.0, end - begin);
    auto const trips = l.kind == ir::loop_kind::parallel && !in_parallel_ ? std::ceil(all / threads_) : all;
    loop_region made;
    made.loop = made_.loops.size();
    made.depth = path_.size();
    made_.loops.push_back({l.variable, l.kind, all, trips});
    auto const outer = known_.find(l.variable) == known_.end() ? std::nullopt : std::optional(known_[l.variable]);
    known_[l.variable] = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + all) - 1};
    path_.push_back(made.loop);
    bool const was = std::exchange(in_parallel_, in_parallel_ || l.kind == ir::loop_kind::parallel);
    add(l.body, made);
    in_parallel_ = was;
    path_.pop_back();
    if (outer) known_[l.variable] = *outer;
    else known_.erase(l.variable);
    if (!made.inside.empty()) to.inside.push_back(std::move(made));
  }

  void add_let(ir::let const& n, loop_region& to) {
    moved of{std::vector<double>(path_.size()), false};
    move(n.value, 1, of);
    auto const hidden = lets_.find(n.variable) == lets_.end() ? std::nullopt : std::optional(lets_[n.variable]);
    lets_[n.variable] = std::move(of);
    known_[n.variable] = {n.low, std::max(n.low, n.high - 1)};
    add(n.body, to);
    known_.erase(n.variable);
    if (hidden) lets_[n.variable] = *hidden;
    else lets_.erase(n.variable);
  }

  void add_conditional(ir::conditional const& c, loop_region& to) {
    auto const holds = share_of(c.condition);
    bool const by_lane = std::any_of(path_.begin(), path_.end(), [&](std::size_t i) {
      auto const& l = made_.loops[i];
      return l.kind == ir::loop_kind::vectorized && ir::mentions(c.condition, {l.variable});
    });
    auto& share = by_lane ? lanes_share_ : share_;
    auto const before = share;
    share = before * holds;
    if (holds > 0) add(c.then, to);
    share = before * (1 - holds);
    if (holds < 1) add(c.otherwise, to);
    share = before;
  }

  void add_store(ir::store const& w, loop_region& to) {
    counted_store made{&w, path_, share_, lanes_share_, {}};
    made.touches.push_back(touch_of(*w.to, w.indices, true));
    ir::for_each_distinct_node(w.value, [&](ir::expr const& n) {
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      auto const same = [&](touch const& t) {
        return !t.write && t.buffer == &ir::buffer_of(*a) && equal_indices(*t.indices, a->indices);
      };
      if (std::none_of(made.touches.begin(), made.touches.end(), same))
        made.touches.push_back(touch_of(ir::buffer_of(*a), a->indices, false));
    });
    loop_region leaf;
    leaf.store = made_.stores.size();
    leaf.depth = path_.size();
    made_.stores.push_back(std::move(made));
    to.inside.push_back(std::move(leaf));
  }

  [[nodiscard]] static bool equal_indices(std::vector<ir::expr> const& a, std::vector<ir::expr> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](ir::expr const& x, ir::expr const& y) { return ir::equal(x, y); });
  }

  [[nodiscard]] touch touch_of(ir::buffer const& b, std::vector<ir::expr> const& indices, bool write) const {
    touch made{&b, write, {}, &indices};
    for (std::size_t d = 0; d < indices.size(); ++d) {
      moved of{std::vector<double>(path_.size()), false};
      move(indices[d], 1, of);
      for (auto& step : of.step) step = std::abs(step);
      made.dimensions.push_back({std::move(of.step), of.gathered, static_cast<double>(b.extents[d])});
    }
    return made;
  }

  /// Adds how an expression moves with the loops around it, `scale` times.
  void move(ir::expr const& e, double scale, moved& to) const {
    if (auto const* v = ir::as<ir::variable>(e)) return move_variable(v->name, scale, to);
    if (ir::as<ir::access>(e)) {
      to.gathered = true;
      return;
    }
    if (auto const* c = ir::as<ir::cast>(e)) return move(c->operand, scale, to);
    if (auto const* s = ir::as<ir::select>(e)) return move_one_of(s->when_true, s->when_false, scale, to);
    if (auto const* u = ir::as<ir::unary>(e))
      return move(u->operand, u->op == ir::unary_op::negate ? -scale : scale, to);
    if (auto const* b = ir::as<ir::binary>(e)) move_binary(*b, scale, to);
  }

  void move_variable(std::string const& name, double scale, moved& to) const {
    if (auto const let = lets_.find(name); let != lets_.end()) {
      for (std::size_t i = 0; i < let->second.step.size(); ++i) to.step[i] += scale * let->second.step[i];
      to.gathered = to.gathered || let->second.gathered;
      return;
    }
    for (auto i = path_.size(); i-- > 0;)
      if (made_.loops[path_[i]].variable == name) {
        to.step[i] += scale;
        return;
      }
  }

  void move_binary(ir::binary const& b, double scale, moved& to) const {
    auto const is_number = [](ir::expr const& e) { return ir::is_constant(e) && !is_float(e->type); };
    auto const constant = [](ir::expr const& e) { return static_cast<double>(ir::constant_integer(e)); };
    switch (b.op) {
      case ir::binary_op::add:
      case ir::binary_op::subtract:
        move(b.left, scale, to);
        return move(b.right, b.op == ir::binary_op::add ? scale : -scale, to);
      case ir::binary_op::multiply:
        if (is_number(b.right)) return move(b.left, scale * constant(b.right), to);
        return move(b.right, is_number(b.left) ? scale * constant(b.left) : scale, to);
      case ir::binary_op::divide:
      case ir::binary_op::floor_divide:
        return move(b.left, is_number(b.right) && constant(b.right) != 0 ? scale / constant(b.right) : scale, to);
      case ir::binary_op::modulo:
      case ir::binary_op::floor_modulo: return move(b.left, scale, to);
      default: return move_one_of(b.left, b.right, scale, to);
    }
  }

  /// Two expressions of which one is the value: the first one that moves counts.
  void move_one_of(ir::expr const& a, ir::expr const& b, double scale, moved& to) const {
    moved first{std::vector<double>(path_.size()), false};
    move(a, scale, first);
    bool const still = std::all_of(first.step.begin(), first.step.end(), [](double s) { return s == 0; });
    if (still && !first.gathered) return move(b, scale, to);
    for (std::size_t i = 0; i < path_.size(); ++i) to.step[i] += first.step[i];
    to.gathered = to.gathered || first.gathered;
  }

  /// Returns the value of a bound in the middle of the ranges of its variables.
  [[nodiscard]] double middle(ir::expr const& e) const {
    auto const between = arith::bounds(e, known_);
    if (!arith::is_bounded(between)) return 0;
    return (static_cast<double>(between.low) + static_cast<double>(between.high)) / 2;
  }

  /// Returns the share of iterations in which a condition holds: all are tried if only one loop decides.
  [[nodiscard]] double share_of(ir::expr const& condition) const {
    std::string name;
    bool one = true;
    ir::for_each_node(condition, [&](ir::expr const& n) {
      auto const* v = ir::as<ir::variable>(n);
      if (!v) return;
      one = one && (name.empty() || name == v->name);
      name = v->name;
    });
    auto const range = known_.find(name);
    if (!one || range == known_.end() || range->second.high - range->second.low >= 1024)
      return lowering::detail::share_where(condition, known_);
    double holds = 0, all = 0;
    for (auto at = range->second.low; at <= range->second.high; ++at, ++all)
      holds += ir::is_constant(arith::simplify(condition, {{name, {at, at}}}), 0) ? 0 : 1;
    return holds / all;
  }

  std::int32_t threads_;
  loop_tree made_;
  std::vector<std::size_t> path_;
  arith::ranges known_;
  std::unordered_map<std::string, moved> lets_;
  double share_ = 1;
  double lanes_share_ = 1;
  bool in_parallel_ = false;
};

}}}  // namespace ttune::v0::roof
