// SPDX-License-Identifier: Apache-2.0
// Memory that a lowered program reads when it is called, and what it reads once to lay out constants.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns bits of `operand_use` for each operand, then for each prepared buffer: `read_by_calls` if `body` reads an
/// element, `unread_by_prepare` if `prepare` reads none. A hint that an element will be read counts, too.
[[nodiscard]] std::vector<std::uint8_t> operand_uses(lowered const& program);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/operand_uses.inl.hpp"
#endif
