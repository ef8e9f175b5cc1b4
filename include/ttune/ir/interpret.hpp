// SPDX-License-Identifier: Apache-2.0
// The interpreter, the oracle for all other code: executes programs and lowered programs by the rules of ir/README.md,
// as simply as possible.
//
// Floats of all types are computed in double, integers exactly with wrap-around at their width. Only outputs (and
// explicit casts) are rounded to their type. Costs about 10 ns per operation.
#pragma once

#include <span>
#include <string>

#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Executes a program stage after stage, by nested loops over axes and reductions. `operands` are the inputs in order,
/// without tables. Returns one array for each component of each output; for an update stage the operand's new content.
/// Throws: program_error naming the access if an index is out of bounds, or an integer is divided by zero;
///         argument_error if operands do not match.
[[nodiscard]] std::vector<ndarray> evaluate(program const& p, std::span<ndarray const> operands);

/// Accesses of a run to one operand or prepared buffer; for scratch buffers only loads and stores are counted.
struct buffer_traffic {
  std::string name;
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  std::int64_t elements_loaded = 0;  ///< number of distinct elements
  std::int64_t elements_stored = 0;
};

/// Options of `run`.
struct run_options {
  std::vector<buffer_traffic>* traffic = nullptr;  ///< filled in if not null
};

/// Executes a lowered program `l` of program `p`. Loops of all kinds run one iteration after the other; barriers are
/// respected. Takes and returns the same arrays as `evaluate`, in the same order.
/// Throws internal_error naming the statement if an index is out of its buffer's bounds; an element is read that was
/// never written; an input or a table is written; a buffer is used outside of its alloc; a barrier is not reached by
/// all threads alike; an element of an output is never written; or a data race is possible: two accesses to one
/// element, at least one of them a write, in two iterations of a parallel or vectorised loop, in two blocks, or in two
/// threads without a barrier between them (both statements are named).
[[nodiscard]] std::vector<ndarray> run(lowered const& l, program const& p, std::span<ndarray const> operands,
                                       run_options const& options = {});

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/interpret.inl.hpp"
#endif
