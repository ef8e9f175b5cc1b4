// SPDX-License-Identifier: Apache-2.0
// Column-major operands and results become row-major ones whose dimensions stand in the order of memory, outermost
// first. Nothing behind capture knows the difference; kernels compare the shapes of their arguments accordingly.
//
//   A f32 (M, K) column_major        A f32 (K, M)
//   C(i, j) = sum(k) A(i, k) * …  →  C(i, j) = sum(k) A(k, i) * …
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::capture::detail {

/// The same program in the order of memory; the very same if that is how it is.
[[nodiscard]] ir::program in_memory_order(ir::program p);

}  // namespace ttune::inline v0::capture::detail

#if TTUNE_HEADER_ONLY
#include "ttune/capture/memory_order.inl.hpp"
#endif
