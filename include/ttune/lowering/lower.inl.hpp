// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/lowering/statements.hpp"

namespace ttune { inline namespace v0 {

ir::lowered lower(plan const& p, configuration const& chosen) {
  loop_nest loops;
  instantiate(p, chosen, loops);
  return lowering::run_passes(lowering::build_statements(p, loops));
}

ir::lowered lower(space const& of, configuration const& chosen) { return lower(make_plan(of), chosen); }

}}  // namespace ttune::v0
