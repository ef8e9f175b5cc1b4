// SPDX-License-Identifier: Apache-2.0
// Which operands a lowered program reads when it is called, apart from those that it reads only once to lay them out.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns for each operand whether `body` reads an element of it: 1 or 0. A hint that it will be read counts, too.
[[nodiscard]] std::vector<std::uint8_t> operands_read(lowered const& program);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/operands_read.inl.hpp"
#endif
