// SPDX-License-Identifier: Apache-2.0
// Small programs over two operands, whose rounding errors are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/ir/rounding_bounds.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

namespace ir = ttune::ir;

inline constexpr std::int64_t rounding_points = 4000;

/// Two operands A and B, and stages over their elements.
struct rounding_example {
  explicit rounding_example(ttune::dtype t = ttune::dtype::f32, std::int64_t elements = rounding_points)
      : type(t), size(elements) {
    for (char const* name : {"A", "B"}) {
      ir::tensor made;
      made.name = name;
      made.type = t;
      made.shape = {size};
      program.inputs.push_back(ttune::share(std::move(made)));
    }
  }
  [[nodiscard]] ir::expr at(std::size_t input, ir::expr const& i = ir::make_variable("i")) const {
    return ir::make_access(program.inputs[input], {i});
  }
  [[nodiscard]] ir::expr number(double v) const { return ir::make_real(type, v); }

  ttune::handle<ir::stage> stage(ir::expr const& value) {
    ir::stage s;
    s.name = "S" + std::to_string(program.stages.size());
    s.axes = {{"i", 0, size}};
    s.components = {{"", value->type, value}};
    return add(std::move(s));
  }
  /// A reduction of `terms` terms to one element.
  ttune::handle<ir::stage> reduction(ir::reduction_kind kind, ir::expr const& value, std::int64_t terms) {
    ir::stage s;
    s.name = "S" + std::to_string(program.stages.size());
    s.axes = {{"j", 0, 1}};
    s.reduction.kind = kind;
    s.reduction.axes = {{"i", 0, terms}};
    s.components = {{"", value->type, value}};
    return add(std::move(s));
  }
  ttune::handle<ir::stage> add(ir::stage s) {
    program.stages.push_back(ttune::share(std::move(s)));
    program.outputs = {program.stages.back()};
    return program.stages.back();
  }
  [[nodiscard]] ir::expr read(ttune::handle<ir::stage> const& s) const {
    return ir::make_access(s, {ir::make_variable("i")});
  }

  [[nodiscard]] std::vector<ir::ndarray> operands(double low, double high, std::uint64_t seed = 1) const {
    ttune::rng random(seed);
    std::vector<ir::ndarray> made;
    for (int o = 0; o < 2; ++o) {
      ir::ndarray a(type, {size});
      for (std::size_t i = 0; i < a.reals.size(); ++i) a.set_number(i, low + (high - low) * random.uniform());
      made.push_back(std::move(a));
    }
    return made;
  }
  [[nodiscard]] std::vector<double> bounds(std::vector<ir::ndarray> const& operands,
                                           ir::sum_errors sums = ir::sum_errors::worst) const {
    return ir::rounding_bounds(program, sums).evaluate(operands).front();
  }
  /// The bound of the only element, for two numbers.
  [[nodiscard]] double bound(double a, double b = 0) const {
    std::vector<ir::ndarray> const operands{numbers({a}), numbers({b})};
    auto const made = bounds(operands);
    return made.empty() ? 0 : made[0];
  }
  [[nodiscard]] ir::ndarray numbers(std::vector<double> const& values) const {
    ir::ndarray made(type, {size});
    for (std::size_t i = 0; i < values.size(); ++i) made.set_number(i, values[i]);
    return made;
  }

  ttune::dtype type;
  std::int64_t size;
  ir::program program;
};

[[nodiscard]] inline ir::expr one(ir::unary_op op, ir::expr const& x) { return ir::make_unary(op, x); }
[[nodiscard]] inline ir::expr two(ir::binary_op op, ir::expr const& x, ir::expr const& y) {
  return ir::make_binary(op, x, y);
}
[[nodiscard]] inline ir::expr real(double v) { return ir::make_real(ttune::dtype::f32, v); }

}  // namespace ttune_test
