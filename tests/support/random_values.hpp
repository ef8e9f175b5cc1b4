// SPDX-License-Identifier: Apache-2.0
// Random programs whose expressions use values repeatedly, so that they would be huge as trees: chains in which each
// value is computed from two of those before it, read by one, two or three results, or by a sum; some begin with
// elements that are gathered together.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/capture/shared_values.hpp"
#include "ttune/ir/make.hpp"

namespace ttune_test {

class values_generator : stage_generator {
 public:
  values_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    constexpr std::int64_t rows[] = {1, 3, 8, 33};
    constexpr std::int64_t columns[] = {5, 16, 17, 64, 100, 200};
    std::vector<ir::axis> axes{{"i", 0, rows[pick(4)]}, {"j", 0, columns[pick(6)]}};
    if (random_.chance(0.4)) axes.erase(axes.begin());
    sum_over("O", axes, {});  // sets the type
    auto const values = chain(axes);
    auto const results = 1 + pick(3);
    for (std::int64_t r = 0; r < results; ++r)
      add_result(axes, values[values.size() - 1 - static_cast<std::size_t>(r)]);
    made_.name = "values";
    return ttune::capture::share_values(ttune::share(std::move(made_)));
  }

 private:
  /// Makes values that grow no faster than sums of two of them; a dozen steps are 2^12 reads.
  std::vector<ir::expr> chain(std::vector<ir::axis> const& axes) {
    auto const first = random_.chance(0.5) ? gathered_together(axes) : read(axes, true);
    std::vector<ir::expr> values{first, read(axes, random_.chance(0.6))};
    auto const steps = 12 + pick(12);
    for (std::int64_t s = 0; s < steps; ++s) {
      auto const last = values.back();
      auto const other =
          values[values.size() - 1 - static_cast<std::size_t>(pick(std::min<std::int64_t>(3, std::ssize(values))))];
      values.push_back(step(last, other));
    }
    return values;
  }

  ir::expr step(ir::expr const& a, ir::expr const& b) {
    using op = ir::binary_op;
    auto const halved = [&](ir::expr const& e) { return is_float(type_) ? e * ir::make_real(type_, 0.5) : e; };
    switch (pick(6)) {
      case 0: return halved(a - b) + halved(a);
      case 1: return ir::make_binary(op::maximum, a, halved(b)) - halved(a);
      case 2: return ir::make_select(ir::make_binary(op::less, b, a), halved(a + b), a);
      case 3: return ir::make_binary(op::minimum, halved(a + b), a) + ir::make_number(type_, 1);
      case 4: return is_float(type_) && options_.functions ? ir::make_unary(ir::unary_op::tanh, a) - halved(a) : a - b;
      default: return halved(a) + halved(b + a);
    }
  }

  /// Returns a read of a new operand at all axes, or at the last one.
  ir::expr read(std::vector<ir::axis> const& axes, bool whole) {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> at;
    for (auto const& a : axes) {
      if (!whole && a.name != axes.back().name) continue;
      shape.push_back(a.end);
      at.push_back(ir::make_variable(a.name));
    }
    return ir::make_access(input(type_, shape, ir::tensor_role::input), at);
  }

  /// Returns the product of two elements at a place that data give for each point.
  ir::expr gathered_together(std::vector<ir::axis> const& axes) {
    auto const places = 1 + pick(6);
    std::vector<ir::extent> shape;
    std::vector<ir::expr> at;
    for (auto const& a : axes) shape.push_back(a.end), at.push_back(ir::make_variable(a.name));
    auto const data = ir::make_access(input(dtype::i32, shape, ir::tensor_role::input, places), at);
    auto const place = ir::make_cast(dtype::index, data);
    auto const left = ir::make_access(input(type_, {places}, ir::tensor_role::input), {place});
    auto const right = ir::make_access(input(type_, {places}, ir::tensor_role::input), {place});
    return random_.chance(0.6) ? left * right : left + right;
  }

  /// Adds a stage of a value, or of its sums along the last axis.
  void add_result(std::vector<ir::axis> axes, ir::expr const& value) {
    constexpr char const* names[] = {"O", "P", "Q"};
    ir::stage s;
    s.name = names[made_.outputs.size()];
    if (axes.size() > 1 && random_.chance(0.25)) {
      s.reduction.kind =
          is_float(type_) || size_in_bytes(type_) >= 4 ? ir::reduction_kind::sum : ir::reduction_kind::maximum;
      s.reduction.axes = {axes.back()};
      axes.pop_back();
    }
    s.axes = std::move(axes);
    s.components.push_back({"", type_, value});
    made_.stages.push_back(ttune::share(std::move(s)));
    made_.outputs.push_back(made_.stages.back());
  }
};

}  // namespace ttune_test
