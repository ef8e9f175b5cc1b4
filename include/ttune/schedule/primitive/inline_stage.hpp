// SPDX-License-Identifier: Apache-2.0
// inline_stage: a stage without a reduction is computed again at each of its reads.
//
//   P(i) = f(A(i))
//   C(i) = P(i) + P(i + 1)      →      C(i) = f(A(i)) + f(A(i + 1))              inline_stage(P)
#pragma once

#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

[[nodiscard]] inline handle<ir::program> inline_stage(handle<ir::program> const& p, step const& s) {
  auto const gone = find_stage(p, s, s.stage);
  if (gone->reduces()) refuse(s, s.stage, "is a reduction; only a stage without one can be computed where it is read");
  if (gone->updates) refuse(s, s.stage, "updates its operand in place");
  for (auto const& out : p->outputs)
    if (out == gone) refuse(s, s.stage, "is an output");

  // Bodies are found by the old stage, since reads of it disappear before the builder follows them.
  program_builder b(p);
  auto const paste = [&](ir::expr const& whole, ir::access const& a) {
    if (identity(a.from) != gone.get()) return whole;
    return map_variables(gone->components[static_cast<std::size_t>(a.component)].value,
                         [&](std::string const& name) -> ir::expr {
                           for (std::size_t d = 0; d < gone->axes.size(); ++d)
                             if (gone->axes[d].name == name) return a.indices[d];
                           return {};
                         });
  };
  for (auto const& st : p->stages)
    if (st != gone) b.replace(st, b.add(map_stage(*st, [&](ir::expr const& e) { return map_accesses(e, paste); })));
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
