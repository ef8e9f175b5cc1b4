// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, element by element.
#pragma once

#include <functional>
#include <limits>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/error.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

using function_of_element = std::function<expr(expr const&, onnx_node const&)>;

/// Adds an operator that maps the elements of its first operand.
inline void add_function(onnx_converters& to, std::string op_type, function_of_element value) {
  to.add(std::move(op_type), [value = std::move(value)](onnx_context& context, onnx_node const& node) {
    auto const& x = context.input(0);
    onnx_kernel made(context);
    auto const X = made.read_numbers(x);
    made.result(x.type, x.shape, [&](auto const& at) { return value(X(at), node); });
  });
}

/// Adds an operator for floats only.
inline void add_float_function(onnx_converters& to, std::string op_type, function_of_element value) {
  add_function(to, std::move(op_type), [value = std::move(value)](expr const& x, onnx_node const& node) {
    if (!is_float(x->type)) throw onnx_error(node.text() + ": the operand must have floats");
    return value(x, node);
  });
}

inline void add_unary(onnx_converters& to, std::string op_type, ir::unary_op op) {
  bool const any_number = op == ir::unary_op::negate || op == ir::unary_op::abs;
  auto const value = [op](expr const& x, onnx_node const&) { return apply(op, x); };
  if (any_number) add_function(to, std::move(op_type), value);
  else add_float_function(to, std::move(op_type), value);
}

inline void add_rectifiers(onnx_converters& to) {
  add_function(to, "Relu", [](expr const& x, onnx_node const&) { return larger(x, number(x, 0)); });
  add_function(to, "LeakyRelu", [](expr const& x, onnx_node const& node) {
    return choose(less(x, number(x, 0)), x * number(x, node.real("alpha", 0.01)), x);
  });
  add_function(to, "ThresholdedRelu", [](expr const& x, onnx_node const& node) {
    return choose(less(number(x, node.real("alpha", 1)), x), x, number(x, 0));
  });
  add_float_function(to, "Elu", [](expr const& x, onnx_node const& node) {
    return choose(less(x, number(x, 0)), number(x, node.real("alpha", 1)) * (exp(x) - number(x, 1)), x);
  });
  add_float_function(to, "Selu", [](expr const& x, onnx_node const& node) {
    auto const gamma = number(x, node.real("gamma", 1.05070102214813232421875));
    auto const alpha = number(x, node.real("alpha", 1.67326319217681884765625));
    return gamma * choose(less_equal(x, number(x, 0)), alpha * exp(x) - alpha, x);
  });
  add_float_function(to, "Celu", [](expr const& x, onnx_node const& node) {
    auto const alpha = number(x, node.real("alpha", 1));
    auto const below = alpha * (exp(divide(x, alpha)) - number(x, 1));
    return larger(x, number(x, 0)) + smaller(below, number(x, 0));
  });
  add_float_function(to, "Shrink", [](expr const& x, onnx_node const& node) {
    auto const lambda = node.real("lambd", 0.5);
    auto const bias = number(x, node.real("bias", 0));
    return choose(less(x, number(x, -lambda)), x + bias, choose(less(number(x, lambda), x), x - bias, number(x, 0)));
  });
}

inline void add_sigmoids(onnx_converters& to) {
  add_float_function(to, "Sigmoid", [](expr const& x, onnx_node const&) { return sigmoid(x); });
  add_float_function(to, "HardSigmoid", [](expr const& x, onnx_node const& node) {
    auto const line = x * number(x, node.real("alpha", 0.2)) + number(x, node.real("beta", 0.5));
    return larger(number(x, 0), smaller(number(x, 1), line));
  });
  add_float_function(to, "HardSwish", [](expr const& x, onnx_node const&) {
    return x * larger(number(x, 0), smaller(number(x, 1), x * number(x, 1.0 / 6) + number(x, 0.5)));
  });
  // log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow
  add_float_function(to, "Softplus", [](expr const& x, onnx_node const&) {
    return larger(x, number(x, 0)) + log(number(x, 1) + exp(negate(absolute(x))));
  });
  add_float_function(to, "Softsign",
                     [](expr const& x, onnx_node const&) { return divide(x, number(x, 1) + absolute(x)); });
}

/// Adds an operator that tests the elements of its operand.
inline void add_test(onnx_converters& to, std::string op_type, function_of_element value) {
  to.add(std::move(op_type), [value = std::move(value)](onnx_context& context, onnx_node const& node) {
    auto const& x = context.input(0);
    context.check(is_float(x.type), "the operand must have floats");
    onnx_kernel made(context);
    auto const X = made.read_numbers(x);
    made.result(dtype::boolean, x.shape, [&](auto const& at) { return value(X(at), node); });
  });
}

inline void add_tests(onnx_converters& to) {
  add_test(to, "IsNaN", [](expr const& x, onnx_node const&) { return apply(ir::binary_op::not_equal, x, x); });
  add_test(to, "IsInf", [](expr const& x, onnx_node const& node) {
    auto const infinity = number(x, std::numeric_limits<double>::infinity());
    bool const positive = node.integer("detect_positive", 1) != 0;
    bool const negative = node.integer("detect_negative", 1) != 0;
    if (positive && negative) return is_equal(absolute(x), infinity);
    if (!positive && !negative) return opposite(is_equal(x, x));
    return is_equal(x, positive ? infinity : negate(infinity));
  });
}

void add_functions(onnx_converters& to) {
  add_unary(to, "Neg", ir::unary_op::negate);
  add_unary(to, "Abs", ir::unary_op::abs);
  add_unary(to, "Sqrt", ir::unary_op::sqrt);
  add_unary(to, "Exp", ir::unary_op::exp);
  add_unary(to, "Log", ir::unary_op::log);
  add_unary(to, "Sin", ir::unary_op::sin);
  add_unary(to, "Cos", ir::unary_op::cos);
  add_unary(to, "Tanh", ir::unary_op::tanh);
  add_unary(to, "Erf", ir::unary_op::erf);
  add_unary(to, "Floor", ir::unary_op::floor);
  add_unary(to, "Ceil", ir::unary_op::ceil);
  add_unary(to, "Round", ir::unary_op::round);
  add_float_function(to, "Reciprocal", [](expr const& x, onnx_node const&) { return divide(number(x, 1), x); });
  add_float_function(to, "Tan", [](expr const& x, onnx_node const&) {
    return divide(apply(ir::unary_op::sin, x), apply(ir::unary_op::cos, x));
  });
  add_function(to, "Sign", [](expr const& x, onnx_node const&) {
    auto const zero = number(x, 0);
    if (is_unsigned(x->type)) return choose(less(zero, x), number(x, 1), zero);
    return choose(less(zero, x), number(x, 1), choose(less(x, zero), number(x, -1), zero));
  });
  add_function(to, "Not", [](expr const& x, onnx_node const& node) {
    if (x->type != dtype::boolean) throw onnx_error(node.text() + ": the operand must have booleans");
    return opposite(x);
  });
  add_rectifiers(to);
  add_sigmoids(to);
  add_tests(to);
}

}}}  // namespace ttune::v0::onnx_convert
