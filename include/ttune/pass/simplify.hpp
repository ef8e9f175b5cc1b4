// SPDX-License-Identifier: Apache-2.0
// Simplifies index expressions and conditions under known ranges of their variables:
//
//   affine sums            collected, in canonical order
//   a < b, a <= b          decided, where intervals decide
//   min(a, b), max(a, b)   decided likewise
//   (a * c + b) / c        a + b / c; and b / c a constant if it is the same for all b
//   (a * c + b) % c        b % c;     and b - q * c likewise
//
// Idempotent. Gives the same handle if nothing changes.
#pragma once

#include "ttune/pass/interval.hpp"

namespace ttune::inline v0::pass {

[[nodiscard]] ir::expr simplify(ir::expr const& e, ranges const& known);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/simplify.inl.hpp"
#endif
