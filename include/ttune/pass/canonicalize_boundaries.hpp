// SPDX-License-Identifier: Apache-2.0
// Boundaries become arithmetic and conditions. Afterwards no access has a boundary other than `none`:
//
//   clamp_outside(A)(i)    →   A(max(0, min(i, n - 1)))
//   wrap_outside(A)(i)     →   A(i mod n)
//   mirror_outside(A)(i)   →   A(min(m, 2 (n - 1) - m)), m = i mod 2 (n - 1)
//   value_outside(A, v)(i) →   select(0 <= i && i < n, A(i), v)        without what intervals prove
//
// and a term of a reduction that is its identity unless a condition holds becomes a predicate of the stage:
//
//   sum(select(c, a, 0) * b)   →   sum(a * b) where c
//
// so that a tap outside of zero_outside contributes nothing, whatever the other factor (infinity, NaN) is.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune::inline v0::pass {

[[nodiscard]] handle<ir::program> canonicalize_boundaries(handle<ir::program> const& program);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/canonicalize_boundaries.inl.hpp"
#endif
