// SPDX-License-Identifier: Apache-2.0
// log, with numbers that are not positive and normal behind a branch where handling them is expensive.
#pragma once

#include <string>

#include "ttune/codegen/llvm/cold_functions.hpp"
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
      : values_(values), rare_(writer, state), cold_(writer, module) {}

  [[nodiscard]] value apply(value const& x) {
    auto const v = values_.lanes_of(x);
    if (can_scale(v)) return value_of(logarithm(v), x.type);
    auto const computed = logarithm_of(split_normal(v));
    auto const name = std::string("@log_") + (x.type == dtype::f64 ? "f64_" : "f32_") + std::to_string(x.lanes);
    auto const call = cold_.call(name, x.type, {v}, [&](auto const& of) { return logarithm(values_.lanes_of(of[0])); });
    return value_of(rare_.replaced(computed, is_not_positive_normal(v), call), x.type);
  }

 private:
  value_builder& values_;
  rare_lanes rare_;
  cold_functions cold_;
};

}}}}  // namespace ttune::v0::codegen::llvm
