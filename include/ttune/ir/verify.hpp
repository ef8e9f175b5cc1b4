// SPDX-License-Identifier: Apache-2.0
// Checks the invariants that hold between passes. A violation is a fault of ttune, not of its user.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Checks a program. Types of operands agree and support the operation. Accesses have the rank of their source, indices
/// of type index, and a fill only with boundary::value. Sources are inputs or earlier stages; variables are axes of
/// their stage; arguments occur in combine functions only. Reductions and tuples are complete. Names of stages and axes
/// are unique. An update reads its operand only where it writes. Throws internal_error naming the stage and the
/// expression.
void verify(program const& p);

/// Checks a lowered program. Types and ranks as above. Every access reads a buffer, without boundary; every buffer is
/// an operand, prepared, a table, or allocated around its use. Every variable is bound, and none twice in nested
/// scopes. No loop over a direction of blocks or threads is inside another loop over the same direction. Each let has
/// low < high. No combine arguments are left. Throws internal_error naming the statement.
void verify(lowered const& l);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/verify.inl.hpp"
#endif
