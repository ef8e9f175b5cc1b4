// SPDX-License-Identifier: Apache-2.0
// Walks over expressions, and rebuilds one level of an expression.
#pragma once

#include "ttune/ir/make.hpp"
#include "ttune/support/function_ref.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Applies `f` to each direct operand, in order of evaluation; the result is `e` itself if nothing changed. The caller
/// recurses.
[[nodiscard]] expr map_operands(expr const& e, function_ref<expr(expr const&)> f);

/// Calls `f` on `e` and on all its subexpressions, outermost first.
void for_each_node(expr const& e, function_ref<void(expr const&)> f);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/operands.inl.hpp"
#endif
