// SPDX-License-Identifier: Apache-2.0
// Evaluation of expressions, for indices: they may contain what is not index arithmetic, such as data and conditions.
#pragma once

#include "ttune/codegen/c_family/c_value.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Evaluates any expression; value_emitter.hpp implements it.
class expression_evaluator {
 public:
  expression_evaluator() = default;
  expression_evaluator(expression_evaluator const&) = delete;
  expression_evaluator& operator=(expression_evaluator const&) = delete;
  [[nodiscard]] virtual c_value evaluate(ir::expr const& e) = 0;

 protected:
  ~expression_evaluator() = default;
};

}}}}  // namespace ttune::v0::codegen::c_family
