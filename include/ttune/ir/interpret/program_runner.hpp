// SPDX-License-Identifier: Apache-2.0
// Executes programs stage after stage, as nested loops.
#pragma once

#include <deque>
#include <span>
#include <unordered_map>

#include "ttune/ir/interpret/value_code.hpp"
#include "ttune/ir/print.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// Arrays by the tensor, stage or buffer that they belong to; a stage has one array for each component.
class array_table {
 public:
  std::int32_t add(void const* owner, storage content) {
    slots_.emplace(owner, static_cast<std::int32_t>(content_.size()));
    content_.push_back(std::move(content));
    return static_cast<std::int32_t>(content_.size()) - 1;
  }
  /// Adds another component of the last added owner.
  void add_component(storage content) { content_.push_back(std::move(content)); }

  [[nodiscard]] std::int32_t slot(source const& from, int component) const {
    auto const it = slots_.find(std::visit([](auto const& h) -> void const* { return h.get(); }, from));
    if (it == slots_.end()) throw internal_error(name_of(from) + " is read before it is there");
    return it->second + component;
  }
  [[nodiscard]] storage& operator[](std::int32_t slot) { return content_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::vector<storage*> pointers() {
    std::vector<storage*> all;
    for (auto& s : content_) all.push_back(&s);
    return all;
  }

 private:
  std::unordered_map<void const*, std::int32_t> slots_;
  std::deque<storage> content_;  // a deque keeps addresses stable
};

/// Checks operands against the inputs of a program and passes each to `take(tensor, array)`; tables have their own
/// content.
template <class Take>
void for_each_operand(program const& p, std::span<ndarray const> operands, Take const& take) {
  std::size_t next = 0;
  for (auto const& t : p.inputs) {
    auto const shape = shape_of(t);
    if (t->role == tensor_role::table) {
      ndarray content(t->type, shape);
      for (std::size_t i = 0; i < t->content.size(); ++i) content.set_number(i, t->content[i]);
      take(t, std::move(content));
      continue;
    }
    if (next == operands.size()) throw argument_error(print_signature(p) + ": operand " + t->name + " is missing");
    auto const& given = operands[next++];
    if (given.type != t->type || given.shape != shape)
      throw argument_error(print_signature(p) + ": operand " + t->name + " is given as " + ttune::name_of(given.type) +
                           " " + shape_text(given.shape));
    take(t, given);
  }
  if (next != operands.size())
    throw argument_error(print_signature(p) + ": " + std::to_string(operands.size()) + " operands are given");
}

/// Calls `f` for every point of a box; the coordinates are in `variables[first …]`.
template <class Function>
void for_each_point(std::vector<axis> const& axes, std::vector<std::int64_t>& variables, std::size_t first,
                    Function const& f, std::size_t d = 0) {
  if (d == axes.size()) return f();
  for (auto i = axes[d].begin; i < axes[d].end.value; ++i) {
    variables[first + d] = i;
    for_each_point(axes, variables, first, f, d + 1);
  }
}

/// A compiled stage.
class stage_runner {
 public:
  stage_runner(stage const& s, array_table& arrays) : stage_(s), arrays_(arrays) {
    auto const variable_slot = [&](std::string const& name) { return slot_of(name); };
    auto const array_slot = [&](source const& from, int c) { return arrays_.slot(from, c); };
    auto const compile = [&](expr const& e, bool in_sum) {
      return code_.compile(e, in_sum, variable_slot, array_slot);
    };
    code_.keep_values();
    bool const in_sum = s.reduction.kind == reduction_kind::sum;
    for (auto const& c : s.components) values_.push_back(compile(c.value, in_sum));
    if (s.predicate) predicate_ = compile(s.predicate, false);
    for (auto const& e : s.reduction.identity) identity_.push_back(compile(e, false));
    for (auto const& e : s.reduction.combine) combine_.push_back(compile(e, false));
    if (s.reduces() && s.reduction.kind != reduction_kind::tuple) {
      auto const type = s.components[0].type;
      built_in_ = {make_identity(s.reduction.kind, type),
                   make_combine(s.reduction.kind, make_argument(type, false, 0), make_argument(type, true, 0))};
      identity_ = {compile(built_in_[0], false)};
      combine_ = {compile(built_in_[1], false)};
    }
    code_.arguments[0].resize(values_.size());
    code_.arguments[1].resize(values_.size());
    frame_.variables.resize(s.axes.size() + s.reduction.axes.size());
  }

  std::vector<ndarray> run() {
    frame_.arrays = arrays_.pointers();
    std::vector<std::int64_t> shape;
    for (auto const& a : stage_.axes) shape.push_back(a.size());
    std::vector<ndarray> made;
    for (auto const& c : stage_.components) made.emplace_back(c.type, shape);
    std::size_t at = 0;
    for_each_point(stage_.axes, frame_.variables, 0, [&] {
      auto const& point = stage_.reduces() ? reduced() : mapped();
      for (std::size_t c = 0; c < made.size(); ++c) put(made[c], at, point[c]);
      ++at;
    });
    return made;
  }

  /// Computes one element and stores it in the array that `array_of(component)` returns.
  template <class ArrayOf>
  void compute(std::size_t element, ArrayOf const& array_of) {
    frame_.arrays = arrays_.pointers();
    auto rest = static_cast<std::int64_t>(element);
    for (auto d = stage_.axes.size(); d-- > 0;) {
      auto const& a = stage_.axes[d];
      frame_.variables[d] = a.begin + rest % a.size();
      rest /= a.size();
    }
    auto const& point = stage_.reduces() ? reduced() : mapped();
    for (std::size_t c = 0; c < values_.size(); ++c) put(array_of(c), element, point[c]);
  }

 private:
  [[nodiscard]] std::int32_t slot_of(std::string const& name) const {
    std::int32_t i = 0;
    for (auto const* axes : {&stage_.axes, &stage_.reduction.axes})
      for (auto const& a : *axes) {
        if (a.name == name) return i;
        ++i;
      }
    throw internal_error("stage " + stage_.name + " has no axis " + name);
  }

  static void put(ndarray& to, std::size_t at, number const& v) {
    if (is_float(to.type)) to.reals[at] = v.real;
    else to.integers[at] = v.integer;
  }

  std::vector<number> const& mapped() {
    code_.next_point();
    for (std::size_t c = 0; c < values_.size(); ++c) code_.arguments[1][c] = code_.value(values_[c], frame_);
    return code_.arguments[1];
  }

  std::vector<number> const& reduced() {
    auto& accumulated = code_.arguments[0];
    for (std::size_t c = 0; c < values_.size(); ++c) accumulated[c] = code_.value(identity_[c], frame_);
    std::vector<number> combined(values_.size());
    for_each_point(stage_.reduction.axes, frame_.variables, stage_.axes.size(), [&] {
      code_.next_point();
      if (predicate_ >= 0 && code_.integer(predicate_, frame_) == 0) return;
      (void)mapped();
      code_.next_point();
      for (std::size_t c = 0; c < combined.size(); ++c) combined[c] = code_.value(combine_[c], frame_);
      accumulated.swap(combined);
    });
    return accumulated;
  }

  stage const& stage_;
  array_table& arrays_;
  value_code code_;
  frame frame_;
  std::int32_t predicate_ = -1;
  std::vector<std::int32_t> values_;
  std::vector<std::int32_t> identity_;
  std::vector<std::int32_t> combine_;
  std::vector<expr> built_in_;  ///< identity and combine function of a built-in reduction
};

/// Returns an output rounded to its type, as its reader gets it.
inline ndarray rounded(ndarray values) {
  for (auto& v : values.reals) v = rounded_to(values.type, v);
  return values;
}

}}}}  // namespace ttune::v0::ir::detail
