// SPDX-License-Identifier: Apache-2.0
// Proves by intervals that reads lie inside of their sources.
#pragma once

#include <string>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// Throws program_error, which begins with `stage`, if a read without a boundary function may lie outside.
void check_read(std::string const& stage, ir::access const& a, arith::ranges const& axes);
/// Checks all reads of an expression.
void check_reads(std::string const& stage, ir::expr const& e, arith::ranges const& axes);

}}}}  // namespace ttune::v0::capture::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/bounds.inl.hpp"
#endif
