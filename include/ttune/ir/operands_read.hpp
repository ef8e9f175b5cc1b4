// SPDX-License-Identifier: Apache-2.0
// Memory that a lowered program reads when it is called, in contrast to what it reads only once to lay out constants.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns 1 for each operand, then for each prepared buffer, of which `body` reads an element, 0 for the others. A
/// hint that an element will be read counts, too.
[[nodiscard]] std::vector<std::uint8_t> operands_read(lowered const& program);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/operands_read.inl.hpp"
#endif
