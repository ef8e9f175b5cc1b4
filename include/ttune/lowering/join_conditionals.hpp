// SPDX-License-Identifier: Apache-2.0
// Joins neighbouring statements under the same condition, so that it is tested once. A register tile whose edges differ
// in its first values, its sums and its transfer to memory then becomes one whole tile for each edge. Without this,
// registers that merge after each condition stay in memory (1x1 convolutions of 63 filters: 0.45 of peak, 0.8 joined).
//
//   if x < 3: A else: B                if x < 3: A; C
//   if x < 3: C else: D          →     else:     B; D
//
// Conditions that read memory are not joined, because the statements between may change that memory.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

[[nodiscard]] ir::stmt join_conditionals(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/join_conditionals.inl.hpp"
#endif
