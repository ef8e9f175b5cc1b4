// SPDX-License-Identifier: Apache-2.0
// merge: axes that always run side by side over whole dimensions become one, with the operands reshaped.
//
//   O(f, y, x) = sum(c) I(c, y, x) * W(f, c)      →      O(f, yx) = sum(c) I(c, yx) * W(f, c)      merge(y, x)
//
// It lets a tile run across the rows of small images. Legal where every source and result that has one of the axes
// has both, adjacent, whole and in this order.
#pragma once

#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune::inline v0::primitives {

[[noreturn]] inline handle<ir::program> merge(handle<ir::program> const&, step const& s) {
  refuse(s, s.stage, "is not there yet");
}

}  // namespace ttune::inline v0::primitives
