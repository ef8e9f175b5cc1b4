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

/// Returns whether a difference in a range fulfils a comparison with zero; nothing if that differs inside of the range.
[[nodiscard]] inline std::optional<bool> decide_difference(ir::binary_op op, form_range const& of) {
  auto const least = op == ir::binary_op::less ? 0 : 1;  // of the differences that do not fulfil it
  switch (op) {
    case ir::binary_op::less:
    case ir::binary_op::less_equal:
      if (of.high && *of.high < least) return true;
      if (of.low && *of.low >= least) return false;
      return std::nullopt;
    default: {
      bool const apart = (of.low && *of.low > 0) || (of.high && *of.high < 0);
      if (!apart && !(of.low && of.high && *of.low == *of.high)) return std::nullopt;
      return (op == ir::binary_op::equal) != apart;
    }
  }
}

/// Returns the lanes that fulfil a condition over indices; nothing if it is only known at run time.
/// `difference(comparison)` returns the left side minus the right side, or nothing if that depends on data.
/// `range_of(form)` returns what is known of the terms of a form that has some.
template <class Difference, class RangeOf>
[[nodiscard]] std::optional<lane_mask> decide_lanes(ir::expr const& condition, int lanes, Difference const& difference,
                                                    RangeOf const& range_of) {
  if (auto const* c = ir::as<ir::constant>(condition))
    return lane_mask(static_cast<std::size_t>(lanes), c->integer != 0);
  if (auto const* u = ir::as<ir::unary>(condition); u && u->op == ir::unary_op::logical_not) {
    auto m = decide_lanes(u->operand, lanes, difference, range_of);
    if (m) m->flip();
    return m;
  }
  auto const* b = ir::as<ir::binary>(condition);
  if (!b) return std::nullopt;
  if (b->op == ir::binary_op::logical_and || b->op == ir::binary_op::logical_or) {
    bool const all = b->op == ir::binary_op::logical_and;
    auto const x = decide_lanes(b->left, lanes, difference, range_of);
    auto const y = decide_lanes(b->right, lanes, difference, range_of);
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
  if (!apart) return std::nullopt;
  auto const terms = apart->terms.empty() ? form_range{0, 0} : range_of(*apart);
  lane_mask made;
  for (int lane = 0; lane < lanes; ++lane) {
    auto const shift = [&](std::optional<std::int64_t> const& limit) {
      return limit ? std::optional(*limit + apart->constant + apart->lane * lane) : std::nullopt;
    };
    auto const holds = decide_difference(b->op, {shift(terms.low), shift(terms.high)});
    if (!holds) return std::nullopt;
    made.push_back(*holds);
  }
  return made;
}

/// The same if nothing is known of terms.
template <class Difference>
[[nodiscard]] std::optional<lane_mask> decide_lanes(ir::expr const& condition, int lanes,
                                                    Difference const& difference) {
  return decide_lanes(condition, lanes, difference, [](lane_linear const&) { return form_range(); });
}

}}}  // namespace ttune::v0::codegen
