// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) from estimates, with numbers that are not positive and normal behind a branch without AVX-512.
#pragma once

#include <string>
#include <utility>

#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/functions/logarithm.hpp"
#include "ttune/codegen/llvm/functions/reciprocal_root.hpp"
#include "ttune/codegen/llvm/rare_lanes.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Numbers come in, the reciprocals of their roots go out. AVX-512 estimates all numbers. AVX's estimate takes
/// subnormals for zero: a function of the module handles them and other unusual numbers by a root and a division.
class inverse_root_emitter {
 public:
  inverse_root_emitter(ir_writer& writer, module_text& module, function_state const& state, value_builder& values)
      : writer_(writer), module_(module), values_(values), rare_(writer, state) {}

  /// Returns true if the machine has an estimate for a type.
  [[nodiscard]] bool has_estimate(dtype type) const {
    auto const& has = writer_.instructions();
    if (type == dtype::f64) return has.estimates_roots;
    return type == dtype::f32 && (has.estimates_roots || has.estimates_roots_roughly);
  }

  /// Requires an estimate.
  [[nodiscard]] value apply(value const& x) {
    auto const v = values_.lanes_of(x);
    if (writer_.instructions().estimates_roots) return value_of(reciprocal_root(v), x.type);
    auto const computed = reciprocal_root_of_normal(v);
    auto const call = "call " + v.type() + " " + function_of_all_numbers(x) + "(" + v.type() + " " + v.text + ")";
    return value_of(rare_.replaced(computed, is_not_positive_normal(v), call), x.type);
  }

 private:
  /// Returns the name of a module function, emitted once, that divides 1 by the roots of all numbers. It stays in the
  /// section of its callers (angle_emitter.hpp).
  [[nodiscard]] std::string function_of_all_numbers(value const& x) {
    auto const name = "@inverse_root_" + std::to_string(x.lanes);
    if (!module_.needs_helper(name)) return name;
    auto outer = writer_.begin_function();
    auto const v = values_.lanes_of(value{"%x", x.type, x.lanes});
    auto const normal = reciprocal_root_of_normal(v);
    auto const root = values_.lanes_of(values_.intrinsic("sqrt", value{"%x", x.type, x.lanes}));
    auto const made = is_not_positive_normal(v).choose(v.number(1) / root, normal);
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
