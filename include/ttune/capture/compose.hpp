// SPDX-License-Identifier: Apache-2.0
// Joins two programs: one that ends with a result, and an element-wise one that reads it.
//
//   O(n, f, y, x) = sum(c, r, s) I(…) * W(…)   and   C(i, j, k, l) = relu(A(i, j, k, l) + B(j))   become
//
//   O(n, f, y, x) = sum(c, r, s) I(…) * W(…)
//   C(n, f, y, x) = relu(O(n, f, y, x) + B(f))
//
// Schedules compute C where they compute O, so that O needs no memory.
#pragma once

#include <string>
#include <vector>

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// Returns true if a program computes each element of its only result from the element of `operand` at the same place
/// (and from others of its operands), without a reduction.
[[nodiscard]] bool is_elementwise_in(ir::program const& p, std::string const& operand);

/// Returns the program that computes `last` of the only result of `first`, which all operands `joined` of `last` read
/// element by element (`is_elementwise_in`). Its inputs are those of `first`, then the other inputs of `last`; names
/// that both have get a number.
[[nodiscard]] handle<ir::program> compose(handle<ir::program> const& first, handle<ir::program> const& last,
                                          std::vector<std::string> const& joined);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/compose.inl.hpp"
#endif
