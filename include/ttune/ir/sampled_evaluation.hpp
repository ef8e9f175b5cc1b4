// SPDX-License-Identifier: Apache-2.0
// The interpreter for single elements of outputs, for programs that would take too long as a whole.
#pragma once

#include <memory>
#include <span>

#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Computes elements one by one. Elements of inner stages are computed at their first read and then stored. The rules
/// are those of `evaluate` (ir/interpret.hpp). Time is proportional to the terms of the element and of the inner
/// elements that it needs; memory is 9 bytes per element of every stage.
class sampled_evaluation {
 public:
  /// `operands` as for `evaluate`. Throws argument_error if they do not match, or if `p` updates an operand.
  sampled_evaluation(program const& p, std::span<ndarray const> operands);
  sampled_evaluation(sampled_evaluation&&) noexcept;
  sampled_evaluation& operator=(sampled_evaluation&&) noexcept;
  ~sampled_evaluation();

  /// Computes one element (row-major index) of an output, all components; other elements have no values yet. Throws
  /// program_error like `evaluate`.
  void compute(std::size_t output, std::int64_t element);
  /// Copies the computed value, rounded to the output's type, to the same position of `to`.
  void copy(std::size_t output, std::size_t component, std::int64_t element, ndarray& to) const;
  /// Returns the computed value of a component that is a float, not rounded.
  [[nodiscard]] double real(std::size_t output, std::size_t component, std::int64_t element) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/sampled_evaluation.inl.hpp"
#endif
