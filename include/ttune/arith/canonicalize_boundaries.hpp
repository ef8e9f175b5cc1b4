// SPDX-License-Identifier: Apache-2.0
// Replaces boundaries by arithmetic and conditions. Afterwards no access has a boundary other than `none`:
//
//   clamp_outside(A)(i)    →   A(max(min(i, n - 1), 0))
//   wrap_outside(A)(i)     →   A(i mod n)
//   mirror_outside(A)(i)   →   A(min(m, 2 (n - 1) - m)), m = i mod 2 (n - 1)
//   value_outside(A, v)(i) →   select(0 <= i && i < n, A(i), v)        conditions that intervals prove are left out
//
// In the first and the last form, n is a variable if calls give the extent of the dimension (ir/open_extents.hpp).
//
// The pass also moves guards (conditions that read no data) outwards. In a sum (ir/README.md, "Absent terms"):
//
//   select(p, a, 0) * b            →   select(p, a * b, 0)             either factor; also -select(…), cast(select(…)),
//   select(p, select(q, a, 0), 0)  →   select(p && q, a, 0)
//   sum(select(p, a, 0))           →   sum(a) where p
//
// The same holds for max(select(p, a, -inf)) → max(a) where p, for every built-in reduction with its identity, and for
// tuples all of whose components are guarded by p. A tap outside of zero_outside therefore contributes nothing,
// whatever the other factor is (infinity, NaN).
//
// Afterwards guards are conjunctions of comparisons, in the form that simplify returns. The pass is idempotent; it
// returns the same handle, also for every stage, if nothing changes.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace arith {

[[nodiscard]] handle<ir::program> canonicalize_boundaries(handle<ir::program> const& program);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/canonicalize_boundaries.inl.hpp"
#endif
