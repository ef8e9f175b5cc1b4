// SPDX-License-Identifier: Apache-2.0
// Evaluation of expressions, for the parts of it that recur: an index may read data, data are read at indices.
#pragma once

#include "ttune/codegen/llvm/values.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// `value_emitter` implements it and owns the parts that call it.
class expression_evaluator {
 public:
  expression_evaluator() = default;
  expression_evaluator(expression_evaluator const&) = delete;
  expression_evaluator& operator=(expression_evaluator const&) = delete;
  /// Writes the instructions of an expression; returns its value, one for all lanes or one for each.
  [[nodiscard]] virtual value evaluate(ir::expr const& e) = 0;
  /// Does the same for an expression that is an index or part of one.
  [[nodiscard]] virtual value evaluate_index(ir::expr const& e) = 0;

 protected:
  ~expression_evaluator() = default;
};

}}}}  // namespace ttune::v0::codegen::llvm
