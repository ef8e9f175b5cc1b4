// SPDX-License-Identifier: Apache-2.0
// log, with numbers that are not positive and normal behind a branch where handling them is expensive.
#pragma once

#include <string>

#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/functions/logarithm.hpp"
#include "ttune/codegen/llvm/rare_lanes.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Numbers come in, their logarithms go out. AVX-512 splits all numbers by two instructions. Elsewhere zero,
/// subnormals, infinity and the like take a third of the instructions: a function of the module handles them. Both have
/// the same result for positive normal numbers.
class logarithm_emitter {
 public:
  logarithm_emitter(ir_writer& writer, module_text& module, function_state const& state, value_builder& values)
      : writer_(writer), module_(module), values_(values), rare_(writer, state) {}

  [[nodiscard]] value apply(value const& x) {
    auto const v = values_.lanes_of(x);
    if (can_scale(v)) return value_of(logarithm(v), x.type);
    auto const computed = logarithm_of(split_normal(v));
    auto const call = "call " + v.type() + " " + function_of_all_numbers(x) + "(" + v.type() + " " + v.text + ")";
    return value_of(rare_.replaced(computed, is_not_positive_normal(v), call), x.type);
  }

 private:
  /// Returns the name of a module function, emitted once, that computes the logarithms of any numbers. It stays in the
  /// section of its callers (angle_emitter.hpp).
  [[nodiscard]] std::string function_of_all_numbers(value const& x) {
    auto const name = std::string("@log_") + (x.type == dtype::f64 ? "f64_" : "f32_") + std::to_string(x.lanes);
    if (!module_.needs_helper(name)) return name;
    auto outer = writer_.begin_function();
    auto const v = values_.lanes_of(value{"%x", x.type, x.lanes});
    auto const made = logarithm(v);
    writer_.finish_function("define internal " + v.type() + " " + name + "(" + v.type() + " %x) noinline cold",
                            "ret " + made.type() + " " + made.text, " section \".text\"");
    writer_.resume_function(std::move(outer));
    return name;
  }

  ir_writer& writer_;
  module_text& module_;
  value_builder& values_;
  rare_lanes rare_;
};

}}}}  // namespace ttune::v0::codegen::llvm
