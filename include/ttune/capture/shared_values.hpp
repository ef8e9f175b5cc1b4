// SPDX-License-Identifier: Apache-2.0
// Values that expressions use in several places become stages, if an expression would be too large as a tree.
//
// An expression that the application composes in a loop, or from functions that use their arguments several times,
// shares its values in memory. All passes work on trees, in which each use is a copy: after n steps 2^n of them.
//
//   before   y = f(x);  z = y * y + y;  …;  O(i) = z * z + z;
//   after    O.value(i) = f(x);  O.value_2(i) = O.value(i) * O.value(i) + O.value(i);  …
#pragma once

#include "ttune/expr/builder.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// Returns the program with stages `<reader>.value`, `<reader>.value_2`, … for values that are used repeatedly, in one
/// stage or in several; the program itself if its expressions are small as trees. Such values stay where they are if
/// they divide integers or read at places that data give, and their reader computes them under a condition only; if
/// they may be absent in a sum; and if they depend on an axis that does not begin at 0. Takes time in the number of
/// nodes in memory.
[[nodiscard]] handle<ir::program> share_values(handle<ir::program> const& p);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/shared_values.inl.hpp"
#endif
