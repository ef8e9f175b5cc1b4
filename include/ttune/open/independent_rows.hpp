// SPDX-License-Identifier: Apache-2.0
// Which operators compute one row at a time along a run-time extent, so that a kernel of some rows serves any number.
#pragma once

#include <string>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns why the rows along a run-time extent do not depend on themselves alone, as "S reads X at another row"; empty
/// if they do. Then each operand that has the extent has it outermost in memory, and row r of each result is a function
/// of rows r of these operands and of operands without rows.
[[nodiscard]] std::string why_rows_depend(ir::program const& of, std::string const& dim);

/// Returns the only run-time extent of a program, along which its rows do not depend on each other. Throws
/// argument_error if there is none, or if there are several; program_error if rows depend on each other.
[[nodiscard]] std::string only_row_dim(ir::program const& of);

/// Returns for each operand, in the order of the arguments of a kernel, whether it has rows.
[[nodiscard]] std::vector<bool> operands_with_rows(ir::program const& of, std::string const& dim);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/independent_rows.inl.hpp"
#endif
