// SPDX-License-Identifier: Apache-2.0
// inline_stage: a stage without a reduction is computed again at each of its reads.
//
//   P(i) = f(A(i))
//   C(i) = P(i) + P(i + 1)      →      C(i) = f(A(i)) + f(A(i + 1))              inline_stage(P)
//
// .inline_stage(P) prints
//
//   E(A f32 (6, 8)) -> E f32 (6, 8)
//   P(i < 6, j < 8) = A(i, j) + 1.0
//   E(i, j) = P(i, j) * P(i, j)
// →
//   E(A f32 (6, 8)) -> E f32 (6, 8)
//   E(i, j) = (A(i, j) + 1.0) * (A(i, j) + 1.0)
#pragma once

#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class inline_stage_call {
 public:
  /// Computes a stage where it is read.
  template <class Stage>
  [[nodiscard]] auto inline_stage(Stage const& stage) const {
    return typed::with_builder(static_cast<Schedule const&>(*this),
                               [&](auto& builder) { builder.inline_stage(typed::source_text(stage)); });
  }
};

template <>
struct rules<primitive::inline_stage> : default_rules {
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::inline_stage>::arguments(step const& s, cpp_names& names) { return names.quoted(s.stage); }

namespace detail {

/// Returns the number of nodes that the copies of a stage in its readers would have.
[[nodiscard]] inline std::size_t nodes_of_copies(ir::program const& p, handle<ir::stage> const& gone) {
  std::size_t nodes = 0, reads = 0;
  for (auto const& c : gone->components) ir::for_each_node(c.value, [&](ir::expr const&) { ++nodes; });
  for (auto const& st : p.stages)
    for (auto const& c : st->components)
      ir::for_each_node(c.value, [&](ir::expr const& e) {
        auto const* a = ir::as<ir::access>(e);
        if (a && identity(a->from) == gone.get()) ++reads;
      });
  return nodes * reads;
}

}  // namespace detail

handle<ir::program> rules<primitive::inline_stage>::apply(handle<ir::program> const& p, step const& s) {
  auto const gone = find_stage(p, s, s.stage);
  if (gone->reduces()) refuse(s, s.stage, "is a reduction; only a stage without one can be computed where it is read");
  if (gone->updates) refuse(s, s.stage, "updates its operand in place");
  for (auto const& out : p->outputs)
    if (out == gone) refuse(s, s.stage, "is an output");
  constexpr std::size_t most_nodes = 50'000;  // seconds to compile; a chain of such steps doubles with each of them
  if (auto const nodes = detail::nodes_of_copies(*p, gone); nodes > most_nodes)
    refuse(s, s.stage,
           "is read so often that its copies have " + std::to_string(nodes) + " operations; compute it once");

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
#endif
