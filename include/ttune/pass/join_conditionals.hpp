// SPDX-License-Identifier: Apache-2.0
// Neighbours that are decided by the same condition are decided once. A register tile whose edges differ in its first
// values, its sums and its way to memory becomes one whole tile for each edge: registers that are merged behind each
// condition would be kept in memory (1x1 convolutions of 63 filters: 0.45 of peak, 0.8 joined).
//
//   if x < 3: A else: B                if x < 3: A; C
//   if x < 3: C else: D          →     else:     B; D
//
// Conditions that read memory are left alone: what they decide may change it.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::pass {

[[nodiscard]] ir::stmt join_conditionals(ir::stmt const& s);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/join_conditionals.inl.hpp"
#endif
