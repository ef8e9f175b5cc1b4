// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) from estimates, with numbers that are not positive and normal behind a branch without AVX-512.
#pragma once

#include <string>
#include <utility>

#include "ttune/codegen/llvm/cold_functions.hpp"
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
      : writer_(writer), values_(values), rare_(writer, state), cold_(writer, module) {}

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
    auto const call = cold_.call("@inverse_root_" + std::to_string(x.lanes), x.type, {v},
                                 [&](auto const& of) { return divided_by_root(of[0]); });
    return value_of(rare_.replaced(computed, is_not_positive_normal(v), call), x.type);
  }

 private:
  /// Divides 1 by the roots of all numbers.
  [[nodiscard]] lane_value divided_by_root(value const& x) {
    auto const v = values_.lanes_of(x);
    auto const normal = reciprocal_root_of_normal(v);
    auto const root = values_.lanes_of(values_.intrinsic("sqrt", x));
    return is_not_positive_normal(v).choose(v.number(1) / root, normal);
  }

  ir_writer& writer_;
  value_builder& values_;
  rare_lanes rare_;
  cold_functions cold_;
};

}}}}  // namespace ttune::v0::codegen::llvm
