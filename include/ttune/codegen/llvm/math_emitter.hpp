// SPDX-License-Identifier: Apache-2.0
// Functions of one value, powers, and remainders of floats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ttune/codegen/llvm/angle_emitter.hpp"
#include "ttune/codegen/llvm/inverse_root_emitter.hpp"
#include "ttune/codegen/llvm/lane_functions.hpp"
#include "ttune/codegen/llvm/logarithm_emitter.hpp"
#include "ttune/codegen/llvm/power_emitter.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Values come in, and a value goes out. Functions without instructions are formulas (lane_functions.hpp), or scalar
/// calls through the runtime table.
class math_emitter {
 public:
  /// `same_bits`: results must not depend on the machine.
  math_emitter(ir_writer& writer, module_text& module, function_state const& state, value_builder& values,
               bool same_bits)
      : writer_(writer),
        state_(state),
        values_(values),
        same_bits_(same_bits),
        angles_(writer, module, state, values),
        logarithms_(writer, module, state, values),
        inverse_roots_(writer, module, state, values),
        powers_(writer, module, state, values) {}

  [[nodiscard]] value apply(ir::unary_op op, value const& x, bool no_sign) {
    auto const of_lanes = [&](auto const& formula) { return value_of(formula(values_.lanes_of(x)), x.type); };
    auto const rounded = [&](char const* instruction, auto const& formula) {
      if (!is_float(x.type)) return x;
      return writer_.instructions().rounds ? values_.intrinsic(instruction, x) : of_lanes(formula);
    };
    switch (op) {
      case ir::unary_op::negate: return negated(x);
      case ir::unary_op::logical_not:
        return {writer_.define("xor " + type_of(x) + " " + x.text + ", " + splat_literal("i1", "true", x.lanes)),
                x.type, x.lanes};
      case ir::unary_op::abs: return absolute(x, no_sign);
      case ir::unary_op::sqrt: return values_.intrinsic("sqrt", x);
      case ir::unary_op::floor: return rounded("floor", rounded_down);
      case ir::unary_op::ceil: return rounded("ceil", rounded_up);
      case ir::unary_op::round: return rounded("roundeven", rounded_to_even);
      case ir::unary_op::round_to_tf32: return of_lanes(to_tf32);
      case ir::unary_op::exp: return of_lanes([](lane_value const& v) { return exponential(v); });
      case ir::unary_op::log: return logarithms_.apply(x);
      case ir::unary_op::tanh: return of_lanes(hyperbolic_tangent);
      case ir::unary_op::erf: return of_lanes([&](lane_value const& v) { return error_function(v, same_bits_); });
      case ir::unary_op::sin: return angles_.apply(angle_function::sine, x);
      case ir::unary_op::cos: return angles_.apply(angle_function::cosine, x);
    }
    throw backend_error("llvm: unknown function");
  }

  /// Returns x to the power of y.
  [[nodiscard]] value raised(value const& x, value const& y) { return powers_.apply(x, y); }

  /// Returns the remainder of a division of floats, as `fmod` does.
  [[nodiscard]] value remainder(value const& x, value const& y) {
    auto const t = x.type;
    auto const wide = [&](value const& v) {
      return t == dtype::f64 ? v : value_of(values_.lanes_of(v).cast("fpext", "double"), dtype::f64);
    };
    auto const exact = call_runtime("fmod_f64", offsetof(runtime_table, fmod_f64), {wide(x), wide(y)});
    return t == dtype::f64 ? exact : value_of(values_.lanes_of(exact).cast("fptrunc", "float"), t);
  }

  /// Returns true if 1 / sqrt(x) has an estimate, which the next function uses.
  [[nodiscard]] bool has_inverse_root(dtype type) const { return !same_bits_ && inverse_roots_.has_estimate(type); }
  [[nodiscard]] value inverse_root(value const& x) { return inverse_roots_.apply(x); }

 private:
  [[nodiscard]] static std::string type_of(value const& v) { return vector_of(scalar_type(v.type), v.lanes); }

  [[nodiscard]] value negated(value const& x) {
    if (is_float(x.type)) return {writer_.define("fneg " + type_of(x) + " " + x.text), x.type, x.lanes};
    auto const zero = splat_literal(scalar_type(x.type), "0", x.lanes);
    return {writer_.define("sub " + type_of(x) + " " + zero + ", " + x.text), x.type, x.lanes};
  }

  [[nodiscard]] value absolute(value const& x, bool no_sign) {
    if (is_float(x.type)) return values_.intrinsic("fabs", x);
    if (no_sign) return x;
    auto const zero = value{splat_literal(scalar_type(x.type), "0", x.lanes), x.type, x.lanes};
    auto const negative = values_.compare(ir::binary_op::less, x, zero, false);
    return values_.choose(negative.text, x.lanes, negated(x), x);
  }

  /// Emits one scalar call per running lane, through the runtime table.
  [[nodiscard]] value call_runtime(char const* name, std::size_t offset, std::vector<value> const& arguments) {
    auto const t = arguments[0].type;
    auto const scalar = scalar_type(t);
    auto const place = writer_.define_at(0, std::string("place ") + name,
                                         "getelementptr i8, ptr %runtime, i64 " + std::to_string(offset));
    auto const callee = writer_.define_at(0, std::string("function ") + name, "load ptr, ptr " + place + ", align 8");
    int lanes = 1;
    for (auto const& a : arguments) lanes = std::max(lanes, a.lanes);
    auto const call = [&](int lane) {
      std::string text = "call " + scalar + " " + callee + "(";
      for (std::size_t i = 0; i < arguments.size(); ++i)
        text += (i != 0 ? ", " : "") + scalar + " " + values_.extract(arguments[i], lane);
      return writer_.define(text + ")");
    };
    if (lanes == 1) return {call(0), t, 1};
    std::string made = "undef";
    for (int lane = 0; lane < lanes; ++lane)
      if (state_.runs(lane)) made = values_.insert(made, call(lane), scalar, lanes, lane);
    return {made, t, lanes};
  }

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  bool same_bits_;
  angle_emitter angles_;
  logarithm_emitter logarithms_;
  inverse_root_emitter inverse_roots_;
  power_emitter powers_;
};

}}}}  // namespace ttune::v0::codegen::llvm
