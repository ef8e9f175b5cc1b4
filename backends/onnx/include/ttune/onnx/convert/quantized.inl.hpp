// SPDX-License-Identifier: Apache-2.0
// Quantised tensors: conversion from and to integers with a scale and a zero point, and layers of integers.
#pragma once

#include <optional>

#include "ttune/onnx/convert/convolutions.inl.hpp"
#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/convert/integer_sums.inl.hpp"
#include "ttune/onnx/convert/matrices.inl.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// Returns the smallest and the largest integer of a narrow type.
[[nodiscard]] inline std::pair<double, double> limits_of(dtype type) {
  switch (type) {
    case dtype::u8: return {0, 255};
    case dtype::i8: return {-128, 127};
    case dtype::u16: return {0, 65535};
    case dtype::i16: return {-32768, 32767};
    default: return {-2147483648.0, 2147483647.0};
  }
}

/// Returns round(x / scale) + zero point, saturated. The zero point is a whole number in the type of x.
[[nodiscard]] inline expr quantized(expr const& x, expr const& scale, expr const& zero, dtype type) {
  auto const [low, high] = limits_of(type);
  auto const value = apply(ir::unary_op::round, divide(x, scale)) + zero;
  return cast(type, smaller(larger(value, number(value, low)), number(value, high)));
}

/// The operands of QuantizeLinear and DequantizeLinear, which have the same form.
struct scaled_operands {
  onnx_operand values;
  onnx_operand scale;
  std::optional<onnx_operand> zero;
};

[[nodiscard]] inline scaled_operands read_scaled(onnx_context& to, onnx_node const& node, onnx_kernel& into) {
  auto const& x = to.input(0);
  auto const axis = node.integer("axis", x.rank() > 1 ? 1 : 0);
  scaled_operands made{into.read_numbers(x), into.read(parameter_along(to, to.input(1), x.rank(), axis)), std::nullopt};
  if (to.has_input(2)) made.zero = into.read(parameter_along(to, to.input(2), x.rank(), axis));
  to.check(onnx_broadcast(to, {x.shape, made.scale.shape()}) == x.shape, "the scale does not fit the operand");
  return made;
}

/// Returns the meaning of the integers under DequantizeLinear; null if scale or zero are not known, or of other types.
[[nodiscard]] inline std::shared_ptr<onnx_bytes const> known_meaning(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  bool const known = to.input(1).is_known() && (!to.has_input(2) || to.input(2).is_known());
  if (!known || to.input(1).type != dtype::f32 || size_in_bytes(x.type) != 1) return nullptr;
  auto const axis = node.integer("axis", x.rank() > 1 ? 1 : 0);
  onnx_bytes made{x, parameter_along(to, to.input(1), x.rank(), axis), std::nullopt};
  if (to.has_input(2)) made.zero = parameter_along(to, to.input(2), x.rank(), axis);
  return std::make_shared<onnx_bytes const>(std::move(made));
}

/// Returns true if QuantizeLinear has the scale and the zero of these bytes: it returns them then.
[[nodiscard]] inline bool stands_for_same(onnx_context& to, onnx_bytes const& bytes, dtype type) {
  if (!bytes.is_even() || bytes.integers.type != type || to.input(1).elements() != 1 || !to.input(1).is_known())
    return false;
  auto const zero_of = [](onnx_value const& value) { return elements_of(value).integers.front(); };
  if (to.has_input(2) && !to.input(2).is_known()) return false;
  auto const zero = to.has_input(2) ? zero_of(to.input(2)) : 0;
  return elements_of(bytes.scale).reals == elements_of(to.input(1)).reals &&
         (bytes.zero ? zero_of(*bytes.zero) : 0) == zero;
}

inline void convert_quantize(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const type = to.has_input(2) ? to.input(2).type : dtype::u8;
  to.check(is_float(x.type) && to.input(1).type == x.type && is_integer(type),
           "x and its scale must have floats of one type, and the zero point integers");
  if (auto const* const bytes = bytes_of(x); bytes && stands_for_same(to, *bytes, type))
    return to.set_output(0, bytes->integers);
  onnx_kernel made(to);
  auto const of = read_scaled(to, node, made);
  made.result(type, x.shape, [&](auto const& at) {
    auto const zero = of.zero ? cast(x.type, (*of.zero)(at)) : onnx_number(x.type, 0);
    return quantized(of.values(at), of.scale(at), zero, type);
  });
}

inline void convert_dequantize(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const type = to.input(1).type;
  to.check(is_integer(x.type) && is_float(type), "x must have integers, and its scale floats");
  onnx_kernel made(to);
  auto const of = read_scaled(to, node, made);
  auto value = made.finish(made.map(type, x.shape, [&](auto const& at) {
    auto const integer = cast(dtype::i32, of.values(at));
    return cast(type, of.zero ? integer - cast(dtype::i32, (*of.zero)(at)) : integer) * of.scale(at);
  }));
  value.bytes = known_meaning(to, node);
  to.set_output(0, std::move(value));
}

/// Scale and zero point by the minimum and the maximum of a tensor, which is then quantised to u8.
inline void convert_dynamic_quantize(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  to.check(x.type == dtype::f32, "the operand must have f32");
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const extreme = [&](ir::reduction_kind kind) {
    return made.reduce(kind, x.type, {}, x.shape, [&](auto const&, auto const& over) { return X(over); });
  };
  auto const least = extreme(ir::reduction_kind::minimum), most = extreme(ir::reduction_kind::maximum);
  auto const zero = onnx_number(x.type, 0), full = onnx_number(x.type, 255);
  auto const S = made.map(
      x.type, {}, [&](auto const& at) { return divide(larger(most(at), zero) - smaller(least(at), zero), full); });
  auto const Z = made.map(x.type, {}, [&](auto const& at) {
    auto const place = zero - divide(smaller(least(at), zero), S(at));
    return apply(ir::unary_op::round, smaller(larger(place, zero), full));
  });
  auto const Y =
      made.map(dtype::u8, x.shape, [&](auto const& at) { return quantized(X(at), S({}), Z({}), dtype::u8); });
  to.set_output(0, made.finish(Y));
  if (to.is_used(1)) to.set_output(1, made.finish(S));
  if (to.is_used(2))
    to.set_output(2, made.finish(made.map(dtype::u8, {}, [&](auto const& at) { return cast(dtype::u8, Z(at)); })));
}

inline void convert_convolution_of_integers(onnx_context& to, onnx_node const&) {
  convolution c{to.input(0), to.input(1), std::nullopt, 1, {}};
  settle_convolution(to, c);
  onnx_kernel made(to);
  to.set_output(0, made.finish(convolution_of_integers(to, made, c, zeros_of_convolution(to, c, {})).sums()));
}

inline void convert_product_of_integers(onnx_context& to, onnx_node const&) {
  matmul_shape const s(to, to.input(0).shape, to.input(1).shape);
  onnx_kernel made(to);
  auto const sums = multiplied_integers(to, made, s, {});
  to.set_output(0, to.view(made.finish(sums), s.result));
}

/// Returns the sums, scaled and quantised again. The scales are inputs `a`, `b` and `y` of the node; those of `b` lie
/// along dimension `axis` of the result.
[[nodiscard]] inline onnx_operand requantized(onnx_context& to, onnx_kernel& made, onnx_operand const& sums,
                                              std::int64_t axis, std::optional<onnx_operand> const& bias) {
  auto const rank = sums.shape().size();
  for (std::size_t const at : {std::size_t{1}, std::size_t{4}, std::size_t{6}})
    to.check(is_float(to.input(at).type), "the scales must have floats");
  auto const a = made.read(parameter_along(to, to.input(1), rank, -2));
  auto const b = made.read(parameter_along(to, to.input(4), rank, axis));
  auto const y = made.read(parameter_along(to, to.input(6), rank, axis));
  auto const zero = made.read(parameter_along(to, to.input(7), rank, axis));
  auto const type = to.input(7).type;
  to.check(is_integer(type), "the zero points must be integers");
  return made.map(type, sums.shape(), [&](auto const& at) {
    auto const sum = bias ? sums(at) + (*bias)({at[1]}) : sums(at);
    auto const scale = cast(dtype::f32, a(at)) * cast(dtype::f32, b(at));
    return quantized(cast(dtype::f32, sum) * scale, cast(dtype::f32, y(at)), cast(dtype::f32, zero(at)), type);
  });
}

inline void convert_quantized_convolution(onnx_context& to, onnx_node const&) {
  std::optional<onnx_value> bias;
  if (to.has_input(8)) bias = to.input(8);
  convolution c{to.input(0), to.input(3), bias, 1, {}};
  settle_convolution(to, c);
  to.check(!bias || bias->type == dtype::i32, "the bias must have i32");
  onnx_kernel made(to);
  auto const sums = convolution_of_integers(to, made, c, zeros_of_convolution(to, c, {0, 3, 2, 5})).sums();
  auto const B = read_bias(made, c.bias);
  to.set_output(0, made.finish(requantized(to, made, sums, 1, B)));
}

inline void convert_quantized_product(onnx_context& to, onnx_node const&) {
  matmul_shape const s(to, to.input(0).shape, to.input(3).shape);
  onnx_kernel made(to);
  auto const sums = multiplied_integers(to, made, s, {0, 3, 2, 5});
  to.set_output(0, to.view(made.finish(requantized(to, made, sums, -1, std::nullopt)), s.result));
}

void add_quantized(onnx_converters& to) {
  to.add("QuantizeLinear", convert_quantize);
  to.add("DequantizeLinear", convert_dequantize);
  to.add("DynamicQuantizeLinear", convert_dynamic_quantize);
  to.add("ConvInteger", convert_convolution_of_integers);
  to.add("MatMulInteger", convert_product_of_integers);
  to.add("QLinearConv", convert_quantized_convolution);
  to.add("QLinearMatMul", convert_quantized_product);
}

}}}  // namespace ttune::v0::onnx_convert
