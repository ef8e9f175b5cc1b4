// SPDX-License-Identifier: Apache-2.0
// Random products of matrices of floats that are wide enough for panels: their rows are far apart, and a task has
// several panels. Operands lie in either order, some pass through a stage of their own, terms are on one side of a
// diagonal, or sums and differences of two products. All numbers are drawn in an order that the language fixes, so that
// a seed means the same program with every compiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"

namespace ttune_test {

class product_generator : stage_generator {
 public:
  product_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    constexpr std::int64_t heights[] = {17, 40, 130, 141}, widths[] = {65, 130, 150, 260};
    auto const rows = heights[pick(4)], columns = widths[pick(4)], terms = 2 + pick(4);
    auto s = sum_over("S", {{"i", 0, rows}, {"j", 0, columns}}, {{"r", 0, terms}});
    auto const type = random_.chance(0.6) ? dtype::f64 : dtype::f32;
    auto const product = [&] {
      auto const left = factor(type, "i", rows, terms);
      auto const right = factor(type, "j", columns, terms);
      return left * right;
    };
    auto what = product();
    if (random_.chance(0.4)) {
      auto const other = product();
      what = random_.chance(0.5) ? what + other : what - other;
    }
    if (random_.chance(0.4)) s.predicate = diagonal(rows);
    s.components.push_back({"", type, what});
    made_.stages.push_back(ttune::share(std::move(s)));
    made_.outputs = {made_.stages.back()};
    made_.name = "product";
    return ttune::share(std::move(made_));
  }

 private:
  /// Returns an element of a new operand at (axis, r) or (r, axis).
  ir::expr factor(dtype type, char const* axis, std::int64_t size, std::int64_t terms) {
    bool const down = random_.chance(0.6);
    auto const constant = random_.chance(0.1);
    auto const shape = down ? std::vector<ir::extent>{terms, size} : std::vector<ir::extent>{size, terms};
    auto const operand = input(type, shape, constant ? ir::tensor_role::constant : ir::tensor_role::input);
    auto const at = ir::make_variable(axis), term = ir::make_variable("r");
    auto const place = down ? std::vector{term, at} : std::vector{at, term};
    if (random_.chance(0.25)) return ir::make_access(quotients(operand, shape), place);
    return ir::make_access(operand, place);
  }

  /// Makes a stage of the elements of an operand, each divided by its square and one.
  handle<ir::stage> quotients(handle<ir::tensor> const& operand, std::vector<ir::extent> const& shape) {
    ir::stage s;
    s.name = "F" + std::to_string(made_.stages.size());
    s.axes = {{"p", 0, shape[0].value}, {"q", 0, shape[1].value}};
    auto const element = ir::make_access(operand, {ir::make_variable("p"), ir::make_variable("q")});
    auto const divisor = element * element + ir::make_number(operand->type, 1);
    s.components.push_back({"", operand->type, ir::make_binary(ir::binary_op::divide, element, divisor)});
    made_.stages.push_back(ttune::share(std::move(s)));
    return made_.stages.back();
  }

  /// Returns a condition on the side of a diagonal: of terms and rows, or of rows and columns.
  ir::expr diagonal(std::int64_t rows) {
    auto const i = ir::make_variable("i");
    auto const other = ir::make_variable(random_.chance(0.5) ? "r" : "j");
    auto const offset = pick(rows);
    if (random_.chance(0.5)) return ir::make_binary(ir::binary_op::less_equal, other, i + -offset);
    return ir::make_binary(ir::binary_op::less, i + -offset, other);
  }
};

}  // namespace ttune_test
