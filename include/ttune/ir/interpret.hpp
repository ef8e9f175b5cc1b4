// SPDX-License-Identifier: Apache-2.0
// The oracle: executes programs and lowered programs by the rules of ir/README.md, as plainly as can be.
//
// Floats are computed in double whatever their type, integers exactly with wrap to their width. Only outputs (and
// explicit casts) are rounded to their type. About 10 ns an operation.
#pragma once

#include <span>
#include <string>

#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::ir {

/// Runs a program, stage after stage, by nested loops over axes and reductions. `operands`: the inputs in order,
/// tables left out. Gives one array for each component of each output; for an update stage the operand's new content.
/// Throws: program_error naming the access if an index lies outside, or an integer is divided by zero;
///         argument_error if operands do not fit.
[[nodiscard]] std::vector<ndarray> evaluate(program const& p, std::span<ndarray const> operands);

/// What a run did to one operand or prepared buffer; scratch counts loads and stores only.
struct buffer_traffic {
  std::string name;
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  std::int64_t elements_loaded = 0;  ///< distinct ones
  std::int64_t elements_stored = 0;
};

struct run_options {
  std::vector<buffer_traffic>* traffic = nullptr;  ///< filled if given
};

/// Executes what `p` was lowered to; loops of any kind run one iteration after the other, barriers are honoured.
/// Takes and gives the same arrays as `evaluate`, in the same order.
/// Throws: internal_error naming the statement if an index lies outside of its buffer, an element is read that
///         nothing has written, an input or a table is written, a buffer is used outside of its alloc, a barrier is not
///         reached by all threads alike, an element of an output is never written, or two accesses of one element, a
///         write among them, may happen at once: in two iterations of a parallel or vectorised loop, in two blocks, or
///         in two threads with no barrier between them (both statements are named).
[[nodiscard]] std::vector<ndarray> run(lowered const& l, program const& p, std::span<ndarray const> operands,
                                       run_options const& options = {});

}  // namespace ttune::inline v0::ir

#if TTUNE_HEADER_ONLY
#include "ttune/ir/interpret.inl.hpp"
#endif
