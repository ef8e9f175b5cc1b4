// SPDX-License-Identifier: Apache-2.0
// Random programs whose terms go to places that data choose: one or two scattered axes, others beside them, terms with
// or without conditions of their own; and a stage that takes the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/ir/make.hpp"

namespace ttune_test {

class scatter_generator : stage_generator {
 public:
  scatter_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    auto const scattered = scatter();
    made_.stages = {scattered};
    if (random_.chance(0.4)) made_.stages.push_back(reader(scattered));
    made_.outputs = {made_.stages.back()};
    if (made_.stages.size() > 1 && random_.chance(0.2)) made_.outputs.insert(made_.outputs.begin(), scattered);
    made_.name = "scatter";
    return ttune::share(std::move(made_));
  }

 private:
  /// Makes S(b, x) = reduce(k) select(place(k, x) == b, value, identity).
  handle<ir::stage> scatter() {
    constexpr std::int64_t lengths[] = {1, 3, 9, 20, 64, 100, 300};
    constexpr std::int64_t sizes[] = {1, 2, 5, 8, 9, 16, 33};
    constexpr std::int64_t others[] = {1, 2, 3, 8, 17, 32};
    std::vector<ir::axis> axes;
    auto const scattered = random_.chance(0.25) ? 2 : 1;
    for (int i = 0; i < scattered; ++i) {
      auto const size = sizes[pick(scattered == 1 ? 7 : 5)];
      axes.push_back({"b" + std::to_string(i), 0, size});
    }
    auto const beside = pick(3);
    for (std::int64_t i = 0; i < beside; ++i) {
      auto const size = others[pick(beside == 1 ? 6 : 4)];
      axes.insert(axes.begin() + pick(std::ssize(axes) + 1), {"x" + std::to_string(i), 0, size});
    }
    bool const is_long = options_.long_sums && beside == 0 && scattered == 1 && random_.chance(0.15);
    auto const length = lengths[pick(beside > 0 ? 5 : 7)];
    std::vector<ir::axis> reduced{{"k", 0, is_long ? 65'000 + 1'000 * pick(3) : length}};
    if (random_.chance(0.2)) reduced.push_back({"l", 0, 1 + pick(5)});
    auto s = sum_over("S", axes, reduced);
    auto condition = ir::make_bool(true);
    for (auto const& a : axes)
      if (a.name[0] == 'b') condition = ir::make_binary(ir::binary_op::logical_and, condition, goes_to(a));
    if (random_.chance(0.25))
      condition = ir::make_binary(ir::binary_op::logical_and, condition, condition_of_terms(axes));
    constexpr ir::reduction_kind kinds[] = {ir::reduction_kind::sum, ir::reduction_kind::sum,
                                            ir::reduction_kind::minimum, ir::reduction_kind::maximum};
    s.reduction.kind = kinds[pick(4)];
    if (s.reduction.kind == ir::reduction_kind::sum && random_.chance(0.2)) {
      s.components.push_back({"", type_, ir::make_cast(type_, condition)});  // a count
      return ttune::share(std::move(s));
    }
    auto value = read_of(type_, axes, 0.5);
    if (random_.chance(0.3)) value = value + ir::make_cast(type_, ir::make_variable("b0"));
    auto const nothing = ir::make_identity(s.reduction.kind, type_);
    s.components.push_back({"", type_, ir::make_select(condition, value, nothing)});
    return ttune::share(std::move(s));
  }

  /// Makes the condition that the term goes to a place of a scattered axis.
  ir::expr goes_to(ir::axis const& axis) {
    constexpr dtype types[] = {dtype::u8, dtype::i8, dtype::i32, dtype::u32, dtype::i64};
    auto const type = types[pick(5)];
    auto place = read_of(type, {}, 0);
    if (random_.chance(0.3))
      place = ir::make_binary(ir::binary_op::divide, place, ir::make_number(type, static_cast<double>(2 + pick(3))));
    auto const at = ir::make_cast(type, ir::make_variable(axis.name));
    return random_.chance(0.5) ? ir::make_binary(ir::binary_op::equal, place, at)
                               : ir::make_binary(ir::binary_op::equal, at, place);
  }

  /// Makes a condition on the terms, of data, of an axis, or of data and the place.
  ir::expr condition_of_terms(std::vector<ir::axis> const& axes) {
    if (random_.chance(0.5)) {
      auto const odd = ir::make_binary(ir::binary_op::floor_modulo, ir::make_variable("k"), ir::make_index(2));
      return ir::make_binary(ir::binary_op::less, odd, ir::make_index(1));
    }
    auto const weight = read_of(dtype::i32, axes, 0.3);
    auto const least =
        random_.chance(0.5) ? ir::make_number(dtype::i32, 0) : ir::make_cast(dtype::i32, ir::make_variable("b0"));
    return ir::make_binary(ir::binary_op::less, least, weight);
  }

  /// Returns a read of a new operand with the reduced axes, and some of those beside the scattered ones.
  ir::expr read_of(dtype type, std::vector<ir::axis> const& axes, double share) {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> at;
    auto const add = [&](ir::axis const& a) {
      shape.push_back(a.end);
      at.push_back(ir::make_variable(a.name));
    };
    bool const behind = random_.chance(0.5);
    for (auto const& a : axes_)
      if (behind && (a.name[0] == 'k' || a.name[0] == 'l')) add(a);
    for (auto const& a : axes_)
      if (a.name[0] == 'x' && random_.chance(axes.empty() ? 0.4 : share)) add(a);
    for (auto const& a : axes_)
      if (!behind && (a.name[0] == 'k' || a.name[0] == 'l')) add(a);
    return ir::make_access(input(type, shape, ir::tensor_role::input), at);
  }

  /// Makes a stage that takes the results at its own points.
  handle<ir::stage> reader(handle<ir::stage> const& scattered) {
    ir::stage s;
    s.name = "O";
    s.axes = axes_ = scattered->axes;
    known_ = ttune::arith::ranges_of(s);
    reads_.clear();
    std::vector<ir::expr> at;
    for (auto const& a : s.axes) at.push_back(ir::make_variable(a.name));
    auto const op = random_.chance(0.5) ? ir::binary_op::subtract : ir::binary_op::maximum;
    s.components.push_back({"", type_, ir::make_binary(op, ir::make_access(scattered, at), literal(type_))});
    return ttune::share(std::move(s));
  }
};

}  // namespace ttune_test
