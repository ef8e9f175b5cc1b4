// SPDX-License-Identifier: Apache-2.0
// For products of four warps: finds those that may run on while the next iteration begins, so that the matrix units do
// not wait for barriers and copies.
//
//   for k                                           for k
//     copies of k + 2, into part (k + 2) % 4          copies of k + 2, into part (k + 2) % 4
//     warpgroup_multiply S += A[k % 4] * B[k % 4]  →  warpgroup_multiply S += A[k % 4] * B[k % 4], in flight
//     barrier, 1 pending                              barrier, 1 pending
//
// The products of an iteration are complete when those of the next one have been started and waited for, before its
// barrier. The copies behind that barrier may thus replace what the former have read: parts are held for one iteration
// (primitive/double_buffer.hpp).
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Marks such products in a kernel; returns the same statement if there are none. Nothing else in the loop may use
/// their sums.
[[nodiscard]] ir::stmt overlap_products(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/overlap_products.inl.hpp"
#endif
