// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/ir/bounding/binary_errors.hpp"
#include "ttune/ir/bounding/error_expressions.hpp"
#include "ttune/ir/bounding/operation_errors.hpp"
#include "ttune/ir/bounding/rounding.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/parts_of_term.hpp"
#include "ttune/ir/rounding_bounds.hpp"
#include "ttune/ir/tuple.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail { namespace bounding {

/// Makes for each stage of a program, and each of its components, a stage that bounds its errors.
class error_analysis {
 public:
  error_analysis(program const& of, sum_errors sums, program& made) : sums_(sums), made_(made) {
    for (auto const& s : of.stages) add(s);
  }

  /// Returns the stage of the errors of a component; null if it has none.
  [[nodiscard]] handle<stage> errors_of(stage const& s, int component) const {
    auto const it = errors_.find({&s, component});
    return it == errors_.end() ? handle<stage>() : it->second;
  }

 private:
  // ------------------------------------------------------------------------------------------- expressions

  /// Returns the error of `e`. Every node has one expression for it, however often it occurs.
  expr error(expr const& e) {
    if (auto const it = known_.find(e.get()); it != known_.end()) return it->second;
    auto made = new_error(e);
    known_.emplace(e.get(), made);
    return made;
  }

  expr new_error(expr const& e) {
    if (auto const* n = as<constant>(e)) return error_of_constant(e->type, n->real);
    if (auto const* n = as<access>(e)) return error_of_read(*n);
    if (auto const* n = as<cast>(e)) return error_of_cast(e, n->operand, error(n->operand));
    if (auto const* n = as<select>(e))
      return error_of_select(*n, error(n->condition), error(n->when_true), error(n->when_false));
    if (auto const* n = as<unary>(e))
      return is_float(e->type) ? error_of_function(e, *n, error(n->operand)) : error(n->operand);
    if (auto const* n = as<binary>(e)) return error_of_binary(e, *n, error(n->left), error(n->right), any_order_);
    if (auto const* n = as<argument>(e))
      return arguments_ == 0 ? expr() : make_argument(dtype::f64, n->right, arguments_ + n->component);
    return {};
  }

  expr error_of_read(access const& a) {
    expr of_indices;
    for (auto const& i : a.indices) of_indices = total(of_indices, error(i));
    expr made;
    if (auto const* s = std::get_if<handle<stage>>(&a.from)) {
      if (auto const from = errors_of(**s, a.component)) {
        auto const fill = a.outside == boundary::value ? or_zero(error(a.fill)) : expr();
        made = make_access(from, a.indices, a.outside, fill);
      }
    }
    return of_indices ? where(is_positive(of_indices), without_bound(), made) : made;
  }

  // ------------------------------------------------------------------------------------------------ stages

  static std::vector<expr> at_axes(stage const& s) {
    std::vector<expr> indices;
    for (auto const& a : s.axes) indices.push_back(make_variable(a.name));
    return indices;
  }
  static expr own_value(handle<stage> const& s, int component) {
    return make_access(s, at_axes(*s), boundary::none, {}, component);
  }

  /// Adds a stage over the axes of another one.
  handle<stage> stage_over(stage const& s, reduction how, std::vector<component> components, expr predicate) {
    stage made;
    made.name = "bound" + std::to_string(made_.stages.size());
    made.axes = s.axes;
    made.reduction = std::move(how);
    made.components = std::move(components);
    made.predicate = std::move(predicate);
    made_.stages.push_back(share(std::move(made)));
    return made_.stages.back();
  }

  /// Reduces an error, or what else belongs to the terms of a stage, over these terms.
  expr reduced(stage const& s, reduction_kind kind, expr const& value, bool all_terms = false) {
    if (!value) return value;
    reduction how;
    how.kind = kind;
    how.axes = s.reduction.axes;
    return own_value(stage_over(s, how, {{"", dtype::f64, value}}, all_terms ? expr() : s.predicate), 0);
  }

  /// Returns the error of a result, or of an accumulator, which may be kept in f32 or rounded to a 16-bit type.
  static expr with_rounding(expr const& value, dtype type, expr const& before) {
    return computed_in(type) == type ? before : total(before, error_of_rounding(value, type, before));
  }

  void add(handle<stage> const& s) {
    known_.clear();
    arguments_ = 0;
    running_ = {};
    if (!s->updates) made_.stages.push_back(s);
    for (std::size_t c = 0; c < s->components.size(); ++c) {
      auto const& [name, type, value] = s->components[c];
      auto e = s->reduces() ? error_of_reduction(s, c) : error(value);
      e = with_rounding(s->updates ? value : own_value(s, static_cast<int>(c)), type, e);
      if (e) errors_[{s.get(), static_cast<int>(c)}] = stage_over(*s, {}, {{"", dtype::f64, e}}, {});
    }
  }

  expr error_of_reduction(handle<stage> const& s, std::size_t c) {
    auto made = error_of_terms(s, c);
    auto const doubt = s->predicate ? reduced(*s, reduction_kind::maximum, error(s->predicate), true) : expr();
    return doubt ? where(is_positive(doubt), without_bound(), made) : made;
  }

  expr error_of_terms(handle<stage> const& s, std::size_t c) {
    auto const& [name, type, value] = s->components[c];
    auto const kind = kind_of(s->reduction, c);
    if (kind == reduction_kind::minimum || kind == reduction_kind::maximum) return error_of_choice(*s, value);
    if (kind == reduction_kind::sum && is_float(type)) return error_of_sum(s, c);
    if (kind == reduction_kind::sum) {
      auto const of_terms = reduced(*s, reduction_kind::sum, error(value));
      return of_terms ? if_held(own_value(s, static_cast<int>(c)), of_terms) : of_terms;
    }
    if (!running_) running_ = running_errors(*s);
    return own_value(running_, static_cast<int>(s->components.size() + c));
  }

  /// Returns the built-in reduction that a component has, as far as it is one: `tuple` if it is none.
  static reduction_kind kind_of(reduction const& r, std::size_t c) {
    if (r.kind != reduction_kind::tuple) return r.kind;
    auto const* b = as<binary>(r.combine[c]);
    auto const is_own = [&](expr const& e) {
      auto const* a = as<argument>(e);
      return a && a->component == static_cast<int>(c);
    };
    if (!b || !is_own(b->left) || !is_own(b->right) || is_same(b->left, b->right)) return r.kind;
    if (b->op == binary_op::add) return reduction_kind::sum;
    if (b->op == binary_op::minimum) return reduction_kind::minimum;
    return b->op == binary_op::maximum ? reduction_kind::maximum : r.kind;
  }

  expr error_of_choice(stage const& s, expr const& value) {
    auto const most = reduced(s, reduction_kind::maximum, error(value));
    return most ? if_positive(most, most) : most;
  }

  expr error_of_sum(handle<stage> const& s, std::size_t c) {
    auto const& [name, type, value] = s->components[c];
    double terms = 1;
    for (auto const& a : s->reduction.axes) terms *= static_cast<double>(a.size());
    auto const of_terms = reduced(*s, reduction_kind::sum, error(value));
    bool const worst = sums_ == sum_errors::worst;
    auto parts = reorders_apart(s->reduction) ? parts_of_term(value) : std::vector<part_of_term>();
    if (parts.empty()) parts = {{value}};  // it is added as a whole
    terms *= static_cast<double>(parts.size());
    expr size;
    expr off;
    for (auto const& part : parts) {
      auto const x = wide(part.value);
      auto const of_part = worst ? magnitude(x) : x * x;
      size = size ? size + of_part : of_part;
      off = off ? larger_of(off, off_grid(x, type)) : off_grid(x, type);
    }
    auto const all = reduced(*s, reduction_kind::sum, size);
    auto const most = worst ? all : root(all * real_number(terms));  // at least the sum of magnitudes
    auto exact = is_exact(reduced(*s, reduction_kind::maximum, off), most, type);
    if (of_terms) exact = both(exact, make_unary(unary_op::logical_not, is_positive(of_terms)));
    auto const any = worst ? (all + or_zero(of_terms)) * real_number(2 * terms * rounding_unit(type))
                           : likely_error(wide(own_value(s, static_cast<int>(c))), root(all), type, terms);
    auto const underflow = real_number(2 * terms * underflow_error(type));
    return total(of_terms, where(exact, {}, any + underflow));
  }

  static expr likely_error(expr const& sum, expr const& root_of_squares, dtype type, double terms) {
    auto const additions = 4 * (1 + std::sqrt(terms)) * rounding_unit(computed_in(type));
    auto const stores = computed_in(type) == type ? 0 : 2 * rounding_unit(type);
    return larger_of(magnitude(sum), root_of_squares) * real_number(additions + stores);
  }

  /// Makes a reduction of values and errors together, for those that are no sum and no choice: the error of a
  /// combination follows from the values and errors that it combines.
  handle<stage> running_errors(stage const& s) {
    auto how = as_tuple(s, 0);
    auto components = s.components;
    auto const count = components.size();
    for (std::size_t c = 0; c < count; ++c) {
      components.push_back({"", dtype::f64, or_zero(error(s.components[c].value))});
      how.identity.push_back(real_number(0));
    }
    arguments_ = static_cast<int>(count);
    any_order_ = how.associative;
    auto const combine = how.combine;
    for (std::size_t c = 0; c < count; ++c)
      how.combine.push_back(or_zero(with_rounding(combine[c], components[c].type, error(combine[c]))));
    arguments_ = 0;
    any_order_ = false;
    known_.clear();  // `combine` ends here
    return stage_over(s, how, std::move(components), s.predicate);
  }

  sum_errors sums_;
  program& made_;
  std::map<std::pair<stage const*, int>, handle<stage>> errors_;
  std::unordered_map<expr_node const*, expr> known_;  ///< errors of the nodes of the stage
  handle<stage> running_;                             ///< values and errors of the stage, if it needs them together
  int arguments_ = 0;                                 ///< components of the reduction whose combination is analysed
  bool any_order_ = false;                            ///< other roundings may occur than those of this order
};

}}}}}  // namespace ttune::v0::ir::detail::bounding

namespace ttune { inline namespace v0 { namespace ir {

rounding_bounds::rounding_bounds(program const& of, sum_errors sums) {
  made_.name = of.name + "_bounds";
  made_.inputs = of.inputs;
  detail::bounding::error_analysis const analysis(of, sums, made_);
  for (auto const& out : of.outputs)
    for (std::size_t c = 0; c < out->components.size(); ++c) {
      auto errors = analysis.errors_of(*out, static_cast<int>(c));
      output_for_.push_back(errors ? static_cast<int>(made_.outputs.size()) : -1);
      if (errors) made_.outputs.push_back(std::move(errors));
    }
}

std::vector<std::vector<double>> rounding_bounds::evaluate(std::span<ndarray const> operands) const {
  std::vector<std::vector<double>> made(output_for_.size());
  if (made_.outputs.empty()) return made;
  auto results = ir::evaluate(made_, operands);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (output_for_[i] >= 0) made[i] = results[static_cast<std::size_t>(output_for_[i])].reals;
  return made;
}

}}}  // namespace ttune::v0::ir
