// SPDX-License-Identifier: Apache-2.0
// Reads are proven to lie inside of what they read, by intervals.
#pragma once

#include <string>

#include "ttune/ir/stmt.hpp"
#include "ttune/pass/interval.hpp"

namespace ttune::inline v0::capture::detail {

/// Throws program_error, which begins with `stage`, for a read without a boundary function whose index may lie outside.
void check_read(std::string const& stage, ir::access const& a, pass::ranges const& axes);
/// All reads of an expression.
void check_reads(std::string const& stage, ir::expr const& e, pass::ranges const& axes);

}  // namespace ttune::inline v0::capture::detail

#if TTUNE_HEADER_ONLY
#include "ttune/capture/bounds.inl.hpp"
#endif
