// SPDX-License-Identifier: Apache-2.0
// Operations on two values: arithmetic, comparisons, minimum and maximum, divisions that do not trap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/functions/constant_quotient.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Two values of one type and of equally many lanes come in, one value goes out.
class arithmetic_emitter {
 public:
  arithmetic_emitter(ir_writer& writer, function_state const& state, value_builder& values)
      : writer_(writer), state_(state), values_(values) {}

  /// The facts known about the operands beside their values.
  struct operands {
    bool no_sign = false;                          ///< their type is unsigned
    std::optional<std::int64_t> constant_divisor;  ///< the right one, if it is a constant integer
    std::optional<reciprocal_parts> reciprocal;    ///< of the right one, if multiply-adds divide by it
  };

  [[nodiscard]] value apply(ir::binary_op op, value const& x, value const& y, operands const& known) {
    bool const real = is_float(x.type);
    switch (op) {
      case ir::binary_op::add: return plain(real ? "fadd" : "add", x, y);
      case ir::binary_op::subtract: return plain(real ? "fsub" : "sub", x, y);
      case ir::binary_op::multiply: return plain(real ? "fmul" : "mul", x, y);
      case ir::binary_op::divide:
        if (known.reciprocal) return value_of(constant_quotient(values_.lanes_of(x), *known.reciprocal), x.type);
        [[fallthrough]];
      case ir::binary_op::modulo: return real ? plain("fdiv", x, y) : divide_integers(op, x, y, known);
      case ir::binary_op::logical_and: return plain("and", x, y);
      case ir::binary_op::logical_or: return plain("or", x, y);
      case ir::binary_op::minimum: {
        auto const c = values_.compare(ir::binary_op::less, y, x, known.no_sign);
        return values_.choose(c.text, x.lanes, y, x);
      }
      case ir::binary_op::maximum: {
        auto const c = values_.compare(ir::binary_op::less, x, y, known.no_sign);
        return values_.choose(c.text, x.lanes, y, x);
      }
      case ir::binary_op::equal:
      case ir::binary_op::not_equal:
      case ir::binary_op::less:
      case ir::binary_op::less_equal: return values_.compare(op, x, y, known.no_sign);
      default: throw backend_error("llvm: an operation of indices is applied to data");
    }
  }

 private:
  [[nodiscard]] value plain(std::string const& instruction, value const& x, value const& y) {
    return {writer_.define(instruction + " " + vector_of(scalar_type(x.type), x.lanes) + " " + x.text + ", " + y.text),
            x.type, x.lanes};
  }

  /// Divides integers. The processor traps on a division by 0, and of the smallest value by -1. The second case wraps
  /// here; the first occurs only in lanes that do not run, where the divisor is replaced.
  [[nodiscard]] value divide_integers(ir::binary_op op, value const& x, value y, operands const& known) {
    bool const quotient = op == ir::binary_op::divide;
    auto const a = values_.lanes_of(x);
    if (!known.constant_divisor && y.lanes == state_.lanes && !state_.mask.empty())
      y = values_.choose(state_.mask_text(state_.lanes), state_.lanes, y,
                         {splat_literal(scalar_type(y.type), "1", y.lanes), y.type, y.lanes});
    auto const b = values_.lanes_of(y);
    if (known.no_sign) return value_of(a.two(quotient ? "udiv" : "urem", b), x.type);
    auto const name = quotient ? "sdiv" : "srem";
    auto const by_minus_one = [&] { return quotient ? a.bits(0) - a : a.bits(0); };
    if (known.constant_divisor)
      return value_of(*known.constant_divisor == -1 ? by_minus_one() : a.two(name, b), x.type);
    auto const minus_one = b.compared("eq", b.bits(~std::uint64_t{0}));
    return value_of(minus_one.choose(by_minus_one(), a.two(name, minus_one.choose(b.bits(1), b))), x.type);
  }

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
};

}}}}  // namespace ttune::v0::codegen::llvm
