// SPDX-License-Identifier: Apache-2.0
// Reductions of several components.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns true if each component is combined from its own old value and its own term only, so that the tuple is
/// several reductions over one domain.
[[nodiscard]] inline bool combines_apart(reduction const& r) {
  for (std::size_t c = 0; c < r.combine.size(); ++c)
    if (contains(r.combine[c], [&](expr const& e) {
          auto const* a = as<argument>(e);
          return a && a->component != static_cast<int>(c);
        }))
      return false;
  return true;
}

/// Returns the order in which components may be stored one after the other: each one before those that its combination
/// does not need any more. An argmax stores the place, then the value, which the place is chosen by. Returns nothing if
/// two components need each other's old values, as those of a complex product.
[[nodiscard]] inline std::vector<std::size_t> order_of_stores(reduction const& r) {
  auto const needs_old = [&](std::size_t c, std::size_t other) {
    return contains(r.combine[c], [&](expr const& e) {
      auto const* a = as<argument>(e);
      return a && !a->right && a->component == static_cast<int>(other);
    });
  };
  std::vector<std::size_t> left(r.combine.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<std::size_t> order;
  while (!left.empty()) {
    auto const next = std::find_if(left.begin(), left.end(), [&](std::size_t c) {
      return std::none_of(left.begin(), left.end(), [&](std::size_t c2) { return c2 != c && needs_old(c2, c); });
    });
    if (next == left.end()) return {};
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

/// Returns true if terms may be combined in any order and in any groups.
[[nodiscard]] inline bool reorders(reduction const& r) {
  return r.kind != reduction_kind::none && r.associative && r.commutative;
}

/// Returns true if the terms of each component may be reordered: for a built-in reduction, or for several of them that
/// are one tuple.
[[nodiscard]] inline bool reorders_apart(reduction const& r) { return reorders(r) && combines_apart(r); }

/// Returns true if an element accumulates its terms in their order without temporaries: each vector lane may then have
/// an element of its own.
[[nodiscard]] inline bool accumulates_in_place(reduction const& r) {
  if (r.kind == reduction_kind::tuple) return reorders_apart(r) || !order_of_stores(r).empty();
  return r.kind != reduction_kind::none;
}

/// The same reduction as a tuple, its arguments numbered from `first` on.
[[nodiscard]] inline reduction as_tuple(stage const& st, int first) {
  auto const& r = st.reduction;
  reduction made{reduction_kind::tuple, r.axes, {}, {}, r.associative, r.commutative};
  if (r.kind != reduction_kind::tuple) {
    auto const type = st.components[0].type;
    made.identity = {make_identity(r.kind, type)};
    made.combine = {make_combine(r.kind, make_argument(type, false, first), make_argument(type, true, first))};
    return made;
  }
  made.identity = r.identity;
  for (auto const& combine : r.combine)
    made.combine.push_back(rewrite(combine, [&](expr const& e) {
      auto const* a = as<argument>(e);
      return a ? make_argument(e->type, a->right, a->component + first) : e;
    }));
  return made;
}

}}}  // namespace ttune::v0::ir
