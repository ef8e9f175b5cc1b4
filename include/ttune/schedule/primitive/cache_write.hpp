// SPDX-License-Identifier: Apache-2.0
// cache_write: the reduction of a stage moves into a stage of its own, which the old one copies. Computed at a register
// tile of the copy, it keeps accumulators in registers.
//
//   C(i, j) = sum(k) …      →      acc(i, j) = sum(k) …
//                                  C(i, j) = acc(i, j)                          cache_write(C, "acc")
#pragma once

#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

[[nodiscard]] inline handle<ir::program> cache_write(handle<ir::program> const& p, step const& s) {
  auto const writer = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  if (writer->updates) refuse(s, s.stage, "updates its operand in place");
  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != writer) {
      b.keep(st);
      continue;
    }
    ir::stage inner = *st;
    inner.name = s.results[0];
    auto const acc = b.add(inner);
    std::vector<ir::expr> indices;
    for (auto const& a : st->axes) indices.push_back(ir::make_variable(a.name));
    ir::stage outer{{}, st->name, st->axes, {}, {}, {}, {}};
    for (std::size_t c = 0; c < st->components.size(); ++c)
      outer.components.push_back({st->components[c].name, st->components[c].type,
                                  ir::make_access(acc, indices, ir::boundary::none, {}, static_cast<int>(c))});
    b.replace(st, b.add(outer));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
