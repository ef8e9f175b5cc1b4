// SPDX-License-Identifier: Apache-2.0
// The oracle where whole programs would take too long: single elements of outputs, and what they need.
#pragma once

#include <memory>
#include <span>

#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/node.hpp"

namespace ttune::inline v0::ir {

/// Computes elements one by one; those of inner stages when they are first read, then they are kept. The rules are
/// those of `evaluate` (ir/interpret.hpp). Time: terms of the element, of the inner ones it needs; memory: 9 bytes an
/// element of every stage.
class sampled_evaluation {
 public:
  /// `operands` as `evaluate` takes them. Throws argument_error if they do not fit, or if `p` updates an operand.
  sampled_evaluation(program const& p, std::span<ndarray const> operands);
  sampled_evaluation(sampled_evaluation&&) noexcept;
  sampled_evaluation& operator=(sampled_evaluation&&) noexcept;
  ~sampled_evaluation();

  /// Element (row-major) of an output, all components; others have no meaning yet. Throws program_error as `evaluate`.
  void compute(std::size_t output, std::int64_t element);
  /// The value computed, rounded to the output's type, into the same place of `to`.
  void copy(std::size_t output, std::size_t component, std::int64_t element, ndarray& to) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ttune::inline v0::ir

#if TTUNE_HEADER_ONLY
#include "ttune/ir/sampled_evaluation.inl.hpp"
#endif
