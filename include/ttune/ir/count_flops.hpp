// SPDX-License-Identifier: Apache-2.0
// Counts the arithmetic of a program, for speeds in flop per second.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 {

/// Counts the arithmetic operations of a program as it is written: each of + - * / min max and every function is one, a
/// fused multiply-add is two; taps outside of a boundary are counted.
[[nodiscard]] double count_flops(ir::program const& program);
[[nodiscard]] double count_flops(ir::stage const& stage);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/count_flops.inl.hpp"
#endif
