// SPDX-License-Identifier: Apache-2.0
// Random element-wise ends of a program: a bias, a residual, an activation, a conversion, as a program of their own
// that `capture::compose` joins with the one before.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random_expression.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/capture/compose.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune_test {

/// Two programs and their composition.
struct composed_program {
  handle<ir::program> first, last;
  std::vector<std::string> joined;  ///< operands of `last` that are the result of `first`
  handle<ir::program> program;
};

class end_generator : expression_generator {
 public:
  end_generator(ttune::rng& random, random_program_options const& options) : expression_generator(random, options) {}

  /// Makes an end of a program with one result of one component.
  composed_program of(handle<ir::program> const& first) {
    auto const& result = first->outputs.front();
    auto const shape = ir::shape_of(result);
    ir::stage s;
    s.name = one_of(std::vector<std::string>{"S0", "S1", "end"});  // of a name that `first` may have, too
    auto names = one_of(std::vector<std::string>{"ijkl", "jilk", "xyzw", "kjil"});
    for (std::size_t d = 0; d < shape.size(); ++d) s.axes.push_back({std::string(1, names[d]), 0, shape[d]});
    axes_ = s.axes;
    known_ = ttune::arith::ranges_of(s);
    type_ = result->type();
    composed_program made;
    made.first = first;
    for (auto operands = random_.chance(0.2) ? 2 : 1; operands > 0; --operands) {
      std::vector<ir::extent> extents(shape.begin(), shape.end());
      auto const operand = input(type_, std::move(extents), ir::tensor_role::input);
      made.joined.push_back(operand->name);
      reads_.push_back(at_own_place(operand));
    }
    auto what = reads_[0];
    for (auto steps = 1 + pick(3); steps > 0; --steps) what = next(what);
    for (std::size_t r = 1; r < made.joined.size(); ++r) what = what + reads_[r];
    if (random_.chance(0.4)) what = ir::make_cast(one_of(options_.types), what);
    s.components.push_back({"", what->type, what});
    made_.name = "end";
    made_.stages.push_back(ttune::share(std::move(s)));
    made_.outputs = made_.stages;
    made.last = ttune::share(std::move(made_));
    made.program = ttune::capture::compose(first, made.last, made.joined);
    return made;
  }

 private:
  ir::expr at_own_place(ir::source const& from) {
    std::vector<ir::expr> at;
    for (auto const& a : axes_) at.push_back(ir::make_variable(a.name));
    return ir::make_access(from, std::move(at));
  }
  ir::expr bias() {
    auto const& a = one_of(axes_);
    auto const role = random_.chance(0.5) ? ir::tensor_role::constant : ir::tensor_role::input;
    return ir::make_access(input(type_, {a.end}, role), {ir::make_variable(a.name)});
  }
  ir::expr residual() {
    std::vector<ir::extent> shape;
    for (auto const& a : axes_) shape.push_back(a.end);
    auto const type = random_.chance(0.7) ? type_ : one_of(options_.types);
    return in_type(at_own_place(input(type, std::move(shape), ir::tensor_role::input)));
  }
  ir::expr activated(ir::expr const& x) {
    auto const zero = ir::make_number(type_, 0);
    auto const positive = ir::make_binary(ir::binary_op::less, zero, x);
    if (!is_float(type_) || random_.chance(0.4)) return ir::make_binary(ir::binary_op::maximum, x, zero);
    switch (pick(3)) {
      case 0: return ir::make_select(positive, x, x * ir::make_real(type_, 0.125));
      case 1: return ir::make_unary(ir::unary_op::tanh, x);
      default: {
        auto const power = ir::make_unary(ir::unary_op::exp, ir::make_binary(ir::binary_op::minimum, x, zero));
        return ir::make_binary(ir::binary_op::divide, x, power + ir::make_number(type_, 1));
      }
    }
  }
  ir::expr next(ir::expr const& x) {
    switch (pick(6)) {
      case 0: return x + bias();
      case 1: return x * bias();
      case 2: return x + residual();
      case 3: return activated(x);
      case 4: {
        auto const low = ir::make_binary(ir::binary_op::maximum, x, literal(type_));
        return ir::make_binary(ir::binary_op::minimum, low, ir::make_number(type_, 6));
      }
      default: return x + value(1);
    }
  }
};

/// Returns the program with a random end, or nothing if it has several results.
[[nodiscard]] inline std::optional<composed_program> with_random_end(ttune::rng& random,
                                                                     handle<ir::program> const& first,
                                                                     random_program_options const& options = {}) {
  auto const& last = first->outputs.front();
  bool const fits = first->outputs.size() == 1 && last->components.size() == 1 && !last->updates;
  if (!fits || last->axes.empty() || last->axes.size() > 4) return std::nullopt;
  return end_generator(random, options).of(first);
}

/// Interprets the two programs one after the other on the operands of the composed one.
[[nodiscard]] inline std::vector<ir::ndarray> one_after_the_other(composed_program const& both,
                                                                  std::vector<ir::ndarray> const& operands) {
  auto const is_table = [](handle<ir::tensor> const& t) { return t->role == ir::tensor_role::table; };
  std::size_t next = 0;
  std::vector<ir::ndarray> of_first, of_last;
  for (auto const& t : both.first->inputs)
    if (!is_table(t)) of_first.push_back(operands[next++]);
  auto const between = ir::evaluate(*both.first, of_first);
  for (auto const& t : both.last->inputs) {
    bool const joins = std::find(both.joined.begin(), both.joined.end(), t->name) != both.joined.end();
    if (joins) of_last.push_back(between.front());
    else if (!is_table(t)) of_last.push_back(operands[next++]);
  }
  return ir::evaluate(*both.last, of_last);
}

}  // namespace ttune_test
