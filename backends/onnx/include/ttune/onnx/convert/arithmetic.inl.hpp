// SPDX-License-Identifier: Apache-2.0
// Functions of several tensors, element by element after broadcasting, and conversions of types.
#pragma once

#include <functional>
#include <optional>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/element_type.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

using function_of_two = std::function<expr(expr const&, expr const&)>;

/// Before version 7 of the operators, the second operand is broadcast only where the attribute `broadcast` says so, and
/// its dimensions begin at `axis` of the first one.
[[nodiscard]] inline onnx_value second_operand(onnx_context& to) {
  auto const& a = to.input(0);
  auto const& b = to.input(1);
  auto const& node = to.node();
  if (to.opset() >= 7 || node.integer("broadcast", 0) == 0 || !node.has("axis")) return b;
  auto const axis = to.dimension(node.integer("axis", 0), a.rank());
  to.check(axis + b.rank() <= a.rank(), "the second operand has too many dimensions behind its axis");
  auto shape = b.shape;
  shape.resize(a.rank() - axis, 1);
  return to.view(b, shape);
}

/// Converts an operator of two operands of one type. `type` of the result: that of the operands unless given.
inline void convert_binary(onnx_context& to, std::optional<dtype> type, function_of_two const& value) {
  auto const& a = to.input(0);
  auto const b = second_operand(to);
  to.check(a.type == b.type, "the operands have different types");
  onnx_kernel made(to);
  auto const A = made.read_numbers(a);
  auto const B = made.read_numbers(b);
  made.result(type.value_or(a.type), onnx_broadcast(to, {a.shape, b.shape}),
              [&](auto const& at) { return value(A(at), B(at)); });
}

/// Adds an operator of two operands of one type. Conditions are no numbers.
inline void add_binary(onnx_converters& to, std::string op_type, std::optional<dtype> type, function_of_two value) {
  to.add(std::move(op_type), [type, value = std::move(value)](onnx_context& context, onnx_node const&) {
    convert_binary(context, type, value);
  });
}

/// Adds an operator of any number of operands of one type. `finish` gets the result and the number of operands.
inline void add_variadic(onnx_converters& to, std::string op_type, function_of_two value, bool mean = false) {
  to.add(std::move(op_type), [=](onnx_context& context, onnx_node const& node) {
    onnx_kernel made(context);
    std::vector<onnx_operand> operands;
    std::vector<std::vector<std::int64_t>> shapes;
    auto const type = context.input(0).type;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      context.check(context.input(i).type == type, "the operands have different types");
      operands.push_back(made.read_numbers(context.input(i)));
      shapes.push_back(context.input(i).shape);
    }
    made.result(type, onnx_broadcast(context, shapes), [&](auto const& at) {
      auto all = operands.front()(at);
      for (std::size_t i = 1; i < operands.size(); ++i) all = value(all, operands[i](at));
      return mean ? divide(all, number(all, static_cast<double>(operands.size()))) : all;
    });
  });
}

/// Returns the remainder with the sign of the divisor, as numpy's.
[[nodiscard]] inline expr remainder_like_divisor(expr const& a, expr const& b) {
  auto const rest = apply(ir::binary_op::modulo, a, b);
  if (is_unsigned(rest->type)) return rest;
  auto const zero = number(rest, 0);
  auto const other_sign = apply(ir::binary_op::not_equal, less(rest, zero), less(b, zero));
  return choose(both(other_sign, opposite(is_equal(rest, zero))), rest + b, rest);
}

/// Returns the power for an exponent that needs no general function: null if there is none.
[[nodiscard]] inline expr simple_power(expr const& base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * base * base;
  if (!is_float(base->type)) return {};
  if (exponent == 0.5) return square_root(base);
  if (exponent == -1) return divide(number(base, 1), base);
  return {};
}

/// Powers of integers are computed in f64 and rounded.
[[nodiscard]] inline expr general_power(expr const& base, expr const& exponent) {
  if (is_float(base->type)) return apply(ir::binary_op::power, base, cast(base->type, exponent));
  auto const real = apply(ir::binary_op::power, cast(dtype::f64, base), cast(dtype::f64, exponent));
  return cast(base->type, is_float(exponent->type) ? real : apply(ir::unary_op::round, real));
}

inline void convert_power(onnx_context& to, onnx_node const&) {
  auto const& base = to.input(0);
  auto const exponent = second_operand(to);
  to.check(base.type != dtype::boolean && exponent.type != dtype::boolean, "conditions have no powers");
  onnx_kernel made(to);
  auto const A = made.read(base);
  bool const one = exponent.is_known() && exponent.elements() == 1;
  auto const known = one ? elements_of(exponent).number(0) : 0;
  bool const is_simple = one && simple_power(onnx_number(base.type, 1), known);
  std::optional<onnx_operand> B;
  if (!is_simple) B = made.read(exponent);
  made.result(base.type, onnx_broadcast(to, {base.shape, exponent.shape}),
              [&](auto const& at) { return is_simple ? simple_power(A(at), known) : general_power(A(at), (*B)(at)); });
}

inline void convert_where(onnx_context& to, onnx_node const&) {
  auto const& condition = to.input(0);
  auto const& a = to.input(1);
  auto const& b = to.input(2);
  to.check(condition.type == dtype::boolean, "the condition must have booleans");
  to.check(a.type == b.type, "the operands have different types");
  onnx_kernel made(to);
  auto const C = made.read(condition);
  auto const A = made.read(a);
  auto const B = made.read(b);
  made.result(a.type, onnx_broadcast(to, {condition.shape, a.shape, b.shape}),
              [&](auto const& at) { return choose(C(at), A(at), B(at)); });
}

inline void convert_to(onnx_context& to, dtype type) {
  auto const& x = to.input(0);
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(type, x.shape, [&](auto const& at) { return cast(type, X(at)); });
}

inline void convert_cast(onnx_context& to, onnx_node const& node) {
  auto const type = onnx_element_type(node.integer("to", 0));
  if (!type) to.unsupported("element type " + std::to_string(node.integer("to", 0)));
  convert_to(to, *type);
}

/// Bounds are attributes before version 11, operands since then.
inline void convert_clip(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  onnx_kernel made(to);
  auto const X = made.read(x);
  std::vector<std::optional<onnx_operand>> bounds(2);
  std::vector<std::optional<double>> numbers(2);
  for (std::size_t i = 0; i < 2; ++i) {
    auto const* const name = i == 0 ? "min" : "max";
    if (to.opset() < 11 && node.has(name)) numbers[i] = node.real(name, 0);
    if (to.opset() < 11 || !to.has_input(i + 1)) continue;
    to.check(to.input(i + 1).type == x.type && to.input(i + 1).elements() == 1,
             "a bound must be one number of the type");
    bounds[i] = made.read(to.view(to.input(i + 1), {1}));
  }
  auto const bound = [&](std::size_t i) -> expr {
    if (numbers[i]) return onnx_number(x.type, *numbers[i]);
    return bounds[i] ? (*bounds[i])({ir::make_index(0)}) : expr();
  };
  made.result(x.type, x.shape, [&](auto const& at) {
    auto value = X(at);
    if (auto const low = bound(0)) value = larger(value, low);
    if (auto const high = bound(1)) value = smaller(value, high);
    return value;
  });
}

inline void convert_prelu(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  auto slope = to.input(1);
  if (to.opset() < 7 && slope.rank() == 1 && slope.elements() > 1 && x.rank() >= 2) {  // one slope per channel
    std::vector<std::int64_t> shape(x.rank() - 1, 1);
    shape.front() = slope.elements();
    slope = to.view(slope, shape);
  }
  to.check(x.type == slope.type, "the operands have different types");
  to.check(onnx_broadcast(to, {x.shape, slope.shape}) == x.shape, "the slope has more dimensions than the operand");
  onnx_kernel made(to);
  auto const X = made.read(x);
  auto const S = made.read(slope);
  made.result(x.type, x.shape,
              [&](auto const& at) { return choose(less(X(at), number(X(at), 0)), X(at) * S(at), X(at)); });
}

void add_arithmetic(onnx_converters& to) {
  auto const add = [](expr const& a, expr const& b) { return a + b; };
  auto const bigger = [](expr const& a, expr const& b) { return larger(a, b); };
  auto const lesser = [](expr const& a, expr const& b) { return smaller(a, b); };
  add_binary(to, "Add", {}, add);
  add_binary(to, "Sub", {}, [](expr const& a, expr const& b) { return a - b; });
  add_binary(to, "Mul", {}, [](expr const& a, expr const& b) { return a * b; });
  add_binary(to, "Div", {}, divide);
  to.add("Mod", [](onnx_context& context, onnx_node const& node) {
    bool const like_c = node.integer("fmod", 0) != 0;
    convert_binary(context, {}, [&](expr const& a, expr const& b) {
      return like_c ? apply(ir::binary_op::modulo, a, b) : remainder_like_divisor(a, b);
    });
  });
  add_variadic(to, "Sum", add);
  add_variadic(to, "Mean", add, true);
  add_variadic(to, "Max", bigger);
  add_variadic(to, "Min", lesser);
  add_binary(to, "Less", dtype::boolean, less);
  add_binary(to, "LessOrEqual", dtype::boolean, less_equal);
  add_binary(to, "Greater", dtype::boolean, [](expr const& a, expr const& b) { return less(b, a); });
  add_binary(to, "GreaterOrEqual", dtype::boolean, [](expr const& a, expr const& b) { return less_equal(b, a); });
  add_binary(to, "Equal", dtype::boolean, is_equal);
  add_binary(to, "And", dtype::boolean, both);
  add_binary(to, "Or", dtype::boolean,
             [](expr const& a, expr const& b) { return apply(ir::binary_op::logical_or, a, b); });
  add_binary(to, "Xor", dtype::boolean,
             [](expr const& a, expr const& b) { return apply(ir::binary_op::not_equal, a, b); });
  to.add("Pow", convert_power);
  to.add("Where", convert_where);
  to.add("Cast", convert_cast);
  to.add("CastLike", [](onnx_context& context, onnx_node const&) { convert_to(context, context.input(1).type); });
  to.add("Clip", convert_clip);
  to.add("PRelu", convert_prelu);
}

}}}  // namespace ttune::v0::onnx_convert
