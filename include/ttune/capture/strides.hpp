// SPDX-License-Identifier: Apache-2.0
// Operands whose strides calls give: their strides are one more operand of the program.
#pragma once

#include <string>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// The name of the operand with the strides of the others.
inline constexpr char const* strides_name = "strides";

/// Makes the strides of the strided operands the last of a program's inputs, if there are such operands and no strides
/// yet. Throws program_error if an operand has that name.
void add_strides(ir::program& p);

/// The function declared in expr/builder.hpp.
[[nodiscard]] handle<ir::program> with_strides(handle<ir::program> const& p, std::vector<std::string> const& operands);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/strides.inl.hpp"
#endif
