// SPDX-License-Identifier: Apache-2.0
// Boundaries become arithmetic and conditions. Afterwards no access has a boundary other than `none`:
//
//   clamp_outside(A)(i)    →   A(max(min(i, n - 1), 0))
//   wrap_outside(A)(i)     →   A(i mod n)
//   mirror_outside(A)(i)   →   A(min(m, 2 (n - 1) - m)), m = i mod 2 (n - 1)
//   value_outside(A, v)(i) →   select(0 <= i && i < n, A(i), v)        without what intervals prove
//
// and guards move outwards. A guard is a condition that reads no data. Inside of a sum (ir/README.md, "Absent terms"):
//
//   select(p, a, 0) * b            →   select(p, a * b, 0)             either factor; also -select(…), cast(select(…)),
//   select(p, select(q, a, 0), 0)  →   select(p && q, a, 0)
//   sum(select(p, a, 0))           →   sum(a) where p
//
// and likewise max(select(p, a, -inf)) → max(a) where p: whatever is the identity of a built-in reduction. So a tap
// outside of zero_outside contributes nothing, whatever the other factor (infinity, NaN) is.
//
// Afterwards guards are conjunctions of comparisons, as simplify leaves them. Idempotent; gives the same handle, also
// of every stage, if nothing changes.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune::inline v0::pass {

[[nodiscard]] handle<ir::program> canonicalize_boundaries(handle<ir::program> const& program);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/canonicalize_boundaries.inl.hpp"
#endif
