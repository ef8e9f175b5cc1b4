// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/capture/capture.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/schedule_builder.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

struct operator_text {
  char const* text;
  int precedence;
};
[[nodiscard]] inline operator_text text_of(knob_expression::op what) {
  using op = knob_expression::op;
  switch (what) {
    case op::add: return {" + ", 6};
    case op::subtract: return {" - ", 6};
    case op::multiply: return {" * ", 7};
    case op::divide: return {" / ", 7};
    case op::modulo: return {" % ", 7};
    case op::less: return {" < ", 5};
    case op::less_equal: return {" <= ", 5};
    case op::equal: return {" == ", 4};
    case op::not_equal: return {" != ", 4};
    case op::logical_and: return {" && ", 3};
    case op::logical_or: return {" || ", 2};
    default: return {nullptr, 9};
  }
}

/// Adds the operands that a stage and its producers read, in reading order.
inline void collect_inputs(handle<ir::stage> const& from, std::vector<handle<ir::tensor>>& found,
                           std::vector<handle<ir::stage>>& seen) {
  for (auto const& s : seen)
    if (s == from) return;
  seen.push_back(from);
  auto const add = [&](handle<ir::tensor> const& t) {
    if (t->role != ir::tensor_role::table && std::find(found.begin(), found.end(), t) == found.end())
      found.push_back(t);
  };
  auto const look = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&a->from)) add(*t);
    if (auto const* s = std::get_if<handle<ir::stage>>(&a->from)) collect_inputs(*s, found, seen);
  };
  if (from->updates) add(from->updates);
  for (auto const& c : from->components) ir::for_each_node(c.value, look);
  if (from->predicate) ir::for_each_node(from->predicate, look);
}

}  // namespace detail

extent_formula extent_formula::of_loop(std::string name) {
  auto text = "extent(" + name + ")";
  return {{{knob_expression::op::value, std::move(name), 0}}, std::move(text), 9};
}
extent_formula extent_formula::of_number(std::int64_t value) {
  return {{{knob_expression::op::value, {}, value}}, std::to_string(value), 9};
}
extent_formula extent_formula::negated(extent_formula a) {
  a.text = a.precedence < 8 ? "!(" + a.text + ")" : "!" + a.text;
  a.precedence = 8;
  a.items.push_back({knob_expression::op::logical_not, {}, 0});
  return a;
}
extent_formula extent_formula::join(knob_expression::op what, extent_formula a, extent_formula b) {
  auto const [symbol, precedence] = detail::text_of(what);
  auto const inside = [p = precedence](extent_formula const& f, bool right) {
    return f.precedence < p || (right && f.precedence == p) ? "(" + f.text + ")" : f.text;
  };
  if (symbol) a.text = inside(a, false) + symbol + inside(b, true);
  else a.text = (what == knob_expression::op::minimum ? "min(" : "max(") + a.text + ", " + b.text + ")";
  a.precedence = precedence;
  a.items.insert(a.items.end(), b.items.begin(), b.items.end());
  a.items.push_back({what, {}, 0});
  return a;
}

schedule_builder::schedule_builder(handle<ir::program> program, std::string stage) : current_(std::move(stage)) {
  made_.program = std::move(program);
  std::string names;
  for (auto const& st : made_.program->stages) {
    if (st->name == current_) return;
    names += (names.empty() ? "" : ", ") + st->name;
  }
  throw schedule_error("schedule", current_, "no stage of this name in the operator; there are " + names);
}

handle<ir::program> schedule_builder::program_of(handle<ir::stage> const& output) {
  std::vector<handle<ir::tensor>> inputs;
  std::vector<handle<ir::stage>> seen;
  detail::collect_inputs(output, inputs, seen);
  return capture::program({}, std::move(inputs), {output});
}

void schedule_builder::enter(std::string stage) {
  if (std::find(by_text_.begin(), by_text_.end(), stage) != by_text_.end())
    throw schedule_error(
        "in", stage,
        "was scheduled by its name in quotes before: stay with that, the compiler does not know its loops any more");
  current_ = std::move(stage);
}
void schedule_builder::enter_by_text(std::string stage, bool has_object) {
  if (has_object)
    throw schedule_error(
        "in", stage,
        "was scheduled by its object before: write in(" + stage + "), so that the compiler checks its loops");
  if (std::find(by_text_.begin(), by_text_.end(), stage) == by_text_.end()) by_text_.push_back(stage);
  current_ = std::move(stage);
}

void schedule_builder::add(primitive what, std::vector<std::string> loops, std::vector<std::string> results,
                           std::vector<knob_value> values) {
  made_.steps.push_back({what, current_, std::move(loops), std::move(results), std::move(values)});
}

std::int32_t schedule_builder::add_knob(primitive what, knob k) {
  for (auto const& other : made_.knobs)
    if (other.name == k.name)
      throw schedule_error(name_of(what), k.name, "there is a knob of this name: choose another");
  made_.knobs.push_back(std::move(k));
  return static_cast<std::int32_t>(made_.knobs.size()) - 1;
}

knob_expression schedule_builder::extent_of(primitive what, std::string const& loop) const {
  for (auto i = extents_.size(); i-- > 0;)
    if (extents_[i].stage == current_ && extents_[i].loop == loop) return extents_[i].value;
  // an axis of the stage after the structural steps so far
  ttune::space so_far{made_.program, {}, {}, {}, {}};
  for (auto const& s : made_.steps)
    if (changes_program(s.what)) so_far.steps.push_back(s);
  auto const p = make_plan(so_far);
  std::string names;
  for (auto const& st : p.stages) {
    if (st.definition->name != current_) continue;
    for (std::size_t a = 0; a < st.axis_count(); ++a) {
      if (st.axis_name(a) == loop) return st.axis_size(a);
      names += (names.empty() ? "" : ", ") + st.axis_name(a);
    }
    throw schedule_error(name_of(what), loop, "no loop " + loop + " in stage " + current_ + "; its axes are " + names);
  }
  throw schedule_error(name_of(what), current_, "no stage of this name");
}

void schedule_builder::set_extent(std::string const& loop, knob_expression value) {
  extents_.push_back({current_, loop, std::move(value)});
}

/// Returns the extents of all parts except the outermost; remembers the extents of all parts.
std::vector<knob_value> schedule_builder::cut(std::string const& loop, split_choice& choice,
                                              std::vector<std::string> const& parts) {
  auto const whole = extent_of(primitive::split, loop);
  std::vector<knob_value> values;
  if (!choice.inner.empty()) {
    for (auto const v : choice.inner) values.push_back(literal(v));
  } else if (!choice.values.empty()) {
    values.push_back({add_knob(primitive::split, one_of_knob(choice.name, choice.values)), 0, 0});
  } else {
    if (!whole.depends_on().empty())
      throw schedule_error(
          "split", loop,
          "the extent of this loop is a knob's choice already: split the axis into more parts at once, or take one_of");
    auto const id = add_knob(primitive::split, factors_knob(choice.name, whole.evaluate({}, {}), choice.parts,
                                                            choice.policy, choice.limits));
    for (std::int32_t c = 1; c < choice.parts; ++c) values.push_back({id, c, 0});
    set_extent(parts[0], knob_value{id, 0, 0});
    for (std::size_t i = 1; i < parts.size(); ++i) set_extent(parts[i], values[i - 1]);
    return values;
  }
  if (values.size() + 1 != parts.size())
    throw schedule_error("split", loop,
                         std::to_string(parts.size()) + " parts take " + std::to_string(parts.size() - 1) +
                             " inner extents, given are " + std::to_string(values.size()));
  knob_expression inner = 1;
  for (auto const& v : values) inner = inner * knob_expression(v);
  set_extent(parts[0], ceil_divide(whole, inner));
  for (std::size_t i = 1; i < parts.size(); ++i) set_extent(parts[i], values[i - 1]);
  return values;
}

void schedule_builder::split(std::string const& loop, split_choice choice, std::vector<std::string> parts) {
  auto values = cut(loop, choice, parts);
  add(primitive::split, {loop}, std::move(parts), std::move(values));
}

void schedule_builder::fuse(std::vector<std::string> loops, std::string result) {
  knob_expression all = 1;
  for (auto const& l : loops) all = all * extent_of(primitive::fuse, l);
  set_extent(result, std::move(all));
  add(primitive::fuse, std::move(loops), {std::move(result)});
}

void schedule_builder::reorder(order_choice const& choice, std::vector<std::string> loops) {
  auto const id = add_knob(primitive::reorder, permutation_knob(choice.name, static_cast<std::int32_t>(loops.size())));
  add(primitive::reorder, std::move(loops), {}, {{id, 0, 0}});
}

void schedule_builder::add_by_choice(primitive what, boolean_choice const& choice, std::vector<std::string> loops) {
  auto const id = add_knob(what, boolean_knob(choice.name));
  add(what, std::move(loops), {}, {{id, 0, 0}});
}

void schedule_builder::inline_stage(std::string stage) {
  made_.steps.push_back({primitive::inline_stage, std::move(stage), {}, {}, {}});
}
void schedule_builder::where(extent_formula const& condition) {
  std::vector<knob_expression> stack;
  for (auto const& i : condition.items) {
    if (i.what == knob_expression::op::value) {
      if (!i.loop.empty()) stack.push_back(extent_of(primitive::split, i.loop));
      else stack.push_back(i.constant);
      continue;
    }
    auto const right = std::move(stack.back());
    stack.pop_back();
    if (i.what == knob_expression::op::logical_not) {
      stack.push_back(!right);
      continue;
    }
    auto const left = std::move(stack.back());
    stack.pop_back();
    stack.push_back(combine(i.what, left, right));
  }
  made_.constraints.push_back({std::move(stack.back()), condition.text});
}

ttune::space schedule_builder::space() const {
  auto made = made_;
  for (auto const& k : made.knobs) {
    std::int32_t best = 0;
    double least = 1e300;
    for (std::int32_t c = 0; c < k.choices() && k.kind == knob::sort::factors; ++c) {
      double distance = 0;
      auto const values = k.choice(c);
      for (std::size_t v = 1; v < values.size(); ++v) distance += std::abs(std::log2(values[v]) - 4);
      if (distance < least) least = distance, best = c;
    }
    made.seed.choices.push_back(best);
  }
  for (auto const& c : made.constraints)
    if (c.condition.evaluate(made.knobs, made.seed) == 0) {
      made.seed.choices.clear();
      break;
    }
  (void)make_plan(made);  // throws schedule_error for steps that cannot be applied
  return made;
}

}}  // namespace ttune::v0
