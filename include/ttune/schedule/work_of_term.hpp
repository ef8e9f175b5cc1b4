// SPDX-License-Identifier: Apache-2.0
// The time that the terms of a stage take, and the work that is too little for several threads.
#pragma once

#include <cstdint>

#include "ttune/ir/visit.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 {

/// Up to this many elements that are read, added to and written (about half a microsecond), waking threads takes longer
/// than it saves.
inline constexpr std::int64_t most_sequential_elements = 8192;

/// Returns the time of the functions in a stage's value, in elements that are read, added to and written: a function
/// takes as long as one of them, a power as two, a quotient or a root as a quarter.
[[nodiscard]] inline double functions_of(stage_plan const& st) {
  double sum = 0;
  auto const add = [&](ir::expr const& e) {
    if (!is_float(e->type)) return;
    auto const* u = ir::as<ir::unary>(e);
    auto const* b = ir::as<ir::binary>(e);
    if (u && u->op >= ir::unary_op::exp && u->op <= ir::unary_op::erf) sum += 1;
    if ((u && u->op == ir::unary_op::sqrt) || (b && b->op == ir::binary_op::divide)) sum += 0.25;
    if (b && b->op == ir::binary_op::power) sum += 2;
  };
  for (auto const& c : st.definition->components) ir::for_each_node(c.value, add);
  return sum;
}

/// Returns the time of one term of a stage in elements that are read, added to and written. A sum writes nothing.
[[nodiscard]] inline double work_of_term(stage_plan const& st) {
  return (st.definition->reduces() ? 0.5 : 1) + functions_of(st);
}

}}  // namespace ttune::v0
