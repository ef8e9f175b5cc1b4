// SPDX-License-Identifier: Apache-2.0
// Powers: squares and the like as products, others by logarithms, with unusual numbers behind a branch.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "ttune/codegen/llvm/cold_functions.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/functions/power.hpp"
#include "ttune/codegen/llvm/rare_lanes.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Bases and exponents come in, powers go out. Positive normal bases, 0, and finite exponents take the short way: the
/// rules of C's pow for all others are half of the instructions, and a function of the module has them. Negative bases
/// usually have a whole exponent that is written in the program: such powers have no branch.
class power_emitter {
 public:
  power_emitter(ir_writer& writer, module_text& module, function_state const& state, value_builder& values)
      : values_(values), rare_(writer, state), cold_(writer, module) {}

  [[nodiscard]] value apply(value const& base, value const& exponent) {
    auto const known = number_of(exponent);
    int const lanes = std::max(base.lanes, exponent.lanes);
    auto const x = values_.lanes_of(values_.widened(base, lanes));
    if (known)
      if (auto const product = as_product(x, *known)) return value_of(*product, base.type);
    auto const y = values_.lanes_of(values_.widened(exponent, lanes));
    if (known && *known == std::nearbyint(*known)) return value_of(power(x, y), base.type);
    auto const computed = usual_power(x, y);
    auto const name = std::string("@pow_") + (base.type == dtype::f64 ? "f64_" : "f32_") + std::to_string(lanes);
    auto const call = cold_.call(name, base.type, {x, y}, [&](auto const& of) {
      return power(values_.lanes_of(of[0]), values_.lanes_of(of[1]));
    });
    return value_of(rare_.replaced(computed, is_unusual_power(x, y), call), base.type);
  }

 private:
  /// Returns the number that a value is if it is a literal (values.hpp).
  [[nodiscard]] static std::optional<double> number_of(value const& v) {
    if (v.lanes != 1 || v.text.compare(0, 2, "0x") != 0) return std::nullopt;
    return std::bit_cast<double>(static_cast<std::uint64_t>(std::strtoull(v.text.c_str() + 2, nullptr, 16)));
  }

  /// Returns a power with a small whole exponent as products, rounded once: floats are multiplied as doubles.
  [[nodiscard]] static std::optional<lane_value> as_product(lane_value const& x, double exponent) {
    if (exponent == 2) return x * x;
    if (x.wide() || (exponent != 3 && exponent != 4)) return std::nullopt;
    auto const wide = x.cast("fpext", "double");
    auto const square = wide * wide;
    return (square * (exponent == 3 ? wide : square)).cast("fptrunc", "float");
  }

  value_builder& values_;
  rare_lanes rare_;
  cold_functions cold_;
};

}}}}  // namespace ttune::v0::codegen::llvm
