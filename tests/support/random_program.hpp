// SPDX-License-Identifier: Apache-2.0
// Random programs for property tests: several stages, halos, `/` and `%`, prime extents, every element type, all
// boundaries, gathers, tables, updates in place, built-in and tuple reductions. Small, so that 10^5 run in a minute.
// All numbers are drawn in an order that the language fixes, so that a seed means the same program with every compiler:
// no two draws are arguments of one call or operands of one operator.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

namespace ir = ttune::ir;
using ttune::dtype;
using ttune::handle;

struct random_program_options {
  int stages = 4;             ///< maximum
  std::int64_t points = 200;  ///< maximum of a stage's points, reduced ones included, approximately
  bool boundaries = true;
  bool gathers = true;
  bool tuples = true;
  bool updates = true;
  bool functions = false;  ///< functions with rounded results: sums of them depend on their order
  bool twins = true;       ///< stages with the iteration space of an earlier one
  bool components = true;  ///< stages over points of a few components, which are innermost
  bool squares = true;     ///< sums of products of an operand with itself, at other rows
  bool narrow = true;      ///< sums of products or distances of narrow elements, for which there are instructions
  bool groups = true;      ///< sums over groups of elements, each with a factor
  bool phases = true;      ///< maps with remainders and quotients of both axes
  bool gradients = true;   ///< sums over images of products with a window, as the gradients of a convolution
  bool triangles = true;   ///< parts of stages and of sums that only one side of a diagonal needs
  bool long_sums = false;  ///< rarely a sum of so many terms that derived spaces divide it
  std::vector<dtype> types{dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i8,  dtype::u8,
                           dtype::i16, dtype::u16, dtype::i32, dtype::u32,  dtype::i64, dtype::u64};
};

class program_generator {
 public:
  program_generator(ttune::rng& random, random_program_options const& options) : random_(random), options_(options) {}

  handle<ir::program> make() {
    int const count = 1 + static_cast<int>(pick(options_.stages));
    for (int i = 0; i < count; ++i) made_.stages.push_back(stage("S" + std::to_string(i), i + 1 == count));
    for (auto const& s : made_.stages)
      if (!is_read(s) || random_.chance(0.2)) made_.outputs.push_back(s);
    made_.name = "random";
    return ttune::share(std::move(made_));
  }

 private:
  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(below)));
  }
  template <class T>
  T const& one_of(std::vector<T> const& values) {
    return values[random_.below(values.size())];
  }

  // ---------------------------------------------------------------------------------------------------- stages

  handle<ir::stage> stage(std::string const& name, bool last) {
    if (auto const of = made_.stages.empty() ? handle<ir::stage>() : one_of(made_.stages);
        of && options_.twins && (of->components.size() == 1 || of->reduces()) && !of->updates && !is_long(*of)) {
      if (random_.chance(0.3)) return twin(*of, name);
      if (can_spread(*of) && random_.chance(0.2)) return spread(of, name);
    }
    if (options_.squares && random_.chance(0.04)) return squares(name);
    if (options_.groups && random_.chance(0.02)) return groups(name);
    if (options_.phases && random_.chance(0.02)) return phases(name);
    if (options_.narrow && random_.chance(0.04)) return narrow_products(name);
    if (options_.gradients && random_.chance(0.04)) return gradient(name);
    if (options_.triangles && random_.chance(0.08)) return random_.chance(0.6) ? half_read(name) : half_summed(name);
    if (options_.long_sums && random_.chance(0.01)) return long_sum(name);
    ir::stage s;
    s.name = name;
    auto points = options_.points;
    bool const beside = !made_.stages.empty() && !is_long(*made_.stages.back()) &&
                        random_.chance(0.2);  // over the domain of the previous stage
    if (!beside) {
      type_ = one_of(options_.types);
      reads_.clear();
    }
    bool const reduces = beside ? made_.stages.back()->reduces() : random_.chance(0.6);
    if (beside) {
      s.axes = made_.stages.back()->axes;
      s.reduction.axes = made_.stages.back()->reduction.axes;
    } else {
      of_points_ = options_.components && random_.chance(0.15);
      s.axes = of_points_ ? axes_of_points(points) : axes(1 + pick(3), "ijk", points);
      if (reduces && of_points_ && random_.chance(0.7)) s.reduction.axes = {{"r", 0, s.axes[1].end.value}};
      else if (reduces) s.reduction.axes = axes(1 + pick(2), "rs", points);
    }
    axes_ = s.axes;
    axes_.insert(axes_.end(), s.reduction.axes.begin(), s.reduction.axes.end());
    if (!beside)
      for (auto& a : s.reduction.axes)
        if (random_.chance(0.2)) shift(a);
    known_ = ttune::arith::ranges_of(s);
    if (!reduces && last && options_.updates && random_.chance(0.2)) return update(std::move(s));
    if (reduces && options_.tuples && random_.chance(0.15)) {
      if (random_.chance(0.15)) s.predicate = predicate();
      return tuple(std::move(s));
    }
    if (reduces) {
      constexpr ir::reduction_kind kinds[] = {ir::reduction_kind::sum, ir::reduction_kind::sum,
                                              ir::reduction_kind::minimum, ir::reduction_kind::maximum};
      s.reduction.kind = kinds[pick(4)];
    }
    s.components.push_back({"", type_, value(2)});
    if (reduces && random_.chance(0.15)) s.predicate = predicate();
    return ttune::share(std::move(s));
  }

  std::vector<ir::axis> axes(std::int64_t count, char const* names, std::int64_t& points) {
    std::vector<ir::axis> made;
    for (std::int64_t i = 0; i < count; ++i) {
      constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17};
      auto const size = std::min(sizes[pick(12)], std::max<std::int64_t>(points, 1));
      points /= size;
      made.push_back({std::string(1, names[i]), 0, size});
    }
    return made;
  }

  /// Makes an axis of points that fills vectors, and one of their components.
  std::vector<ir::axis> axes_of_points(std::int64_t& points) {
    auto const components = 2 + pick(3);
    constexpr std::int64_t sizes[] = {16, 17, 31, 33, 48, 65};
    auto const size = std::clamp<std::int64_t>(points / components, 1, sizes[pick(6)]);
    points /= size * components;
    return {{"i", 0, size}, {"j", 0, components}};
  }

  void shift(ir::axis& a) {
    auto const by = pick(3);
    a.begin += by;
    a.end = a.end.value + by;
    for (auto& other : axes_)
      if (other.name == a.name) other = a;
  }

  /// Makes the largest value and its first place, a sum and a sum of squares, or sums of every other value, which
  /// change places with each term and so need each other's old value.
  handle<ir::stage> tuple(ir::stage s) {
    s.reduction.kind = ir::reduction_kind::tuple;
    s.reduction.commutative = random_.chance(0.5);
    using ir::make_argument;
    auto const what = value(1);
    if (s.reduction.commutative) {
      s.reduction.associative = random_.chance(0.8);
      s.components = {{"sum", type_, what}, {"squares", type_, what * what}};
      for (int c = 0; c < 2; ++c) {
        s.reduction.identity.push_back(ir::make_number(type_, 0));
        s.reduction.combine.push_back(make_argument(type_, false, c) + make_argument(type_, true, c));
      }
      return ttune::share(std::move(s));
    }
    if (random_.chance(0.3)) {
      s.reduction.associative = false;
      s.components = {{"even", type_, what}, {"odd", type_, ir::make_number(type_, 0)}};
      s.reduction.identity = {ir::make_number(type_, 0), ir::make_number(type_, 0)};
      s.reduction.combine = {make_argument(type_, false, 1) + make_argument(type_, true, 0),
                             make_argument(type_, false, 0) + make_argument(type_, true, 1)};
      return ttune::share(std::move(s));
    }
    auto const position = ir::make_cast(dtype::i32, ir::make_variable(s.reduction.axes[0].name));
    s.components = {{"value", type_, what}, {"index", dtype::i32, position}};
    s.reduction.identity = {ir::make_identity(ir::reduction_kind::maximum, type_), ir::make_number(dtype::i32, 0)};
    auto const better =
        ir::make_binary(ir::binary_op::less, make_argument(type_, false, 0), make_argument(type_, true, 0));
    s.reduction.combine = {
        ir::make_select(better, make_argument(type_, true, 0), make_argument(type_, false, 0)),
        ir::make_select(better, make_argument(dtype::i32, true, 1), make_argument(dtype::i32, false, 1))};
    return ttune::share(std::move(s));
  }

  /// Makes a stage with the iteration space of an earlier one that computes some of its expressions, too.
  handle<ir::stage> twin(ir::stage const& of, std::string const& name) {
    auto s = of;
    s.name = name;
    type_ = s.components[0].type;
    reads_.clear();
    of_points_ = false;
    axes_ = s.axes;
    axes_.insert(axes_.end(), s.reduction.axes.begin(), s.reduction.axes.end());
    known_ = ttune::arith::ranges_of(s);
    if (s.reduces() && s.components.size() == 1 && random_.chance(0.5))
      s.reduction.kind = random_.chance(0.5) ? ir::reduction_kind::sum : ir::reduction_kind::maximum;
    if (s.predicate && random_.chance(0.2)) s.predicate = {};
    auto& what = s.components[0].value;
    switch (pick(4)) {
      case 0: what = what + leaf(); break;
      case 1: what = ir::make_binary(ir::binary_op::maximum, what, leaf()); break;
      case 2: {
        auto const where = condition();
        what = ir::make_select(where, what, leaf());
        break;
      }
      default: what = ir::make_unary(ir::unary_op::abs, what); break;
    }
    return ttune::share(std::move(s));
  }

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

  [[nodiscard]] static bool can_spread(ir::stage const& of) {
    return of.reduces() && of.reduction.kind != ir::reduction_kind::tuple && !of.predicate &&
           std::all_of(of.reduction.axes.begin(), of.reduction.axes.end(), [](auto const& a) { return a.begin == 0; });
  }

  /// Makes a stage of the terms of a reduction, each with the reduction's result, as a norm does: O(i, r) = t(i, r) /
  /// S(i).
  handle<ir::stage> spread(handle<ir::stage> const& of, std::string const& name) {
    ir::stage s;
    s.name = name;
    s.axes = of->axes;
    for (auto const& a : of->reduction.axes) s.axes.insert(s.axes.begin() + pick(std::ssize(s.axes) + 1), a);
    axes_ = s.axes;
    known_ = ttune::arith::ranges_of(s);
    type_ = of->components[0].type;
    reads_.clear();
    std::vector<ir::expr> at;
    for (auto const& a : of->axes) at.push_back(ir::make_variable(a.name));
    auto const result = ir::make_access(of, at);
    auto const op = random_.chance(0.5) ? ir::binary_op::subtract : ir::binary_op::maximum;
    s.components.push_back({"", type_, ir::make_binary(op, of->components[0].value, result)});
    return ttune::share(std::move(s));
  }

  handle<ir::stage> update(ir::stage s) {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> indices;
    for (auto const& a : s.axes) {
      shape.push_back(a.end);
      indices.push_back(ir::make_variable(a.name));
    }
    auto const target = input(type_, shape, ir::tensor_role::inout);
    s.components.push_back({"", type_, ir::make_access(target, indices) + value(2)});
    s.updates = target;
    return ttune::share(std::move(s));
  }

  [[nodiscard]] bool is_read(handle<ir::stage> const& s) const {
    bool found = false;
    auto const look = [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      found = found || (a && a->from == ir::source(s));
    };
    for (auto const& reader : made_.stages) {
      for (auto const& c : reader->components) ir::for_each_node(c.value, look);
      if (reader->predicate) ir::for_each_node(reader->predicate, look);
    }
    return found;
  }

  // ---------------------------------------------------------------------------------------------------- values

  ir::expr literal(dtype t) {
    return ir::make_number(t, static_cast<double>(pick(4)) - (ttune::is_unsigned(t) ? 0 : 1));
  }

  ir::expr value(int depth) {
    if (depth == 0) return leaf();
    if (options_.functions && is_float(type_) && random_.chance(0.12)) return function(depth - 1);
    auto const binary = [&](ir::binary_op op) {
      auto const left = value(depth - 1);
      return ir::make_binary(op, left, value(depth - 1));
    };
    switch (pick(12)) {
      case 0: return binary(ir::binary_op::add);
      case 1: return binary(ir::binary_op::subtract);
      case 2:
      case 3:
      case 4: return binary(ir::binary_op::multiply);
      case 5: return binary(ir::binary_op::minimum);
      case 6: return binary(ir::binary_op::maximum);
      case 7: {
        auto const where = random_.chance(0.2) ? data_condition() : condition();
        auto const there = value(depth - 1);
        return ir::make_select(where, there, random_.chance(0.5) ? ir::make_number(type_, 0) : value(depth - 1));
      }
      case 8: {
        auto const op = random_.chance(0.5) ? ir::unary_op::negate : ir::unary_op::abs;
        return ir::make_unary(op, value(depth - 1));
      }
      case 10:
        if (!is_float(type_) || !random_.chance(0.6)) return leaf();
        return ir::make_unary(ir::unary_op::sqrt, ir::make_unary(ir::unary_op::abs, value(depth - 1)));
      case 9: {
        if (is_float(type_)) return value(depth - 1) * ir::make_real(type_, 0.5);
        auto const op = random_.chance(0.5) ? ir::binary_op::divide : ir::binary_op::modulo;
        return ir::make_binary(op, value(depth - 1), ir::make_number(type_, 3));
      }
      default: return leaf();
    }
  }

  /// Makes a function whose arguments have a slope of at most that of the exponential function at 4.
  ir::expr function(int depth) {
    using op = ir::unary_op;
    auto const x = value(depth);
    auto const one_or_more = [&](ir::expr const& e) { return ir::make_unary(op::abs, e) + ir::make_number(type_, 1); };
    constexpr op everywhere[] = {op::tanh, op::erf, op::sin, op::cos, op::floor, op::ceil, op::round};
    switch (pick(7)) {
      case 0: return ir::make_unary(op::sqrt, one_or_more(x));
      case 4:
        return ir::make_binary(ir::binary_op::divide, ir::make_number(type_, 1),
                               ir::make_unary(op::sqrt, one_or_more(x)));
      case 1: return ir::make_unary(op::log, one_or_more(x));
      case 2: return ir::make_unary(op::exp, ir::make_binary(ir::binary_op::minimum, x, ir::make_number(type_, 4)));
      case 3: return ir::make_binary(ir::binary_op::divide, x, one_or_more(value(depth)));
      default: return ir::make_unary(everywhere[pick(7)], x);
    }
  }

  /// Makes two or three neighbours in one operand, of any type.
  ir::expr window() {
    auto const type = one_of(options_.types);
    auto const moving = pick(static_cast<std::int64_t>(axes_.size()));
    bool const padded = !options_.boundaries || random_.chance(0.5);
    std::vector<ir::extent> shape;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      shape.emplace_back(axes_[a].end.value + (padded && static_cast<std::int64_t>(a) == moving ? 2 : 0));
    auto const from = input(type, shape, random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input);
    ir::expr made;
    for (std::int64_t tap = 0, taps = 2 + pick(2); tap < taps; ++tap) {
      std::vector<ir::expr> indices;
      for (std::size_t a = 0; a < axes_.size(); ++a)
        indices.push_back(ir::make_variable(axes_[a].name) +
                          (static_cast<std::int64_t>(a) == moving ? tap - (padded ? 0 : 1) : 0));
      auto const one = in_type(padded ? ir::make_access(from, indices) : outside(from, indices, 0, true));
      made = made ? ir::make_binary(random_.chance(0.7) ? ir::binary_op::add : ir::binary_op::maximum, made, one) : one;
    }
    return made;
  }

  /// Converts to the type. Floats stay so small that sums are exact in any order, which (u64)-1 is not.
  ir::expr in_type(ir::expr const& read) {
    bool const may_be_large = is_float(type_) && !is_float(read->type) && size_in_bytes(read->type) >= 4;
    return ir::make_cast(
        type_, may_be_large ? ir::make_binary(ir::binary_op::modulo, read, ir::make_number(read->type, 251)) : read);
  }

  /// Makes a condition that compares an element of an integer operand, which may be gathered or outside of it.
  ir::expr data_condition() {
    constexpr dtype types[] = {dtype::i8, dtype::u8, dtype::i16, dtype::i32, dtype::u32, dtype::i64};
    auto const type = types[pick(6)];
    auto const& a = one_of(axes_);
    auto const element = random_.chance(0.3) ? read_tensor(type)
                                             : ir::make_access(input(type, {a.end}, ir::tensor_role::input),
                                                               {ir::make_variable(a.name)});
    auto const op = random_.chance(0.7) ? ir::binary_op::less : ir::binary_op::equal;
    return ir::make_binary(op, element, ir::make_number(type, 1 + static_cast<double>(pick(3))));
  }

  /// Makes a condition of indices, of data, or of both.
  ir::expr predicate() {
    if (random_.chance(0.6)) return condition();
    auto const of_data = data_condition();
    if (random_.chance(0.6)) return of_data;
    auto const both = random_.chance(0.7) ? ir::binary_op::logical_and : ir::binary_op::logical_or;
    auto const other = random_.chance(0.5) ? condition() : data_condition();
    return random_.chance(0.5) ? ir::make_binary(both, of_data, other) : ir::make_binary(both, other, of_data);
  }

  /// Makes a read of one component of a point: its own, that of the reduced axis, a fixed one, or one beside it.
  ir::expr read_component() {
    auto const components = axes_[1].end.value;
    auto const own = ir::make_variable(axes_[1].name);
    auto const& last = axes_.back();  // the reduced axis, if there is one
    auto const place = [&]() -> ir::expr {
      if (last.end.value <= components && random_.chance(0.4)) return ir::make_variable(last.name);
      switch (pick(4)) {
        case 0: return ir::make_index(pick(components));
        case 1:
          return ir::make_binary(ir::binary_op::floor_modulo, own + 1 + pick(components), ir::make_index(components));
        default: return own;
      }
    };
    auto const type = random_.chance(0.7) ? type_ : one_of(options_.types);
    auto const wider = pick(2);
    auto const from = input(type, {axes_[0].end, components + wider}, ir::tensor_role::input);
    return ir::make_access(from, {ir::make_variable(axes_[0].name), place()});
  }

  ir::expr leaf() {
    if (random_.chance(0.1)) return literal(type_);
    if (of_points_ && random_.chance(0.6)) return in_type(read_component());
    if (random_.chance(0.1)) return ir::make_cast(type_, ir::make_variable(one_of(axes_).name));
    if (random_.chance(0.1)) return window();
    if (!reads_.empty() && random_.chance(0.5)) return one_of(reads_);
    auto const read = random_.chance(0.5) && !made_.stages.empty() ? read_stage() : read_tensor();
    reads_.push_back(in_type(read));
    return reads_.back();
  }
  ir::expr condition() {
    constexpr ir::binary_op ops[] = {ir::binary_op::less, ir::binary_op::less_equal, ir::binary_op::equal,
                                     ir::binary_op::not_equal};
    auto const op = ops[pick(random_.chance(0.8) ? 2 : 4)];
    auto const left = index();
    auto const one = ir::make_binary(op, left, random_.chance(0.5) ? index() : ir::make_index(pick(12)));
    if (!random_.chance(0.2)) return one;
    auto const both = random_.chance(0.7) ? ir::binary_op::logical_and : ir::binary_op::logical_or;
    return ir::make_binary(both, one, condition());
  }

  // ---------------------------------------------------------------------------------------------------- indices

  ir::expr axis_index() { return ir::make_variable(one_of(axes_).name); }

  ir::expr index() {
    auto const divided = [&](ir::binary_op op) {
      auto const inner = index();
      return ir::make_binary(op, inner, ir::make_index(1 + pick(5)));
    };
    auto made = axis_index();
    switch (pick(10)) {
      case 0:
      case 1: return made + axis_index();
      case 2:
        made = made * (1 + pick(3));
        made = made + axis_index();
        return made + (pick(5) - 2);
      case 3: made = made * (pick(2) == 0 ? -1 : 2); return made + (pick(7) - 3);
      case 4: return divided(ir::binary_op::floor_divide);
      case 5: return divided(ir::binary_op::floor_modulo);
      default: return made;
    }
  }

  /// Makes a new operand of the size of the read (or smaller, with a boundary).
  ir::expr read_tensor() {
    auto const type = random_.chance(0.7) ? type_ : one_of(options_.types);
    return read_tensor(type);
  }
  ir::expr read_tensor(dtype type) {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> indices;
    bool const bounded = !options_.boundaries || random_.chance(0.6);
    for (auto rank = 1 + pick(3); rank > 0; --rank) {
      auto i = index();
      auto const range = ttune::arith::bounds(i, known_);
      if (bounded) i = i + -range.low;
      auto const size = bounded ? range.high - range.low + 1 : std::max<std::int64_t>(1, range.high - pick(3));
      shape.push_back(size);
      indices.push_back(i);
    }
    if (options_.gathers && random_.chance(0.1)) indices[0] = gathered(shape[0].value);
    auto const roll = pick(10);
    auto const role = roll == 0  ? ir::tensor_role::table
                      : roll < 4 ? ir::tensor_role::constant
                                 : ir::tensor_role::input;
    auto const t = input(type, shape, role);
    return bounded ? ir::make_access(t, indices) : outside(t, indices, 0, true);
  }

  /// Makes an index below `size` from data: an element of an operand, or a result of arithmetic with one.
  ir::expr gathered(std::int64_t size) {
    constexpr dtype types[] = {dtype::i32, dtype::i32, dtype::i64, dtype::u32, dtype::i16};
    if (random_.chance(0.2)) return converted_float(size);
    auto const& a = one_of(axes_);
    auto const t = input(types[pick(5)], {a.end}, ir::tensor_role::input, size);
    auto const element = ir::make_access(t, {ir::make_variable(a.name)});
    if (random_.chance(0.5)) return ir::make_cast(dtype::index, element);
    auto const more = element * ir::make_number(t->type, 1 + static_cast<double>(pick(3)));
    if (random_.chance(0.4)) return ir::make_cast(dtype::index, clamped(more, size));
    return clamped(ir::make_cast(dtype::index, more) + (pick(5) - 2), size);
  }

  /// Makes an index below `size` from a float.
  ir::expr converted_float(std::int64_t size) {
    auto const type = random_.chance(0.5) ? dtype::f32 : dtype::f64;
    auto const& a = one_of(axes_);
    auto const t = input(type, {a.end}, ir::tensor_role::input);
    auto const element = ir::make_access(t, {ir::make_variable(a.name)});
    auto const wide = element * ir::make_number(type, 3);
    return ir::make_cast(dtype::index, ir::make_cast(dtype::i32, clamped(wide, size)));
  }

  static ir::expr clamped(ir::expr const& e, std::int64_t size) {
    auto const number = [&](std::int64_t v) {
      return e->type == dtype::index ? ir::make_index(v) : ir::make_number(e->type, static_cast<double>(v));
    };
    auto const raised = ir::make_binary(ir::binary_op::maximum, e, number(0));
    return ir::make_binary(ir::binary_op::minimum, raised, number(size - 1));
  }

  ir::expr outside(ir::source const& from, std::vector<ir::expr> indices, int component, bool may_leave) {
    if (!may_leave) return ir::make_access(from, std::move(indices), ir::boundary::none, {}, component);
    auto const type = ir::type_of(from, component);
    constexpr ir::boundary ways[] = {ir::boundary::value, ir::boundary::value, ir::boundary::clamp, ir::boundary::wrap,
                                     ir::boundary::mirror};
    auto const how = ways[pick(5)];
    auto const fill = how != ir::boundary::value ? ir::expr()
                      : random_.chance(0.7)      ? ir::make_number(type, 0)
                                                 : literal(type);
    return ir::make_access(from, std::move(indices), how, fill, component);
  }

  ir::expr read_stage() {
    auto const s = one_of(made_.stages);
    std::vector<ir::expr> indices;
    bool leaves = false;
    for (auto const& a : s->axes) {
      auto i = index();
      auto const inside = [&] { return is_inside(ttune::arith::bounds(i, known_), 0, a.size()); };
      if (!inside() && (!options_.boundaries || random_.chance(0.5)))
        i = ir::make_binary(ir::binary_op::floor_modulo, i, ir::make_index(a.size()));
      leaves = leaves || !inside();
      indices.push_back(i);
    }
    return outside(s, std::move(indices), static_cast<int>(pick(static_cast<std::int64_t>(s->components.size()))),
                   leaves);
  }

  handle<ir::tensor> input(dtype type, std::vector<ir::extent> shape, ir::tensor_role role, std::int64_t high = 0) {
    ir::tensor t;
    t.name = "T" + std::to_string(made_.inputs.size());
    t.type = type;
    t.shape = std::move(shape);
    t.role = role;
    t.has_range = high != 0;
    t.high = high;
    std::int64_t elements = 1;
    for (auto const& e : t.shape) elements *= e.value;
    if (role == ir::tensor_role::table)
      for (std::int64_t i = 0; i < elements; ++i)
        t.content.push_back(static_cast<double>(pick(5)) - (ttune::is_unsigned(type) ? 0 : 2));
    made_.inputs.push_back(ttune::share(std::move(t)));
    return made_.inputs.back();
  }

  ttune::rng& random_;
  random_program_options const& options_;
  ir::program made_;
  dtype type_ = dtype::f32;
  std::vector<ir::axis> axes_;
  bool of_points_ = false;       ///< the first axes of the stage are points and their components
  std::vector<ir::expr> reads_;  ///< reads with the current axes and type
  ttune::arith::ranges known_;
};

[[nodiscard]] inline handle<ir::program> random_program(ttune::rng& random,
                                                        random_program_options const& options = {}) {
  return program_generator(random, options).make();
}

/// Makes small numbers: multiples of 1/4 for floats, so that sums are exact in any order. With `special`, some are
/// infinity or NaN.
[[nodiscard]] inline std::vector<ir::ndarray> random_operands(ir::program const& p, ttune::rng& random,
                                                              bool special = false) {
  std::vector<ir::ndarray> made;
  for (auto const& t : p.inputs) {
    if (t->role == ir::tensor_role::table) continue;
    ir::ndarray a(t->type, ir::shape_of(t));
    for (auto& v : a.reals) {
      v = static_cast<double>(random.below(33)) / 4 - 4;
      if (special && random.chance(0.05)) v = random.chance(0.5) ? std::nan("") : HUGE_VAL;
    }
    for (auto& v : a.integers) {
      v = static_cast<std::int64_t>(random.below(16)) - (ttune::is_unsigned(t->type) ? 0 : 8);
      if (t->has_range)
        v = t->low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(t->high - t->low)));
    }
    made.push_back(std::move(a));
  }
  return made;
}

/// Returns an empty text if two results agree: integers exactly, floats up to `tolerance` relative to the larger of the
/// pair plus a unit in the last place of their type; NaN agrees with NaN.
[[nodiscard]] inline std::string difference(std::vector<ir::ndarray> const& a, std::vector<ir::ndarray> const& b,
                                            double tolerance = 1e-9) {
  if (a.size() != b.size()) return "different numbers of results";
  for (std::size_t r = 0; r < a.size(); ++r) {
    auto const unit = a[r].type == dtype::f16    ? 0x1p-10
                      : a[r].type == dtype::bf16 ? 0x1p-7
                      : a[r].type == dtype::f32  ? 0x1p-23
                                                 : 0x1p-52;
    auto const allowed = tolerance == 0 ? 0 : std::max(tolerance, unit);
    if (a[r].shape != b[r].shape || a[r].type != b[r].type)
      return "result " + std::to_string(r) + " has another shape or type";
    for (std::size_t i = 0; i < static_cast<std::size_t>(a[r].elements()); ++i) {
      auto const where = "result " + std::to_string(r) + " element " + std::to_string(i) + ": ";
      if (!is_float(a[r].type)) {
        if (a[r].integers[i] != b[r].integers[i])
          return where + std::to_string(a[r].integers[i]) + " and " + std::to_string(b[r].integers[i]);
        continue;
      }
      auto const x = a[r].reals[i];
      auto const y = b[r].reals[i];
      bool const same = x == y || (std::isnan(x) && std::isnan(y)) ||
                        std::abs(x - y) <= allowed * std::max({std::abs(x), std::abs(y), tolerance == 0 ? 0.0 : 1.0});
      if (!same) return where + std::to_string(x) + " and " + std::to_string(y);
    }
  }
  return {};
}

}  // namespace ttune_test
