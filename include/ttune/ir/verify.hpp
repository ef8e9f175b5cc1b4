// SPDX-License-Identifier: Apache-2.0
// The invariants that hold between passes. A fault is one of ttune, not of its user.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::ir {

/// Types of operands agree and have the operation; accesses have the rank of their source, indices of type index, a
/// fill exactly with boundary::value; sources are inputs or earlier stages; variables are axes of their stage;
/// arguments stand in combine functions only; reductions and tuples are complete; names of stages and axes are unique;
/// an update reads its operand only where it writes. Throws: internal_error naming the stage and the expression.
void verify(program const& p);

/// Types and ranks as above; every access reads a buffer, without boundary; every buffer is an operand, prepared, a
/// table or allocated around its use; every variable is bound, none twice at one place; of loops over one direction of
/// blocks or threads none is inside another; lets keep low < high; combine arguments are gone. Throws: internal_error
/// naming the statement.
void verify(lowered const& l);

}  // namespace ttune::inline v0::ir

#if TTUNE_HEADER_ONLY
#include "ttune/ir/verify.inl.hpp"
#endif
