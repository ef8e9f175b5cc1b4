// SPDX-License-Identifier: Apache-2.0
// Random stages of a pattern that schedules, passes or emitters have rules for: squares, narrow products, phases,
// groups, gradients, sums and reads on one side of a diagonal, long sums. All numbers are drawn in an order that the
// language fixes, so that a seed means the same program with every compiler: no two draws are arguments of one call or
// operands of one operator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/random_expression.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"

namespace ttune_test {

class stage_generator : protected expression_generator {
 protected:
  using expression_generator::expression_generator;

  /// Begins a stage of a sum, without the reads of earlier stages.
  ir::stage sum_over(std::string const& name, std::vector<ir::axis> axes, std::vector<ir::axis> reduced) {
    ir::stage s;
    s.name = name;
    s.axes = axes_ = std::move(axes);
    s.reduction.kind = ir::reduction_kind::sum;
    s.reduction.axes = std::move(reduced);
    axes_.insert(axes_.end(), s.reduction.axes.begin(), s.reduction.axes.end());
    known_ = ttune::arith::ranges_of(s);
    type_ = one_of(options_.types);
    reads_.clear();
    of_points_ = false;
    return s;
  }

  /// Makes S(i, j) = sum(r) A(i, r) * A(j, r), or of A(r, i) * A(r, j), or of A with another factor.
  handle<ir::stage> squares(std::string const& name) {
    constexpr std::int64_t sizes[] = {3, 5, 8, 9, 16, 17};
    auto const side = sizes[pick(6)];
    auto const terms = 2 + pick(20);
    auto s = sum_over(name, {{"i", 0, side}, {"j", 0, side}}, {{"r", 0, terms}});
    auto const role = random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input;
    bool const down = random_.chance(0.3);
    auto const shape = down ? std::vector<ir::extent>{terms, side} : std::vector<ir::extent>{side, terms};
    auto const operand = input(type_, shape, role);
    auto const row = [&](char const* axis) {
      auto const at = ir::make_variable(axis), term = ir::make_variable("r");
      return ir::make_access(operand, down ? std::vector{term, at} : std::vector{at, term});
    };
    auto what = row("i") * row("j");
    if (random_.chance(0.3)) what = what + row("j") * leaf();
    s.components.push_back({"", type_, what});
    return ttune::share(std::move(s));
  }

  /// Makes sums of products, or of distances, of narrow elements in a wider type, as instructions for them do: S(i, j)
  /// = sum(r) A(i, r) * B(j, r), or of B(r, j), or |A(i, r) - B(j + r)|.
  handle<ir::stage> narrow_products(std::string const& name) {
    struct combination {
      dtype left, right, sum;
      bool distances = false;
    };
    std::vector<combination> all{{dtype::i8, dtype::i8, dtype::i32},     {dtype::u8, dtype::i8, dtype::i32},
                                 {dtype::u8, dtype::u8, dtype::i32},     {dtype::i16, dtype::i16, dtype::i32},
                                 {dtype::bf16, dtype::bf16, dtype::f32}, {dtype::u8, dtype::u8, dtype::i32, true}};
    auto const has = [&](dtype t) { return std::ranges::find(options_.types, t) != options_.types.end(); };
    std::erase_if(all, [&](combination const& c) { return !has(c.left) || !has(c.right) || !has(c.sum); });
    if (all.empty()) return squares(name);
    auto const types = one_of(all);
    constexpr std::int64_t sizes[] = {1, 3, 5, 8, 16, 17, 33};
    auto const rows = sizes[pick(4)];
    auto const columns = sizes[pick(7)];
    auto const terms = 2 + pick(20);
    auto s = sum_over(name, {{"i", 0, rows}, {"j", 0, columns}}, {{"r", 0, terms}});
    type_ = types.sum;
    auto const i = ir::make_variable("i"), j = ir::make_variable("j"), r = ir::make_variable("r");
    auto const read = [&](dtype type, std::vector<ir::extent> shape, std::vector<ir::expr> at) {
      auto const role = random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input;
      return ir::make_cast(type_, ir::make_access(input(type, std::move(shape), role), std::move(at)));
    };
    auto const left = read(types.left, {rows, terms}, {i, r});
    if (types.distances) {
      auto const apart = left - read(types.right, {columns + terms - 1}, {j + r});
      s.components.push_back({"", type_, ir::make_unary(ir::unary_op::abs, apart)});
      return ttune::share(std::move(s));
    }
    bool const down = random_.chance(0.5);
    auto const shape = down ? std::vector<ir::extent>{terms, columns} : std::vector<ir::extent>{columns, terms};
    auto const right = read(types.right, shape, down ? std::vector{r, j} : std::vector{j, r});
    s.components.push_back({"", type_, left * right});
    return ttune::share(std::move(s));
  }

  /// Makes a map with phases of rows and columns: S(i, j) = A(i, j) * B(i % p, j % q) - C(i / p, j / q).
  handle<ir::stage> phases(std::string const& name) {
    constexpr std::int64_t sizes[] = {16, 17, 31, 48, 65};
    ir::stage s;
    s.name = name;
    s.axes = axes_ = {{"i", 0, 1 + pick(12)}, {"j", 0, sizes[pick(5)]}};
    known_ = ttune::arith::ranges_of(s);
    type_ = one_of(options_.types);
    reads_.clear();
    of_points_ = false;
    auto const p = 1 + pick(8);
    auto const q = 1 + pick(8);
    auto const part = [](ir::binary_op op, char const* axis, std::int64_t by) {
      return ir::make_binary(op, ir::make_variable(axis), ir::make_index(by));
    };
    auto const read = [&](ir::binary_op op, std::int64_t rows, std::int64_t columns) {
      return ir::make_access(input(type_, {rows, columns}, ir::tensor_role::input),
                             {part(op, "i", p), part(op, "j", q)});
    };
    auto const whole = input(type_, {axes_[0].end, axes_[1].end}, ir::tensor_role::input);
    auto what = ir::make_access(whole, {ir::make_variable("i"), ir::make_variable("j")});
    if (random_.chance(0.7)) what = what * read(ir::binary_op::floor_modulo, p, q);
    if (random_.chance(0.4))
      what =
          what - read(ir::binary_op::floor_divide, (axes_[0].end.value - 1) / p + 1, (axes_[1].end.value - 1) / q + 1);
    s.components.push_back({"", type_, what});
    return ttune::share(std::move(s));
  }

  /// Makes sums of rows in groups of a few vectors' lanes, each with a factor: S(i) = sum(g, e) A(i, g, e) * B(i, g).
  handle<ir::stage> groups(std::string const& name) {
    constexpr std::int64_t lengths[] = {4, 8, 16, 32};
    auto const rows = 1 + pick(4);
    auto const count = 12 + 4 * pick(4);
    auto const length = lengths[pick(4)];
    auto s = sum_over(name, {{"i", 0, rows}}, {{"g", 0, count}, {"e", 0, length}});
    auto const i = ir::make_variable("i"), g = ir::make_variable("g"), e = ir::make_variable("e");
    auto const elements = input(type_, {rows, count, length}, ir::tensor_role::input);
    auto const factors = input(type_, {rows, count}, ir::tensor_role::input);
    s.components.push_back({"", type_, ir::make_access(elements, {i, g, e}) * ir::make_access(factors, {i, g})});
    return ttune::share(std::move(s));
  }

  /// Makes the gradient of the weights of a convolution in one dimension, S(i, j, k) = sum(r, s) A(r, j, s + k - p) *
  /// B(r, i, s), or that of its input, S(i, j, k) = sum(r, s) A(r, j, k + p - s) * B(r, i, s). A is 0 outside.
  handle<ir::stage> gradient(std::string const& name) {
    constexpr std::int64_t filters[] = {5, 9, 16, 17}, rows[] = {1, 2, 6, 7}, lines[] = {4, 9, 16, 18};
    auto const line = lines[pick(4)];
    auto const taps = 1 + pick(3);
    auto const padding = pick(taps);
    bool const of_weights = random_.chance(0.6);
    auto const i = filters[pick(4)];
    auto const j = rows[pick(4)];
    auto const k = of_weights ? taps : line;
    auto const terms = 1 + pick(3);
    auto const summed = of_weights ? line : taps;
    auto s = sum_over(name, {{"i", 0, i}, {"j", 0, j}, {"k", 0, k}}, {{"r", 0, terms}, {"s", 0, summed}});
    auto const v = [](char const* axis) { return ir::make_variable(axis); };
    auto const image = input(type_, {terms, j, line}, ir::tensor_role::input);
    auto const other = input(type_, {terms, i, summed}, ir::tensor_role::input);
    auto const at = of_weights ? v("s") + v("k") + -padding : v("k") + v("s") * -1 + padding;
    auto const pixel = ir::make_access(image, {v("r"), v("j"), at}, ir::boundary::value, ir::make_number(type_, 0), 0);
    s.components.push_back({"", type_, pixel * ir::make_access(other, {v("r"), v("i"), v("s")})});
    return ttune::share(std::move(s));
  }

  // ---------------------------------------------------------------------------------------------- sides of a diagonal

  /// Makes a condition on which side of a diagonal a point lies, or whether it lies in a band around it.
  ir::expr one_side(ir::expr const& a, ir::expr const& b) {
    auto const op = random_.chance(0.7) ? ir::binary_op::less_equal : ir::binary_op::less;
    auto const steps = random_.chance(0.2) ? 2 : 1;
    auto const left = random_.chance(0.2) ? ir::make_binary(ir::binary_op::floor_divide, a, ir::make_index(4)) * 4 : a;
    auto const shift = pick(9) - 4;
    auto const side = ir::make_binary(op, left * steps, b + shift);
    if (random_.chance(0.7)) return side;
    auto const other = ir::make_binary(op, b, a + pick(6));
    return ir::make_binary(random_.chance(0.7) ? ir::binary_op::logical_and : ir::binary_op::logical_or, side, other);
  }

  std::int64_t long_side() {
    constexpr std::int64_t sides[] = {5, 9, 17, 24, 33, 50};
    return sides[pick(6)];
  }

  /// Returns a size that leaves few points to a schedule that unrolls everything.
  std::int64_t side_beside(std::int64_t others) {
    constexpr std::int64_t most_points = 1500;
    return std::min(long_side(), std::max<std::int64_t>(1, most_points / others));
  }

  /// Makes a product or a map of two axes that only one stage reads, on one side of a diagonal.
  handle<ir::stage> half_read(std::string const& name) {
    auto const rows = long_side(), terms = 1 + pick(4), columns = side_beside(rows * terms);
    auto whole = sum_over(name + "h", {{"i", 0, rows}, {"j", 0, columns}}, {{"r", 0, terms}});
    if (random_.chance(0.3)) whole.reduction = {}, axes_.pop_back();
    auto const of = [&](char const* x, char const* y) {
      auto const size = [&](char const* axis) {
        for (auto const& a : axes_)
          if (a.name == axis) return a.end;
        return ir::extent(1);
      };
      auto const role = random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input;
      return ir::make_access(input(type_, {size(x), size(y)}, role), {ir::make_variable(x), ir::make_variable(y)});
    };
    auto const first = of("i", whole.reduces() ? "r" : "j");
    auto const second = of(whole.reduces() ? "r" : "j", whole.reduces() ? "j" : "i");
    auto const what = whole.reduces() ? first * second : first + second;
    whole.components.push_back({"", type_, what});
    made_.stages.push_back(ttune::share(std::move(whole)));
    auto const from = made_.stages.back();
    ir::stage s;
    s.name = name;
    s.axes = axes_ = from->axes;
    known_ = ttune::arith::ranges_of(s);
    reads_.clear();
    auto const i = ir::make_variable("i"), j = ir::make_variable("j");
    auto const element = ir::make_access(from, {i, j});
    auto const value = random_.chance(0.5) ? element : element + leaf();
    auto const other = random_.chance(0.3) ? ir::make_number(type_, 0) : leaf();
    auto const here = random_.chance(0.5) ? one_side(j, i) : one_side(i, j);
    s.components.push_back(
        {"", type_, random_.chance(0.7) ? ir::make_select(here, value, other) : ir::make_select(here, other, value)});
    if (random_.chance(0.3)) {  // the terms of a sum
      s.reduction.kind = ir::reduction_kind::sum;
      s.reduction.axes = {s.axes.back()};
      s.axes.pop_back();
    }
    return ttune::share(std::move(s));
  }

  /// Makes a sum of products whose terms lie on one side of a diagonal, along the rows or along the columns.
  handle<ir::stage> half_summed(std::string const& name) {
    auto const rows = long_side(), terms = side_beside(rows), columns = side_beside(rows * terms);
    auto s = sum_over(name, {{"i", 0, rows}, {"j", 0, columns}}, {{"r", 0, terms}});
    auto const i = ir::make_variable("i"), j = ir::make_variable("j"), r = ir::make_variable("r");
    auto const role = random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input;
    auto const left = ir::make_access(input(type_, {rows, terms}, role), {i, r});
    bool const by_vector = random_.chance(0.3);
    auto const right = by_vector ? ir::make_access(input(type_, {terms}, role), {r})
                                 : ir::make_access(input(type_, {terms, columns}, role), {r, j});
    auto const& side = random_.chance(0.6) ? i : j;
    auto const here = random_.chance(0.5) ? one_side(r, side) : one_side(side, r);
    auto const term = left * right;
    if (random_.chance(0.3)) s.reduction.kind = ir::reduction_kind::maximum;
    if (random_.chance(0.5)) s.predicate = here;
    s.components.push_back(
        {"", type_,
         s.predicate ? term : ir::make_select(here, term, random_.chance(0.8) ? ir::make_number(type_, 0) : leaf())});
    return ttune::share(std::move(s));
  }

  // ------------------------------------------------------------------------------------------------------- long sums

  /// Returns true for such a sum: other stages over its domain would have operands of gigabytes.
  [[nodiscard]] static bool is_long(ir::stage const& s) {
    return std::ranges::any_of(s.reduction.axes, [](ir::axis const& a) { return a.size() > 8192; });
  }

  /// Makes a sum of more than 8192 terms, with few results; from eight on, the cores share the terms.
  handle<ir::stage> long_sum(std::string const& name) {
    auto const results = random_.chance(0.5) ? 8 + pick(4) : 1 + pick(5);
    auto const terms = 8193 + pick(200);
    auto s = sum_over(name, {{"i", 0, results}}, {{"r", 0, terms}});
    if (random_.chance(0.7)) type_ = dtype::f32;
    bool const slides = random_.chance(0.3);
    auto const i = ir::make_variable("i"), r = ir::make_variable("r");
    auto const shape = slides ? std::vector<ir::extent>{terms + results - 1} : std::vector<ir::extent>{terms, results};
    auto const at = slides ? std::vector{i + r} : std::vector{r, i};
    s.components.push_back({"", type_, ir::make_access(input(type_, shape, ir::tensor_role::input), at)});
    return ttune::share(std::move(s));
  }
};

}  // namespace ttune_test
