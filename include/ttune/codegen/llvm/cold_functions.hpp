// SPDX-License-Identifier: Apache-2.0
// Functions of a module that compute what the formulas beside their callers leave out.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/llvm/ir_writer.hpp"
#include "ttune/codegen/llvm/module_text.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// In: a name, operands of one type, and a formula of all numbers. Out: the call of a function that computes the
/// formula, for rare_lanes.
class cold_functions {
 public:
  cold_functions(ir_writer& writer, module_text& module) : writer_(writer), module_(module) {}

  /// `formula` makes the result, a lane_value, of parameters of type `type`; at most two.
  template <class Formula>
  [[nodiscard]] std::string call(std::string const& name, dtype type, std::vector<lane_value> const& operands,
                                 Formula const& formula) {
    auto const t = operands[0].type();
    std::string arguments;
    for (auto const& o : operands) arguments += (arguments.empty() ? "" : ", ") + t + " " + o.text;
    if (module_.needs_helper(name)) write(name, type, operands, formula);
    return "call " + t + " " + name + "(" + arguments + ")";
  }

 private:
  /// Writes the function. It stays in the section of its callers (angle_emitter.hpp).
  template <class Formula>
  void write(std::string const& name, dtype type, std::vector<lane_value> const& operands, Formula const& formula) {
    auto const t = operands[0].type();
    std::vector<value> parameters;
    std::string declared;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      parameters.push_back({i == 0 ? "%x" : "%y", type, operands[i].lanes});
      declared += (i == 0 ? "" : ", ") + t + " " + parameters.back().text;
    }
    auto outer = writer_.begin_function();
    lane_value const made = formula(parameters);
    writer_.finish_function("define internal " + t + " " + name + "(" + declared + ") noinline cold",
                            "ret " + t + " " + made.text, " section \".text\"");
    writer_.resume_function(std::move(outer));
  }

  ir_writer& writer_;
  module_text& module_;
};

}}}}  // namespace ttune::v0::codegen::llvm
