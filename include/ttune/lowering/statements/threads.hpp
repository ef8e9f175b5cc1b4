// SPDX-License-Identifier: Apache-2.0
// Statements that are shared among threads, or left to one of them (primitive/bind.hpp).
#pragma once

#include <string>

#include "ttune/lowering/statements/scope.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns a barrier, which lets `pending` groups of copies be under way; -1: none was copied ahead.
[[nodiscard]] inline ir::stmt barrier(std::int32_t pending = -1) {
  return share(ir::stmt_node{{}, ir::barrier{pending}});
}

[[nodiscard]] inline ir::stmt only_first(loop_around const& threads, ir::stmt const& s) {
  return ir::make_conditional(ir::make_binary(ir::binary_op::equal, ir::make_variable(threads.name), ir::make_index(0)),
                              s);
}

/// Returns the statement of a stage for the threads around: those of directions that the stage does not bind leave it
/// to the first one.
[[nodiscard]] inline ir::stmt by_threads(scope const& in, std::size_t st, ir::stmt s) {
  for (auto const& l : in.around)
    if (primitives::is_thread(l.kind) &&
        !primitives::has_loop(in.p.stages[st], [&](ir::loop_kind k) { return k == l.kind; }))
      s = only_first(l, s);
  return s;
}

/// Returns a loop whose iterations the threads around take in turns.
[[nodiscard]] inline ir::stmt distributed(loop_around const& threads, std::string const& name, std::int64_t extent,
                                          ir::stmt const& inner) {
  auto const turns = ceil_divide(extent, threads.extent);
  auto at = ir::make_variable(threads.name);
  if (turns > 1) at = ir::make_variable(name + ".turn") * threads.extent + at;
  auto made = ir::make_let(name, at, 0, extent, inner);
  if (turns * threads.extent != extent)
    made = ir::make_conditional(ir::make_binary(ir::binary_op::less, at, ir::make_index(extent)), made);
  return turns == 1
             ? made
             : ir::make_loop(name + ".turn", ir::make_index(0), ir::make_index(turns), ir::loop_kind::serial, made);
}

}}}  // namespace ttune::v0::lowering
