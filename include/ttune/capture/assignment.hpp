// SPDX-License-Identifier: Apache-2.0
// The stage of one compute: finds the extents of its axes, and makes reductions inside of its expression stages.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/arith/split_gathers.hpp"
#include "ttune/capture/bounds.hpp"
#include "ttune/capture/open_stage.hpp"
#include "ttune/expr/builder.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

inline char const* name_of(ir::reduction_kind k) {
  static constexpr char const* texts[] = {"value", "sum", "prod", "min", "max", "reduce"};
  return texts[static_cast<int>(k)];
}

inline ir::reduction as_reduction(reduction const& how) {
  ir::reduction made;
  made.kind = static_cast<ir::reduction_kind>(how.kind);
  for (auto const& o : how.over)
    made.axes.push_back(
        {o.name, o.given ? o.begin : 0, o.given ? ir::extent(o.end.value, o.end.symbol) : ir::extent(-1)});
  made.identity = how.identity;
  made.combine = how.combine;
  made.associative = how.associative;
  made.commutative = how.commutative;
  return made;
}

/// Builds the stage of one compute: finds its extents and makes its inner reductions stages.
class assignment {
 public:
  assignment(std::string name, std::vector<axis_range> const& left, memory_order order, operand_strides strides,
             handle<ir::tensor> updates)
      : name_(std::move(name)),
        order_(static_cast<ir::layout>(order)),
        strides_(strides_of_rank(strides, left.size())),
        updates_(std::move(updates)) {
    for (auto const& a : left) {
      left_.push_back(a.name);
      if (a.given) give(a.name, a.begin, {a.end.value, a.end.symbol});
    }
  }

  handle<ir::stage> run(ir::expr const& value, ir::reduction whole) {
    collect_parts(value);
    for (auto const& a : whole.axes)
      if (a.end.value >= 0) give(a.name, a.begin, a.end);
    collect_given();
    collect_uses();
    require_extents(whole);
    for (auto const& [axis, r] : ranges_) known_[axis] = {r.begin, r.end.value - 1};
    check_reads();
    if (auto const* inner = whole.kind == ir::reduction_kind::none ? open_stage(value) : nullptr;
        inner && is_whole(value, *inner))
      return finish(*inner);
    ir::stage made;
    made.reduction = std::move(whole);
    made.components.push_back({"", value->type, value});
    return finish(std::move(made));
  }

 private:
  struct range {
    std::int64_t begin = 0;
    ir::extent end;
    bool given = false;
    std::string where;  ///< source of the range, such as "A dimension 1"
  };

  [[noreturn]] void refuse(std::string const& sentence) const { throw program_error(name_ + ": " + sentence); }

  void give(std::string const& axis, std::int64_t begin, ir::extent end) {
    if (end.value < begin)
      refuse("axis " + axis + " runs from " + std::to_string(begin) + " to " + std::to_string(end.value) +
             ", which is backwards");
    ranges_[axis] = {begin, end, true, "in(…)"};
  }

  /// Lists an expression and those of the open stages that it reads.
  void collect_parts(ir::expr const& e) {
    parts_.push_back(e);
    ir::for_each_distinct_node(e, [&](ir::expr const& n) {
      auto const* s = open_stage(n);
      if (!s || std::find(open_.begin(), open_.end(), s) != open_.end()) return;
      open_.push_back(s);
      for (auto const& c : s->components) collect_parts(c.value);
    });
  }

  /// Calls `f` on the nodes of all parts, but for reads of open stages; once on a node that is used repeatedly.
  template <class Function>
  void for_each_node(Function const& f) const {
    for (auto const& part : parts_)
      ir::for_each_distinct_node(part, [&](ir::expr const& n) {
        if (!open_stage(n)) f(n);
      });
  }

  void collect_given() {
    for (auto const* s : open_)
      for (auto const& a : s->reduction.axes)
        if (a.end.value >= 0) give(a.name, a.begin, a.end);
  }

  /// Takes the extents of axes from the dimensions that they index alone; all must agree.
  void collect_uses() {
    for_each_node([&](ir::expr const& n) {
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      for (std::size_t d = 0; d < a->indices.size(); ++d)
        if (auto const* v = ir::as<ir::variable>(a->indices[d])) use(v->name, *a, d);
    });
  }

  void use(std::string const& axis, ir::access const& a, std::size_t d) {
    ir::extent size;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&a.from)) size = (*t)->shape[d];
    else size = std::get<handle<ir::stage>>(a.from)->axes[d].end;
    auto const where = ir::name_of(a.from) + " dimension " + std::to_string(d);
    auto const [it, added] = ranges_.try_emplace(axis, range{0, size, false, where});
    if (!added && !it->second.given && it->second.end.value != size.value)
      refuse("axis " + axis + " has extent " + std::to_string(it->second.end.value) + " in " + it->second.where +
             " and " + std::to_string(size.value) + " in " + where);
  }

  void require_extent(std::string const& axis) const {
    if (ranges_.count(axis) == 0) refuse("nothing gives the extent of axis " + axis + "; write " + axis + ".in(n)");
  }
  void require_extents(ir::reduction const& whole) const {
    for (auto const& a : left_) require_extent(a);
    for (auto const& a : whole.axes) require_extent(a.name);
    for_each_node([&](ir::expr const& n) {
      if (auto const* v = ir::as<ir::variable>(n)) require_extent(v->name);
    });
    for (auto const* s : open_)
      for (auto const& a : s->reduction.axes) require_extent(a.name);
  }

  void check_reads() const {
    for_each_node([&](ir::expr const& n) {
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      check_update(*a);
      check_read(name_, *a, known_);
    });
  }

  /// Checks that an update in place reads only the element that it writes.
  void check_update(ir::access const& a) const {
    auto const* t = std::get_if<handle<ir::tensor>>(&a.from);
    if (!updates_ || !t || (*t)->name != updates_->name) return;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      auto const* v = ir::as<ir::variable>(a.indices[d]);
      if (!v || d >= left_.size() || v->name != left_[d])
        refuse("update(" + updates_->name + ") reads " + updates_->name +
               " at other indices than it writes; compute into a new tensor. Elements are made in any order, so a "
               "recurrence is no stage: write a running sum as sum(over(k), select(k <= i, e, 0)), others as one "
               "operator a step");
    }
  }

  /// Returns true if the value is one inner reduction, read at the axes of the left side.
  [[nodiscard]] bool is_whole(ir::expr const& value, ir::stage const& inner) const {
    if (inner.name.size() > 1) return false;  // the user named it, so it stays a stage
    if (inner.components.size() != 1) return false;
    auto const& indices = ir::as<ir::access>(value)->indices;
    return std::all_of(indices.begin(), indices.end(), [&](ir::expr const& i) {
      auto const* v = ir::as<ir::variable>(i);
      return v && std::find(left_.begin(), left_.end(), v->name) != left_.end();
    });
  }

  [[nodiscard]] ir::axis settled(std::string const& axis) const {
    auto const& r = ranges_.at(axis);
    return {axis, r.begin, r.end};
  }

  handle<ir::stage> finish(ir::stage made) {
    made.name = name_;
    made.axes.clear();
    for (auto const& a : left_) made.axes.push_back(settled(a));
    for (auto const& a : made.axes)
      if (a.begin != 0)
        refuse("axis " + a.name + " on the left begins at " + std::to_string(a.begin) +
               "; only update(…) writes a part");
    for (auto& a : made.reduction.axes) a = settled(a.name);
    for (auto& c : made.components) c.value = settle(c.value);
    made.order = order_;
    made.strides = strides_;
    made.updates = updates_;
    return share(std::move(made));
  }

  /// Replaces the open stages inside of an expression by complete ones, and takes apart indices of data and axes.
  ir::expr settle(ir::expr const& e) {
    if (auto const it = settled_.find(e.get()); it != settled_.end()) return it->second;
    auto made = open_stage(e)
                    ? read_of_settled(e)
                    : ir::map_operands(e, [&](ir::expr const& o) { return arith::split_gathers(settle(o), known_); });
    return settled_.emplace(e.get(), std::move(made)).first->second;
  }

  ir::expr read_of_settled(ir::expr const& e) {
    auto const& open = *open_stage(e);
    auto& made = settled_stages_[&open];
    if (!made) made = settle_stage(open);
    std::vector<ir::expr> indices;  // the axes themselves, or a part of a complex value
    for (auto const& a : made->axes) {
      auto const is_it = [&](ir::axis const& other) { return other.name == a.name; };
      auto const at = std::find_if(open.axes.begin(), open.axes.end(), is_it) - open.axes.begin();
      indices.push_back(ir::as<ir::access>(e)->indices[static_cast<std::size_t>(at)]);
    }
    return ir::make_access(made, std::move(indices), ir::boundary::none, {}, ir::as<ir::access>(e)->component);
  }

  handle<ir::stage> settle_stage(ir::stage made) {
    auto const given = made.name.substr(1);
    auto const place = [&](ir::axis const& a) { return std::find(left_.begin(), left_.end(), a.name) - left_.begin(); };
    for (std::size_t i = 1; i < made.axes.size(); ++i)  // in the order of the left side, so that readers can be fused
      for (std::size_t j = i; j > 0 && place(made.axes[j]) < place(made.axes[j - 1]); --j)
        std::swap(made.axes[j], made.axes[j - 1]);
    if (order_ == ir::layout::column_major) made.order = order_;
    for (auto& a : made.axes) a = settled(a.name);
    for (auto& a : made.reduction.axes) a = settled(a.name);
    for (auto& c : made.components) c.value = settle(c.value);
    for (auto const& other : inner_)
      if (given.empty() && ir::equal_but_for_name(*other, made)) return other;
    auto const stem = given.empty() ? name_ + "." + name_of(made.reduction.kind) : name_ + "." + given;
    made.name = stem;
    for (int n = 2; std::any_of(inner_.begin(), inner_.end(), [&](auto const& o) { return o->name == made.name; }); ++n)
      made.name = stem + "_" + std::to_string(n);
    inner_.push_back(share(std::move(made)));
    return inner_.back();
  }

  std::string name_;
  ir::layout order_;
  operand_strides strides_;
  handle<ir::tensor> updates_;
  std::vector<std::string> left_;
  std::map<std::string, range> ranges_;
  arith::ranges known_;                 ///< the same for all axes, once each has its range
  std::vector<ir::expr> parts_;         ///< the value, and the values of open stages
  std::vector<ir::stage const*> open_;  ///< without repetition
  std::map<ir::expr_node const*, ir::expr> settled_;
  std::map<ir::stage const*, handle<ir::stage>> settled_stages_;
  std::vector<handle<ir::stage>> inner_;
};

}}}}  // namespace ttune::v0::capture::detail
