// SPDX-License-Identifier: Apache-2.0
// Recognises scans: reductions whose result at t has one term more than that before it.
//
//   S(t) = sum(k < N) e(k) where k <= t          inclusive
//   S(t) = sum(k < N) e(k) where k < t           exclusive
//
// Prefix sums, running maxima and filters of the first order are scans. Computed as they are written, N results take
// N * N / 2 terms; schedule/primitive/carry.hpp and split_scan.hpp compute them with N terms, or a few times as many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/ir/statement_queries.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// A scan along a free axis t: its only reduced axis k runs from 0 to t + offset.
struct scan_form {
  std::size_t free = 0;     ///< the number of the axis t
  std::int64_t offset = 0;  ///< 0: inclusive; -1: exclusive
  ir::expr rest;            ///< the other parts of the predicate; null if there are none
};

namespace detail {

/// Returns the offset of a condition `k <= t + offset`; nothing if the condition is another one.
[[nodiscard]] inline std::optional<std::int64_t> offset_of(ir::expr const& condition, std::string const& k,
                                                           std::string const& t) {
  auto const form = as_non_negative(condition);
  if (!form || form->terms.size() != 2 || form->coefficient_of(t) != 1 || form->coefficient_of(k) != -1)
    return std::nullopt;
  return form->constant;
}

}  // namespace detail

/// Returns the form of a stage that is a scan; nothing for others.
[[nodiscard]] inline std::optional<scan_form> scan_form_of(ir::stage const& st) {
  if (!st.predicate || st.updates || st.reduction.axes.size() != 1 || st.reduction.axes[0].begin != 0) return {};
  std::vector<ir::expr> parts;
  conjuncts(st.predicate, parts);
  for (std::size_t t = 0; t < st.axes.size(); ++t) {
    scan_form made{t, 1, {}};
    std::vector<ir::expr> others;
    for (auto const& part : parts) {
      auto const offset = detail::offset_of(part, st.reduction.axes[0].name, st.axes[t].name);
      if (offset && made.offset > 0) made.offset = *offset;
      else others.push_back(part);
    }
    if (made.offset != 0 && made.offset != -1) continue;
    bool moves = false;  // a term of its own for each result
    for (auto const& other : others) moves = moves || ir::mentions(other, {st.axes[t].name});
    for (auto const& c : st.components) moves = moves || ir::mentions(c.value, {st.axes[t].name});
    if (moves) continue;
    if (!others.empty()) made.rest = conjunction(others);
    return made;
  }
  return {};
}

}}}  // namespace ttune::v0::arith
