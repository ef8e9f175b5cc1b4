// SPDX-License-Identifier: Apache-2.0
// Casts between element types.
#pragma once

#include <string>

#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// A value of one element type comes in; the value as ir/README.md defines it for the other type goes out, in the type
/// of its arithmetic. Results of 16 bits are rounded once.
class cast_emitter {
 public:
  cast_emitter(ir_writer& writer, value_builder& values) : writer_(writer), values_(values) {}

  [[nodiscard]] value cast(value const& x, dtype from, dtype to) {
    if (to == dtype::boolean) {
      auto const source = scalar_type(x.type);
      auto const zero = splat_literal(source, is_float(x.type) ? real_literal(x.type, 0) : "0", x.lanes);
      return values_.compare(ir::binary_op::not_equal, x, {zero, x.type, x.lanes}, false);
    }
    if (is_float(to)) return is_float(from) ? between_floats(x, to) : from_integer(x, from, to);
    return is_float(from) ? to_integer(x, to) : values_.resized(x, from, to);
  }

 private:
  [[nodiscard]] static bool is_small(dtype float_type) { return float_type == dtype::f16 || float_type == dtype::bf16; }

  [[nodiscard]] value converted(std::string const& instruction, value const& x, dtype to) {
    auto const type = compute_type(to);
    return {writer_.define(instruction + " " + vector_of(scalar_type(x.type), x.lanes) + " " + x.text + " to " +
                           vector_of(scalar_type(type), x.lanes)),
            type, x.lanes};
  }

  [[nodiscard]] value between_floats(value x, dtype to) {
    if (is_small(to)) {  // converts through the storage type, to round
      if (x.type == dtype::f64) x = value_of(rounded_to_odd(values_.lanes_of(x)), dtype::f32);
      return values_.rounded_to(to, x);
    }
    return x.type == to ? x : converted(to == dtype::f64 ? "fpext" : "fptrunc", x, to);
  }

  [[nodiscard]] value from_integer(value const& x, dtype from, dtype to) {
    bool const no_sign = is_unsigned(from) || from == dtype::boolean;
    auto const* conversion = no_sign ? "uitofp" : "sitofp";
    if (to == dtype::bf16 && size_in_bytes(from) >= 4) {  // has more bits than a float, but must be rounded only once
      auto const bits = values_.lanes_of(x);
      auto const integer = size_in_bytes(from) == 8 ? fit_for_double(bits, no_sign) : bits;
      return values_.rounded_to(to, value_of(rounded_to_odd(integer.cast(conversion, "double")), dtype::f32));
    }
    auto const made = converted(conversion, x, to);
    return is_small(to) ? values_.rounded_to(to, made) : made;
  }

  [[nodiscard]] value to_integer(value const& x, dtype to) {
    auto const type = compute_type(to);
    if (size_in_bytes(to) <= 2) return value_of(to_narrow_integer(values_.lanes_of(x), to), type);
    if (size_in_bytes(to) == 4 && x.lanes > 1) return value_of(to_word(values_.lanes_of(x), to), type);
    auto const source = vector_of(scalar_type(x.type), x.lanes);
    auto const target = vector_of(scalar_type(type), x.lanes);
    auto const name = std::string(is_unsigned(to) ? "@llvm.fptoui.sat." : "@llvm.fptosi.sat.") +
                      mangled(type, x.lanes) + "." + mangled(x.type, x.lanes);
    writer_.declare("declare " + target + " " + name + "(" + source + ")");
    return {writer_.define("call " + target + " " + name + "(" + source + " " + x.text + ")"), type, x.lanes};
  }

  ir_writer& writer_;
  value_builder& values_;
};

}}}}  // namespace ttune::v0::codegen::llvm
