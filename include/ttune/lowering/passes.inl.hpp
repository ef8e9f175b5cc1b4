// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/lowering/dump.hpp"
#include "ttune/lowering/join_conditionals.hpp"
#include "ttune/lowering/open_interiors.hpp"
#include "ttune/lowering/partition.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/lowering/skip_stages.hpp"
#include "ttune/lowering/split_at_diagonals.hpp"
#include "ttune/lowering/symmetric_functions.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

ir::lowered run_passes(ir::lowered program) {
  detail::dump("lower", program);
  if (!program.keeps_extents_open) program.body = skip_stages(program.body);  // it would ask for the ends of axes again
  detail::dump("skip_stages", program);
  if (program.keeps_extents_open) program.body = open_interiors(program.body);
  detail::dump("open_interiors", program);
  program.prepare = partition(program.prepare);
  program.body = partition(program.body);
  detail::dump("partition", program);
  program.body = split_at_diagonals(program.body);
  detail::dump("split_at_diagonals", program);
  program.prepare = join_conditionals(program.prepare);
  program.body = join_conditionals(program.body);
  detail::dump("join_conditionals", program);
  program.prepare = symmetric_functions(program.prepare);
  program.body = symmetric_functions(program.body);
  detail::dump("symmetric_functions", program);
  return program;
}

}}}  // namespace ttune::v0::lowering
