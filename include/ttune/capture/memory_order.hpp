// SPDX-License-Identifier: Apache-2.0
// Turns column-major operands and results into row-major ones, whose dimensions are in the order of memory, outermost
// first. Later parts of the library see row-major operands only; kernels compare the shapes of arguments accordingly.
//
//   A f32 (M, K) column_major        A f32 (K, M)
//   C(i, j) = sum(k) A(i, k) * …  →  C(i, j) = sum(k) A(k, i) * …
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// Returns the same program in the order of memory; returns it unchanged if it has this order already.
[[nodiscard]] ir::program in_memory_order(ir::program p);

}}}}  // namespace ttune::v0::capture::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/memory_order.inl.hpp"
#endif
