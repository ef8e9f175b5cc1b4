// SPDX-License-Identifier: Apache-2.0
// Decides conditions at compile time for each lane of a vectorised loop.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ttune/codegen/lane_linear.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

using lane_mask = std::vector<bool>;  ///< one element per lane

/// Returns the lanes that fulfil a condition over indices; nothing if it is only known at run time.
/// `difference(comparison)` returns the left side minus the right side, or nothing if that depends on data.
template <class Difference>
[[nodiscard]] std::optional<lane_mask> decide_lanes(ir::expr const& condition, int lanes,
                                                    Difference const& difference) {
  if (auto const* c = ir::as<ir::constant>(condition))
    return lane_mask(static_cast<std::size_t>(lanes), c->integer != 0);
  if (auto const* u = ir::as<ir::unary>(condition); u && u->op == ir::unary_op::logical_not) {
    auto m = decide_lanes(u->operand, lanes, difference);
    if (m) m->flip();
    return m;
  }
  auto const* b = ir::as<ir::binary>(condition);
  if (!b) return std::nullopt;
  if (b->op == ir::binary_op::logical_and || b->op == ir::binary_op::logical_or) {
    bool const all = b->op == ir::binary_op::logical_and;
    auto const x = decide_lanes(b->left, lanes, difference);
    auto const y = decide_lanes(b->right, lanes, difference);
    auto const settled = [&](std::optional<lane_mask> const& m) {
      return m && std::find(m->begin(), m->end(), all) == m->end();
    };
    if (settled(x)) return x;
    if (settled(y)) return y;
    if (!x || !y) return std::nullopt;
    lane_mask made(x->size());
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = all ? (*x)[i] && (*y)[i] : (*x)[i] || (*y)[i];
    return made;
  }
  if (b->left->type != dtype::index || b->op < ir::binary_op::equal) return std::nullopt;
  std::optional<lane_linear> const apart = difference(*b);
  if (!apart || !apart->terms.empty()) return std::nullopt;
  lane_mask made;
  for (int lane = 0; lane < lanes; ++lane) {
    auto const d = apart->constant + apart->lane * lane;
    switch (b->op) {
      case ir::binary_op::equal: made.push_back(d == 0); break;
      case ir::binary_op::not_equal: made.push_back(d != 0); break;
      case ir::binary_op::less: made.push_back(d < 0); break;
      default: made.push_back(d <= 0); break;
    }
  }
  return made;
}

}}}  // namespace ttune::v0::codegen
