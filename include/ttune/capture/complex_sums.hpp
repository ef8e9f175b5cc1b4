// SPDX-License-Identifier: Apache-2.0
// Sums of complex products become sums of real ones: one factor as it lies in memory, with its parts as further terms,
// times a stage of the other factor, which has the two numbers by which each part counts (Van Zee, "Implementing
// high-performance complex matrix multiplication via the 1m method", SIAM Journal on Scientific Computing 42, 2020).
//
//   before   C(i, j, re_im) = sum(k) select(re_im == 0, A(i, k, 0) * B(k, j, 0) - A(i, k, 1) * B(k, j, 1),
//                                           A(i, k, 0) * B(k, j, 1) + A(i, k, 1) * B(k, j, 0))
//   after    C.turned(k, part < 2, j, re_im) = select(part == 0, B(k, j, re_im),
//                                                     select(re_im == 0, -B(k, j, 1), B(k, j, 0)))
//            C(i, j, re_im) = sum(k, part) A(i, k, part) * C.turned(k, part, j, re_im)
//
// Other complex sums become a sum for each part, which a derived schedule joins where each element is used once
// (autoschedule/cpu/joined.hpp).
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// Returns the program with its complex sums rewritten; it is in the order of memory (memory_order.hpp).
[[nodiscard]] handle<ir::program> split_complex_sums(handle<ir::program> const& p);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/complex_sums.inl.hpp"
#endif
