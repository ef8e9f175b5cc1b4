// SPDX-License-Identifier: Apache-2.0
// Random expressions for the stages of random programs: indices, reads of operands and of earlier stages, conditions,
// arithmetic and functions.
// All numbers are drawn in an order that the language fixes, so that a seed means the same program with every compiler:
// no two draws are arguments of one call or operands of one operator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"
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
  bool functions = false;    ///< functions with rounded results: sums of them depend on their order
  bool conversions = false;  ///< values converted to another type and back
  bool twins = true;         ///< stages with the iteration space of an earlier one
  bool components = true;    ///< stages over points of a few components, which are innermost
  bool squares = true;       ///< sums of products of an operand with itself, at other rows
  bool narrow = true;        ///< sums of products or distances of narrow elements, for which there are instructions
  bool groups = true;        ///< sums over groups of elements, each with a factor
  bool phases = true;        ///< maps with remainders and quotients of both axes
  bool gradients = true;     ///< sums over images of products with a window, as the gradients of a convolution
  bool triangles = true;     ///< parts of stages and of sums that only one side of a diagonal needs
  bool long_sums = false;    ///< rarely a sum of so many terms that derived spaces divide it
  std::vector<dtype> types{dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i8,  dtype::u8,
                           dtype::i16, dtype::u16, dtype::i32, dtype::u32,  dtype::i64, dtype::u64};
};

/// Draws expressions of the current stage (its type and axes), and adds the operands that they read to the program.
class expression_generator {
 protected:
  expression_generator(ttune::rng& random, random_program_options const& options)
      : random_(random), options_(options) {}

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(below)));
  }
  template <class T>
  T const& one_of(std::vector<T> const& values) {
    return values[random_.below(values.size())];
  }

  // ---------------------------------------------------------------------------------------------------- values

  ir::expr literal(dtype t) {
    return ir::make_number(t, static_cast<double>(pick(4)) - (ttune::is_unsigned(t) ? 0 : 1));
  }

  ir::expr value(int depth) {
    if (depth == 0) return leaf();
    if (options_.functions && is_float(type_) && random_.chance(0.12)) return function(depth - 1);
    if (options_.conversions && random_.chance(0.06)) return converted(depth - 1);
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
    switch (pick(8)) {
      case 0: return ir::make_unary(op::sqrt, one_or_more(x));
      case 7: return power(x, one_or_more(value(depth)), depth);
      case 4:
        return ir::make_binary(ir::binary_op::divide, ir::make_number(type_, 1),
                               ir::make_unary(op::sqrt, one_or_more(x)));
      case 1: return ir::make_unary(op::log, one_or_more(x));
      case 2: return ir::make_unary(op::exp, ir::make_binary(ir::binary_op::minimum, x, ir::make_number(type_, 4)));
      case 3: return ir::make_binary(ir::binary_op::divide, x, one_or_more(value(depth)));
      default: return ir::make_unary(everywhere[pick(7)], x);
    }
  }

  /// Makes a power with a whole exponent, of a base that may be 0, or of one that is at least 1.
  ir::expr power(ir::expr const& x, ir::expr const& one_or_more, int depth) {
    auto const raised = [](ir::expr const& base, ir::expr const& exponent) {
      return ir::make_binary(ir::binary_op::power, base, exponent);
    };
    auto const number = [&](double v) { return ir::make_number(type_, v); };
    switch (pick(4)) {
      case 0: return raised(x, number(pick(2) == 0 ? 2 : 3));
      case 1: return raised(ir::make_binary(ir::binary_op::maximum, x, number(0)), number(1.5));
      case 2: return raised(one_or_more, number(-0.75));
      default: return raised(one_or_more, ir::make_unary(ir::unary_op::tanh, value(depth)));
    }
  }

  /// Makes a value that is converted to another type, where another one may be added, and back.
  ir::expr converted(int depth) {
    auto const type = one_of(options_.types);
    auto there = ir::make_cast(type, value(depth));
    if (random_.chance(0.4)) there = there + ir::make_cast(type, leaf());
    return ir::make_cast(type_, there);
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

  /// Makes a read of one component of a point: its own, that of the reduced axis, a fixed one, one beside it, or the
  /// one at the same distance from the other end. Data may choose the point.
  ir::expr read_component() {
    auto const components = axes_[1].end.value;
    auto const own = ir::make_variable(axes_[1].name);
    auto const& last = axes_.back();  // the reduced axis, if there is one
    auto const place = [&]() -> ir::expr {
      if (last.end.value <= components && random_.chance(0.4)) return ir::make_variable(last.name);
      switch (pick(5)) {
        case 0: return ir::make_index(pick(components));
        case 4: return own * -1 + (components - 1);
        case 1:
          return ir::make_binary(ir::binary_op::floor_modulo, own + 1 + pick(components), ir::make_index(components));
        default: return own;
      }
    };
    auto const type = random_.chance(0.7) ? type_ : one_of(options_.types);
    auto const wider = pick(2);
    auto const from = input(type, {axes_[0].end, components + wider}, ir::tensor_role::input);
    bool const by_data = options_.gathers && random_.chance(0.3);
    auto const point = by_data ? gathered(axes_[0].size()) : ir::make_variable(axes_[0].name);
    return ir::make_access(from, {point, place()});
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
    if (options_.gathers && random_.chance(0.1)) {
      indices[0] = gathered(shape[0].value);
    } else if (options_.gathers && bounded && random_.chance(0.1)) {  // rows that begin at places which are data
      auto const places = 1 + pick(4);
      shape.back() = shape.back().value + places - 1;
      indices.back() = indices.back() + place_of_data(places);
    }
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
    auto const element = ir::make_access(places_below(size, types[pick(5)], a.end), {ir::make_variable(a.name)});
    if (random_.chance(0.5)) return ir::make_cast(dtype::index, element);
    auto const more = element * ir::make_number(element->type, 1 + static_cast<double>(pick(3)));
    if (random_.chance(0.4)) return ir::make_cast(dtype::index, clamped(more, size));
    return clamped(ir::make_cast(dtype::index, more) + (pick(5) - 2), size);
  }

  /// Makes an index below `size` that is an element of an operand.
  ir::expr place_of_data(std::int64_t size) {
    auto const& a = one_of(axes_);
    auto const places = places_below(size, dtype::i32, a.end);
    return ir::make_cast(dtype::index, ir::make_access(places, {ir::make_variable(a.name)}));
  }

  /// Makes an operand, or a table, whose elements are below `size`.
  handle<ir::tensor> places_below(std::int64_t size, dtype type, ir::extent const& places) {
    auto const role = random_.chance(0.3) ? ir::tensor_role::table : ir::tensor_role::input;
    return input(type, {places}, role, size);
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
    std::int64_t elements = 1;
    for (auto const& e : t.shape) elements *= e.value;
    constexpr std::int64_t most_in_table = 1 << 16;  // tables are part of the code
    bool const is_table = role == ir::tensor_role::table && elements <= most_in_table;
    t.role = role == ir::tensor_role::table && !is_table ? ir::tensor_role::input : role;
    t.has_range = high != 0 && !is_table;  // its content tells
    t.high = t.has_range ? high : 0;
    if (is_table)
      for (std::int64_t i = 0; i < elements; ++i)
        t.content.push_back(high != 0 ? static_cast<double>(pick(high))
                                      : static_cast<double>(pick(5)) - (ttune::is_unsigned(type) ? 0 : 2));
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

}  // namespace ttune_test
