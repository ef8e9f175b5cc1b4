// SPDX-License-Identifier: Apache-2.0
// compute_with: two stages of one iteration space become one stage with the results of both, so that one loop nest
// reads common operands once.
//
//   S(i) = sum(k) A(i, k)                  →      S(i) = reduce(k) S A(i, k), Q A(i, k) * A(i, k)
//   Q(i) = sum(k) A(i, k) * A(i, k)                 each summed by itself                   compute_with(S, Q)
//
// The free and reduced axes of both must have the same ranges, in order, and their predicates must be equal. The later
// stage may read the earlier one only at its own axes, and only if the earlier one is no reduction: it then computes
// the value itself. Outputs are joined only with neighbouring outputs, since operands keep their order.
//
// .compute_with("S") prints
//
//   T(A f32 (6, 8)) -> T f32 (6), S f32 (6)
//   T(i) = sum(k < 8) A(i, k)
//   S(i) = sum(k < 8) A(i, k) * A(i, k)
// →
//   T(A f32 (6, 8)) -> T.T f32 (6), T.S f32 (6)
//   T(i) = reduce(k < 8) T A(i, k), S A(i, k) * A(i, k)
//     from T 0.0, S 0.0
//     by T left.T + right.T, S left.S + right.S
#pragma once

#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class compute_with_call {
 public:
  /// The current stage gets the results of another one, too, which has the same axes: one loop nest for both.
  template <class Stage>
  [[nodiscard]] auto compute_with(Stage const& stage) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::compute_with, {typed::source_text(stage)});
  }
};

template <>
struct rules<primitive::compute_with> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.loops = {random.some_twin(st)};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::compute_with>::arguments(step const& s, cpp_names& names) {
  return names.quoted(s.loops[0]);
}

namespace detail {

class stage_joiner {
 public:
  stage_joiner(handle<ir::program> program, step const& s, handle<ir::stage> stays, handle<ir::stage> joins)
      : program_(std::move(program)), step_(s), stays_(std::move(stays)), joins_(std::move(joins)) {
    first_ = place_of(stays_) < place_of(joins_) ? stays_ : joins_;
    second_ = first_ == stays_ ? joins_ : stays_;
    find_readers_of_first();
  }

  handle<ir::program> run() {
    check_domains();
    check_outputs();
    ir::program made{{}, program_->name, program_->inputs, {}, {}};
    std::vector<handle<ir::stage>> later;  // stages after both, because they read the first
    for (auto const& st : program_->stages) {
      if (st == first_) continue;
      if (st == second_) {
        add(made, joined(), st);
        for (auto const& waiting : later) add(made, *waiting, waiting);
        later.clear();
      } else if (place_of(st) < place_of(second_) && reads_first(*st)) {
        later.push_back(st);
      } else {
        add(made, *st, st);
      }
    }
    for (auto const& out : program_->outputs)
      if (auto const& now = moved_.at(out.get()).first; made.outputs.empty() || made.outputs.back() != now)
        made.outputs.push_back(now);
    return share(std::move(made));
  }

 private:
  [[nodiscard]] std::size_t place_of(handle<ir::stage> const& st) const {
    return static_cast<std::size_t>(std::find(program_->stages.begin(), program_->stages.end(), st) -
                                    program_->stages.begin());
  }

  static bool same_axes(std::vector<ir::axis> const& a, std::vector<ir::axis> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](ir::axis const& x, ir::axis const& y) { return x.begin == y.begin && x.end == y.end; });
  }

  void check_domains() const {
    if (stays_->updates || joins_->updates) refuse(step_, joins_->name, "one of the two updates its operand in place");
    auto const &a = stays_->reduction, &b = joins_->reduction;
    if (!same_axes(stays_->axes, joins_->axes) || !same_axes(a.axes, b.axes) || stays_->reduces() != joins_->reduces())
      refuse(step_, joins_->name, "has another iteration space than " + stays_->name);
    if (a.associative != b.associative || a.commutative != b.commutative)
      refuse(step_, joins_->name, "takes its terms in another order than " + stays_->name);
    auto const theirs = in_axes_of_first(second_->predicate);
    if (static_cast<bool>(theirs) != static_cast<bool>(first_->predicate) ||
        (theirs && !ir::equal(theirs, first_->predicate)))
      refuse(step_, joins_->name, "leaves out other terms than " + stays_->name);
  }

  void check_outputs() const {
    auto const& outputs = program_->outputs;
    auto const a = std::find(outputs.begin(), outputs.end(), stays_);
    auto const b = std::find(outputs.begin(), outputs.end(), joins_);
    if ((a == outputs.end()) != (b == outputs.end())) refuse(step_, joins_->name, "only one of the two is an output");
    if (a != outputs.end() && a + 1 != b && b + 1 != a)
      refuse(step_, joins_->name, "is not the output beside " + stays_->name);
  }

  /// Collects the stages that read the first one, themselves or through others.
  void find_readers_of_first() {
    for (auto const& st : program_->stages) {
      bool found = false;
      auto const look = [&](ir::expr const& e) {
        auto const* a = ir::as<ir::access>(e);
        auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
        found = found || (from && (*from == first_ || reads_first(**from)));
      };
      for (auto const& c : st->components) ir::for_each_node(c.value, look);
      if (st->predicate) ir::for_each_node(st->predicate, look);
      if (found) readers_of_first_.insert(st.get());
    }
  }
  [[nodiscard]] bool reads_first(ir::stage const& st) const { return readers_of_first_.contains(&st); }

  [[nodiscard]] ir::expr in_axes_of_first(ir::expr const& e) const {
    if (!e) return e;
    return map_variables(e, [&](std::string const& name) -> ir::expr {
      for (std::size_t d = 0; d < first_->axes.size(); ++d)
        if (second_->axes[d].name == name) return ir::make_variable(first_->axes[d].name);
      for (std::size_t d = 0; d < first_->reduction.axes.size(); ++d)
        if (second_->reduction.axes[d].name == name) return ir::make_variable(first_->reduction.axes[d].name);
      return {};
    });
  }

  /// Replaces reads of the first stage in the second one by the expression of the first. The second stage has the axes
  /// of the first one by now.
  [[nodiscard]] ir::expr without_first(ir::expr const& e) const {
    return map_accesses(e, [&](ir::expr const& whole, ir::access const& a) {
      if (identity(a.from) == first_.get()) {
        if (first_->reduces()) refuse(step_, joins_->name, "reads the results of the other reduction");
        for (std::size_t d = 0; d < a.indices.size(); ++d) {
          auto const* v = ir::as<ir::variable>(a.indices[d]);
          if (!v || v->name != first_->axes[d].name)
            refuse(step_, joins_->name, "one of the two reads the other elsewhere than at its own axes");
        }
        return first_->components[static_cast<std::size_t>(a.component)].value;
      }
      auto const* from = std::get_if<handle<ir::stage>>(&a.from);
      if (from && reads_first(**from)) refuse(step_, joins_->name, "one of the two needs the other's results");
      return whole;
    });
  }

  [[nodiscard]] static std::string component_name(ir::stage const& st, std::size_t c) {
    return st.components.size() == 1 ? st.name : st.components[c].name;
  }

  [[nodiscard]] ir::stage joined() {
    auto const& outputs = program_->outputs;
    auto const place = [&](handle<ir::stage> const& st) { return std::find(outputs.begin(), outputs.end(), st); };
    bool const in_order = place(first_) <= place(second_);
    auto const& front = in_order ? first_ : second_;
    auto const& back = in_order ? second_ : first_;
    offset_[back.get()] = static_cast<int>(front->components.size());
    if (first_->strides != second_->strides)
      refuse(step_, joins_->name, "has other strides than " + stays_->name + ": one of the two is strided");
    ir::stage made{{}, stays_->name, first_->axes, {}, {}, first_->predicate, {}, first_->order, first_->strides};
    for (auto const& st : {front, back})
      for (std::size_t c = 0; c < st->components.size(); ++c) {
        auto const& value = st->components[c].value;
        made.components.push_back({unused_name(made, *st, c), st->components[c].type,
                                   st == first_ ? value : without_first(in_axes_of_first(value))});
      }
    if (!first_->reduces()) return made;
    made.reduction = ir::as_tuple(*front, 0);
    made.reduction.axes = first_->reduction.axes;
    auto const rest = ir::as_tuple(*back, offset_[back.get()]);
    made.reduction.identity.insert(made.reduction.identity.end(), rest.identity.begin(), rest.identity.end());
    made.reduction.combine.insert(made.reduction.combine.end(), rest.combine.begin(), rest.combine.end());
    return made;
  }

  [[nodiscard]] static std::string unused_name(ir::stage const& made, ir::stage const& st, std::size_t c) {
    auto name = component_name(st, c);
    auto const is_used = [&] {
      return std::any_of(made.components.begin(), made.components.end(),
                         [&](ir::component const& other) { return other.name == name; });
    };
    while (is_used()) name = st.name + "_" + name;
    return name;
  }

  void add(ir::program& made, ir::stage const& st, handle<ir::stage> const& old) {
    auto const follow = [&](ir::expr const& whole, ir::access const& a) {
      auto const to = moved_.find(identity(a.from));
      if (to == moved_.end()) return whole;
      return ir::make_access(to->second.first, a.indices, a.outside, a.fill, a.component + to->second.second);
    };
    made.stages.push_back(share(map_stage(st, [&](ir::expr const& e) { return map_accesses(e, follow); })));
    moved_[old.get()] = {made.stages.back(), offset_[old.get()]};
    if (old == second_) moved_[first_.get()] = {made.stages.back(), offset_[first_.get()]};
  }

  handle<ir::program> program_;
  step const& step_;
  handle<ir::stage> stays_;
  handle<ir::stage> joins_;
  handle<ir::stage> first_;  ///< the first of the two, in the order of the program
  handle<ir::stage> second_;
  std::unordered_set<ir::stage const*> readers_of_first_;
  std::unordered_map<void const*, int> offset_;  ///< old stage -> position of its components in the new stage
  std::unordered_map<void const*, std::pair<handle<ir::stage>, int>> moved_;
};

}  // namespace detail

/// stage: keeps its name and gets the results of both. loops[0]: the stage that joins it.
handle<ir::program> rules<primitive::compute_with>::apply(handle<ir::program> const& p, step const& s) {
  auto const stays = find_stage(p, s, s.stage);
  auto const joins = find_stage(p, s, s.loops.at(0));
  if (stays == joins) refuse(s, s.stage, "is one stage: name another one that joins it");
  return detail::stage_joiner(p, s, stays, joins).run();
}

}}}  // namespace ttune::v0::primitives
#endif
