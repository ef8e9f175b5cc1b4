// SPDX-License-Identifier: Apache-2.0
// Notation of expressions in converters: operators of ir/make.hpp beyond + - *, and functions of numbers.
#pragma once

#include <utility>

#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

using ir::expr;

[[nodiscard]] inline expr number(expr const& like, double value) { return ir::make_number(like->type, value); }
[[nodiscard]] inline expr apply(ir::unary_op op, expr x) { return ir::make_unary(op, std::move(x)); }
[[nodiscard]] inline expr apply(ir::binary_op op, expr a, expr b) {
  return ir::make_binary(op, std::move(a), std::move(b));
}
[[nodiscard]] inline expr negate(expr x) { return apply(ir::unary_op::negate, std::move(x)); }
[[nodiscard]] inline expr exp(expr x) { return apply(ir::unary_op::exp, std::move(x)); }
[[nodiscard]] inline expr log(expr x) { return apply(ir::unary_op::log, std::move(x)); }
[[nodiscard]] inline expr absolute(expr x) { return apply(ir::unary_op::abs, std::move(x)); }
[[nodiscard]] inline expr square_root(expr x) { return apply(ir::unary_op::sqrt, std::move(x)); }
[[nodiscard]] inline expr divide(expr a, expr b) { return apply(ir::binary_op::divide, std::move(a), std::move(b)); }
[[nodiscard]] inline expr smaller(expr a, expr b) { return apply(ir::binary_op::minimum, std::move(a), std::move(b)); }
[[nodiscard]] inline expr larger(expr a, expr b) { return apply(ir::binary_op::maximum, std::move(a), std::move(b)); }
[[nodiscard]] inline expr less(expr a, expr b) { return apply(ir::binary_op::less, std::move(a), std::move(b)); }
[[nodiscard]] inline expr less_equal(expr a, expr b) {
  return apply(ir::binary_op::less_equal, std::move(a), std::move(b));
}
[[nodiscard]] inline expr is_equal(expr a, expr b) { return apply(ir::binary_op::equal, std::move(a), std::move(b)); }
[[nodiscard]] inline expr choose(expr condition, expr a, expr b) {
  return ir::make_select(std::move(condition), std::move(a), std::move(b));
}
[[nodiscard]] inline expr opposite(expr condition) { return apply(ir::unary_op::logical_not, std::move(condition)); }
[[nodiscard]] inline expr both(expr a, expr b) { return apply(ir::binary_op::logical_and, std::move(a), std::move(b)); }
[[nodiscard]] inline expr floor_divide(expr a, std::int64_t b) {
  return apply(ir::binary_op::floor_divide, std::move(a), ir::make_index(b));
}
[[nodiscard]] inline expr floor_modulo(expr a, std::int64_t b) {
  return apply(ir::binary_op::floor_modulo, std::move(a), ir::make_index(b));
}
[[nodiscard]] inline expr sigmoid(expr const& x) { return divide(number(x, 1), number(x, 1) + exp(negate(x))); }
[[nodiscard]] inline expr cast(dtype type, expr x) { return ir::make_cast(type, std::move(x)); }

}}}  // namespace ttune::v0::onnx_convert
