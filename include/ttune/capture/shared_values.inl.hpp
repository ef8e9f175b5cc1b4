// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ttune/capture/shared_values.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// Subtracts the nodes of the tree from `left`, until it is negative.
inline void count_nodes(ir::expr const& e, int& left) {
  if (--left >= 0) ir::for_each_operand(e, [&](ir::expr const& o) { count_nodes(o, left); });
}

[[nodiscard]] inline bool has_large_tree(ir::program const& p) {
  return std::any_of(p.stages.begin(), p.stages.end(), [](auto const& st) {
    int left = 2048;  // expressions that people write by hand have hundreds of nodes at most
    for (auto const& c : st->components) count_nodes(c.value, left);
    return left < 0;
  });
}

/// Makes stages of values that are used repeatedly and have at least `worth` nodes.
class value_sharer {
 public:
  value_sharer(handle<ir::program> const& p, double worth) : p_(p), worth_(worth), made_(p) {
    for (auto const& st : p->stages)
      for (auto const& c : st->components) count_uses(c.value);
  }

  /// Returns the new program.
  handle<ir::program> run() {
    for (auto const& st : p_->stages) share_in(st);
    return made_.finish();
  }
  [[nodiscard]] std::size_t stages_made() const noexcept { return values_.size(); }

 private:
  /// A value with what it shares replaced by reads.
  struct part {
    ir::expr with;
    double nodes = 1;        ///< of the tree
    bool stays = false;      ///< it may be absent in a sum, or depends on an axis that a stage cannot have
    bool may_fault = false;  ///< where a condition forbids it
    std::set<std::string> axes;
  };
  struct shared_value {
    ir::expr_node const* of;
    handle<ir::stage> stage;
  };

  /// Reads are leaves: what their indices share stays in them.
  void count_uses(ir::expr const& e) {
    if (uses_[e.get()]++ > 0 || ir::as<ir::access>(e)) return;
    ir::for_each_operand(e, [&](ir::expr const& o) { count_uses(o); });
  }

  /// Marks values that the reader computes at all of its points, whatever the conditions are.
  void mark_always(ir::expr const& e) {
    if (!always_.insert(e.get()).second || ir::as<ir::access>(e)) return;
    if (auto const* s = ir::as<ir::select>(e)) return mark_always(s->condition);
    auto const* b = ir::as<ir::binary>(e);
    bool const is_lazy = b && (b->op == ir::binary_op::logical_and || b->op == ir::binary_op::logical_or);
    if (is_lazy) return mark_always(b->left);
    ir::for_each_operand(e, [&](ir::expr const& o) { mark_always(o); });
  }

  void share_in(handle<ir::stage> const& st) {
    reader_ = st.get();
    parts_.clear();
    always_.clear();
    for (auto const& c : st->components) mark_always(c.value);
    auto changed = *st;
    for (auto& c : changed.components) c.value = shared(c.value).with;
    auto const same = [](ir::component const& a, ir::component const& b) { return a.value == b.value; };
    if (std::equal(changed.components.begin(), changed.components.end(), st->components.begin(), same)) made_.keep(st);
    else made_.replace(st, made_.add(changed));
  }

  part const& shared(ir::expr const& e) {
    if (auto const it = parts_.find(e.get()); it != parts_.end()) return it->second;
    auto now = ir::as<ir::access>(e) ? read(e) : operation(e);
    bool const is_value = e->type != dtype::boolean && e->type != dtype::index;
    bool const may_move = !now.stays && (!now.may_fault || always_.contains(e.get()));
    if (uses_[e.get()] > 1 && is_value && may_move && now.nodes >= worth_) {
      now.with = read_of_stage(e, now);
      now.nodes = 1;
      now.may_fault = false;
    }
    return parts_.emplace(e.get(), std::move(now)).first->second;
  }

  part read(ir::expr const& e) const {
    part now{e, 0, may_be_absent(e), false, {}};
    ir::for_each_node(e, [&](ir::expr const& n) {
      ++now.nodes;
      if (auto const* v = ir::as<ir::variable>(n)) add_axis(v->name, now);
      now.may_fault = now.may_fault || (n != e && ir::as<ir::access>(n));  // the place is data
    });
    return now;
  }

  part operation(ir::expr const& e) {
    part now;
    now.stays = may_be_absent(e);
    now.may_fault = divides_integers(e);
    if (auto const* v = ir::as<ir::variable>(e)) add_axis(v->name, now);
    now.with = ir::map_operands(e, [&](ir::expr const& o) {
      auto const& operand = shared(o);
      now.nodes += operand.nodes;
      now.stays = now.stays || operand.stays;
      now.may_fault = now.may_fault || operand.may_fault;
      now.axes.insert(operand.axes.begin(), operand.axes.end());
      return operand.with;
    });
    return now;
  }

  void add_axis(std::string const& name, part& to) const {
    to.axes.insert(name);
    to.stays = to.stays || axis_of_reader(name).begin != 0;
  }

  [[nodiscard]] ir::axis const& axis_of_reader(std::string const& name) const {
    auto const is_it = [&](ir::axis const& a) { return a.name == name; };
    auto const& left = reader_->axes;
    auto const it = std::find_if(left.begin(), left.end(), is_it);
    if (it != left.end()) return *it;
    auto const& reduced = reader_->reduction.axes;
    return *std::find_if(reduced.begin(), reduced.end(), is_it);
  }

  [[nodiscard]] static bool divides_integers(ir::expr const& e) {
    auto const* b = ir::as<ir::binary>(e);
    return b && !is_float(e->type) && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo);
  }

  [[nodiscard]] bool may_be_absent(ir::expr const& e) const {
    if (reader_->reduction.kind != ir::reduction_kind::sum) return false;
    auto const is_zero = [](ir::expr const& o) { return ir::is_constant(o, 0); };
    if (auto const* s = ir::as<ir::select>(e)) return is_zero(s->when_true) || is_zero(s->when_false);
    auto const* a = ir::as<ir::access>(e);
    return a && a->outside == ir::boundary::value;
  }

  ir::expr read_of_stage(ir::expr const& e, part const& value) {
    std::vector<ir::axis> axes;  // in the order of the reader's
    for (auto const& list : {reader_->axes, reader_->reduction.axes})
      for (auto const& a : list)
        if (value.axes.contains(a.name)) axes.push_back(a);
    std::vector<ir::expr> indices;
    for (auto const& a : axes) indices.push_back(ir::make_variable(a.name));
    return ir::make_access(stage_of(e, value.with, std::move(axes)), std::move(indices));
  }

  handle<ir::stage> stage_of(ir::expr const& e, ir::expr const& value, std::vector<ir::axis> axes) {
    auto const same_axis = [](ir::axis const& a, ir::axis const& b) { return a.name == b.name && a.end == b.end; };
    for (auto const& v : values_)
      if (v.of == e.get() &&
          std::equal(axes.begin(), axes.end(), v.stage->axes.begin(), v.stage->axes.end(), same_axis))
        return v.stage;
    ir::stage made;
    made.name = new_name();
    made.axes = std::move(axes);
    made.components.push_back({"", e->type, value});
    values_.push_back({e.get(), made_.add(made)});
    return values_.back().stage;
  }

  [[nodiscard]] std::string new_name() const {
    auto const stem = reader_->name + ".value";
    auto const is_taken = [&](std::string const& name) {
      return std::any_of(p_->stages.begin(), p_->stages.end(), [&](auto const& s) { return s->name == name; }) ||
             std::any_of(values_.begin(), values_.end(), [&](auto const& v) { return v.stage->name == name; });
    };
    auto name = stem;
    for (int n = 2; is_taken(name); ++n) name = stem + "_" + std::to_string(n);
    return name;
  }

  handle<ir::program> p_;
  double worth_;
  ir::program_builder made_;
  ir::stage const* reader_ = nullptr;
  std::unordered_map<ir::expr_node const*, int> uses_;    ///< in all stages
  std::unordered_set<ir::expr_node const*> always_;       ///< computed at all points of the reader
  std::unordered_map<ir::expr_node const*, part> parts_;  ///< of the reader
  std::vector<shared_value> values_;
};

}  // namespace detail

handle<ir::program> share_values(handle<ir::program> const& p) {
  if (!detail::has_large_tree(*p)) return p;
  // The fewest nodes for which the stages can be scheduled: smaller values are copied, and computed again.
  constexpr std::size_t most_stages = 24;  // half of those that a schedule may have
  constexpr double most_worth = 1024;
  for (double worth = 8;; worth *= 2) {
    detail::value_sharer sharer(p, worth);
    auto made = sharer.run();
    if (sharer.stages_made() <= most_stages || worth == most_worth) return made;
  }
}

}}}  // namespace ttune::v0::capture
