// SPDX-License-Identifier: Apache-2.0
// Which stages without a reduction do not vanish into their readers.
#pragma once

#include <algorithm>
#include <vector>

#include "ttune/schedule/derive/analysis.hpp"

namespace ttune::inline v0::derive {

[[nodiscard]] inline bool calls_function(ir::stage const& st) {
  bool found = false;
  ir::for_each_node(st.components[0].value, [&](ir::expr const& e) {
    auto const* u = ir::as<ir::unary>(e);
    found = found || (u && u->op >= ir::unary_op::sqrt && u->op <= ir::unary_op::erf);
    auto const* b = ir::as<ir::binary>(e);
    found = found || (b && b->op == ir::binary_op::power);
  });
  return found;
}
[[nodiscard]] inline bool divides(ir::stage const& st) {
  bool found = false;
  ir::for_each_node(st.components[0].value, [&](ir::expr const& e) {
    auto const* b = ir::as<ir::binary>(e);
    found = found || (b && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo));
  });
  return found;
}

/// How often an element of a stage would be computed in its readers.
[[nodiscard]] inline double times_computed(plan const& p, std::size_t stage) {
  auto const& st = p.stages[stage];
  double times = 0;
  for (auto const& reader : p.stages) {
    std::vector<planned_access const*> reads;
    for (auto const& a : reader.accesses) {
      bool const again =
          std::any_of(reads.begin(), reads.end(), [&](planned_access const* b) { return is_same_element(a, *b); });
      if (!a.write && a.producer == static_cast<std::int32_t>(stage) && !again) reads.push_back(&a);
    }
    times += static_cast<double>(reads.size()) * static_cast<double>(iterations_of(reader)) /
             static_cast<double>(iterations_of(st));
  }
  return times;
}

/// A function such as exp is not to be called twice for an element, and no division made for each of many readers.
[[nodiscard]] inline bool is_worth_keeping(plan const& p, std::size_t stage) {
  auto const times = times_computed(p, stage);
  auto const& st = *p.stages[stage].definition;
  return (times > 1 && calls_function(st)) || (times >= 4 && divides(st));
}

/// A stage that chooses by its own axes among several reductions: what a block leaves behind, in one place.
[[nodiscard]] inline bool puts_side_by_side(plan const& p, planned_stage const& st) {
  if (st.definition->reduces() || !ir::as<ir::select>(st.definition->components[0].value)) return false;
  std::vector<std::int32_t> reductions;
  for (auto const& a : st.accesses)
    if (!a.write && a.producer >= 0 && p.stages[static_cast<std::size_t>(a.producer)].definition->reduces())
      reductions.push_back(a.producer);
  std::sort(reductions.begin(), reductions.end());
  return std::unique(reductions.begin(), reductions.end()) - reductions.begin() > 1;
}

}  // namespace ttune::inline v0::derive
