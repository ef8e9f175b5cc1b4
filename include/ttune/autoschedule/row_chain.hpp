// SPDX-License-Identifier: Apache-2.0
// Finds stages that are computed row by row inside of their reader: reductions over the rest of a row, and kept stages
// without a reduction (a costly function that is read twice).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/lanes_in_order.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// A stage computed inside of its reader, one row at a time.
struct row_stage {
  stage_plan const* stage;
  std::string name;
  std::vector<stage_plan const*> lanes = {};  ///< the stages that sum its terms in lanes (lanes_in_order.hpp)
};

struct row_chain {
  std::vector<std::string> row;     ///< axes that all stages have, by name
  std::vector<std::size_t> stages;  ///< the last stage first; empty if there are none
};

namespace detail {

[[nodiscard]] inline std::vector<std::string> axis_names(stage_plan const& st) {
  std::vector<std::string> names;
  for (auto const& a : st.definition->axes) names.push_back(a.name);
  return names;
}

[[nodiscard]] inline bool within(std::vector<std::string> const& some, std::vector<std::string> const& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](auto const& n) { return std::find(all.begin(), all.end(), n) != all.end(); });
}

[[nodiscard]] inline bool is_of_rows(stage_plan const& reader, stage_plan const& r,
                                     std::vector<std::string> const& row) {
  auto const mine = axis_names(r);
  return within(row, axis_names(reader)) && (r.definition->reduces() ? mine == row : within(row, mine));
}

/// Returns the axes of the last reduction that the stage needs, directly or through others; nothing if they differ.
template <class MayStand>
[[nodiscard]] std::optional<std::vector<std::string>> row_of(plan const& p, std::size_t reader,
                                                             MayStand const& may_stand) {
  std::vector<bool> reached(p.stages.size(), false);
  reached[reader] = true;
  for (auto i = reader + 1; i-- > 0;) {
    if (!reached[i]) continue;
    auto const& st = p.stages[i];
    if (i != reader && st.definition->reduces() && may_stand(i)) {
      auto row = axis_names(st);
      if (within(row, axis_names(p.stages[reader]))) return row;
    }
    for (auto const& a : st.accesses)
      if (!a.write && a.producer >= 0) reached[static_cast<std::size_t>(a.producer)] = true;
  }
  return std::nullopt;
}

}  // namespace detail

/// Finds the stages inside of `reader`, at least one of them a reduction. Only `reader` and these stages read them, at
/// rows that `reader` names by its own axes. `may_stand(i)` is true for candidates.
template <class MayStand>
[[nodiscard]] row_chain row_chain_of(plan const& p, std::size_t reader, MayStand const& may_stand) {
  auto row = detail::row_of(p, reader, may_stand);
  if (!row) return {};
  row_chain made{std::move(*row), {}};
  std::vector<bool> inside(p.stages.size(), false);
  inside[reader] = true;
  bool reduces = false;
  for (std::size_t i = reader; i-- > 0;) {
    auto const& r = p.stages[i];
    if (!may_stand(i) || !detail::is_of_rows(p.stages[reader], r, made.row)) continue;
    auto const readers = readers_of(p, static_cast<std::int32_t>(i));
    bool const all_inside = !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](std::int32_t x) {
      return inside[static_cast<std::size_t>(x)];
    });
    if (!all_inside) continue;
    inside[i] = true;
    for (auto const* part : lanes_before(p, r)) inside[static_cast<std::size_t>(part - p.stages.data())] = true;
    reduces = reduces || r.definition->reduces();
    made.stages.push_back(i);
  }
  if (!reduces) made.stages.clear();
  return made;
}

}}}  // namespace ttune::v0::autoschedule
