// SPDX-License-Identifier: Apache-2.0
// sin and cos, with a call of the runtime for large angles.
#pragma once

#include <cstddef>
#include <string>

#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/functions/trigonometric.hpp"
#include "ttune/codegen/llvm/rare_lanes.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"
#include "ttune/runtime/abi.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Angles come in, their sines or cosines go out. The runtime computes large angles, lane by lane, after a branch that
/// is hardly ever taken. Each lane is computed by itself, so that a result does not depend on its neighbours.
class angle_emitter {
 public:
  angle_emitter(ir_writer& writer, module_text& module, function_state const& state, value_builder& values)
      : writer_(writer), module_(module), values_(values), rare_(writer, state) {}

  [[nodiscard]] value apply(angle_function which, value const& x) {
    auto const angle = values_.lanes_of(x);
    auto const computed = sine_or_cosine(angle, which);
    auto const is_large = magnitude(angle).compared("ogt", angle.number(largest_angle(angle)));
    auto const call = "call " + angle.type() + " " + function_of_large_angles(which, x.type, x.lanes) +
                      "(ptr %runtime, " + angle.type() + " " + angle.text + ", " + computed.type() + " " +
                      computed.text + ")";
    return value_of(rare_.replaced(computed, is_large, call), x.type);
  }

 private:
  /// Returns the name of a module function, emitted once: sin or cos by the runtime for lanes with large angles, the
  /// computed value for the others. A separate function keeps unrolled bodies small. It stays in the section of its
  /// callers: between sections, LLVM's linker for 64-bit ARM branches by absolute addresses.
  [[nodiscard]] std::string function_of_large_angles(angle_function which, dtype type, int lanes) {
    bool const wide = type == dtype::f64;
    bool const sine = which == angle_function::sine;
    auto const name = std::string(sine ? "@sin_" : "@cos_") + (wide ? "f64_" : "f32_") + std::to_string(lanes);
    if (!module_.needs_helper(name)) return name;
    auto const offset = sine ? (wide ? offsetof(runtime_table, sin_f64) : offsetof(runtime_table, sin_f32))
                             : (wide ? offsetof(runtime_table, cos_f64) : offsetof(runtime_table, cos_f32));
    auto const v = vector_of(scalar_type(type), lanes);
    module_.add_function("define internal " + v + " " + name + "(ptr %runtime, " + v + " %x, " + v +
                         " %computed) noinline cold #0 section \".text\" {\n" +
                         "entry:\n  %place = getelementptr i8, ptr %runtime, i64 " + std::to_string(offset) +
                         "\n  %callee = load ptr, ptr %place, align 8\n" +
                         (lanes == 1 ? call_of_one(type) : loop_over_lanes(type, lanes)));
    return name;
  }

  [[nodiscard]] static std::string call_of_one(dtype type) {
    auto const scalar = scalar_type(type);
    return "  %made = call " + scalar + " %callee(" + scalar + " %x)\n  ret " + scalar + " %made\n}\n";
  }

  [[nodiscard]] std::string loop_over_lanes(dtype type, int lanes) {
    auto const scalar = scalar_type(type);
    auto const v = vector_of(scalar, lanes);
    auto const limit = real_literal(type, parts_of_pi(type == dtype::f64, writer_.has_fma()).largest_angle);
    auto const abs = "llvm.fabs." + mangled(type, 1);
    writer_.declare("declare " + scalar + " @" + abs + "(" + scalar + ")");
    return "  br label %look\nlook:\n  %lane = phi i32 [0, %entry], [%next, %after]\n  %sum = phi " + v +
           " [%computed, %entry], [%result, %after]\n  %one = extractelement " + v + " %x, i32 %lane\n  %size = call " +
           scalar + " @" + abs + "(" + scalar + " %one)\n  %large = fcmp ogt " + scalar + " %size, " + limit +
           "\n  br i1 %large, label %called, label %after\ncalled:\n  %made = call " + scalar + " %callee(" + scalar +
           " %one)\n  %with = insertelement " + v + " %sum, " + scalar +
           " %made, i32 %lane\n  br label %after\nafter:\n  %result = phi " + v +
           " [%sum, %look], [%with, %called]\n  %next = add i32 %lane, 1\n  %more = icmp ult i32 %next, " +
           std::to_string(lanes) + "\n  br i1 %more, label %look, label %done\ndone:\n  ret " + v + " %result\n}\n";
  }

  ir_writer& writer_;
  module_text& module_;
  value_builder& values_;
  rare_lanes rare_;
};

}}}}  // namespace ttune::v0::codegen::llvm
