// SPDX-License-Identifier: Apache-2.0
// Executes virtual threads one after the other in one thread. If they contain barriers, each part between two barriers
// becomes a separate loop over them, inside of the loops over terms, and each buffer of a virtual thread gets one more
// dimension. Statements of a single virtual thread are outside of these loops:
//
//   vthread v                          alloc acc[2, 4] local
//     alloc acc[4] local               for k
//     for k                      →       barrier
//       barrier                          unrolled v < 2: acc[v, …] += …
//       acc[…] += …
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Removes the loops over virtual threads of a kernel. Throws backend_error if their number is not known, or if they
/// come to a barrier by different ways.
[[nodiscard]] ir::stmt spread_virtual_threads(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/spread_virtual_threads.inl.hpp"
#endif
