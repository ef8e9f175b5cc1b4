// SPDX-License-Identifier: Apache-2.0
// Counts the arithmetic that a program needs, for speeds in flop per second: all of what is written
// (ir/count_flops.hpp), but scans (scan_form.hpp) have one term a result, and terms of scatters (scatter_form.hpp) go
// to one result.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace arith {

[[nodiscard]] double needed_flops(handle<ir::program> const& program);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/needed_flops.inl.hpp"
#endif
