// SPDX-License-Identifier: Apache-2.0
// rfactor: part of a reduction becomes a free axis of a new stage, which the old one reduces.
//
//   S(i) = sum(k < K) e(i, k)      →      Sf(i, l < f) = sum(o < ceil(K / f)) e(i, o * f + l)
//                                         S(i) = sum(l < f) Sf(i, l)          rfactor(S, k, f, "Sf", "l")
//
// The new axis counts the places in runs of f. With a negative factor it counts the runs, of which there are -f, one
// per thread. It is then the outermost axis, so that the results of a run are neighbours.
//
//   S(i) = sum(k < K) e(i, k)      →      Sf(t < f, i) = sum(o < ceil(K / f)) e(i, t * ceil(K / f) + o)
//                                         S(i) = sum(t < f) Sf(t, i)          rfactor(S, k, -f, "Sf", "t")
//
// The primitive reassociates: it needs a built-in reduction, or a tuple reduction declared associative and commutative.
#pragma once

#include <cstdlib>

#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

namespace detail {

/// Returns the stage with the axis `kept`: like `st`, but axis `k` is outer * factor + kept, or kept * size + inner.
[[nodiscard]] inline ir::stage partial(ir::stage const& st, std::size_t k, std::int64_t factor, std::string const& name,
                                       std::string const& kept) {
  ir::stage made = st;
  made.name = name;
  auto& axis = made.reduction.axes[k];
  auto const size = axis.size();
  auto const begin = axis.begin;
  auto const count = std::abs(factor);
  auto const left = ceil_divide(size, count);
  made.axes.insert(factor > 0 ? made.axes.end() : made.axes.begin(), {kept, 0, count});
  axis = {axis.name, 0, left};
  auto const flat = factor > 0 ? ir::make_variable(axis.name) * count + ir::make_variable(kept)
                               : ir::make_variable(kept) * left + ir::make_variable(axis.name);
  made = map_stage(std::move(made), [&](ir::expr const& e) {
    return map_variables(e, [&](std::string const& v) { return v == axis.name ? flat + begin : ir::expr{}; });
  });
  if (size % count == 0) return made;
  auto const inside = ir::make_binary(ir::binary_op::less, flat, ir::make_index(size));
  made.predicate = made.predicate ? ir::make_binary(ir::binary_op::logical_and, made.predicate, inside) : inside;
  return made;
}

}  // namespace detail

/// results: the new stage, the new axis. values[0]: its extent, a literal; a negative one means that it counts runs.
[[nodiscard]] inline handle<ir::program> rfactor(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  if (!target->reduces()) refuse(s, s.stage, "reduces nothing");
  if (!target->reduction.associative || !target->reduction.commutative)
    refuse(s, s.stage, "its combine function is not declared associative and commutative");
  if (!s.values.at(0).is_literal() || s.values[0].literal == 0)
    refuse(s, s.loops.at(0), "takes a literal factor other than 0");
  auto const& reduced = target->reduction.axes;
  std::size_t k = 0;
  while (k < reduced.size() && reduced[k].name != s.loops.at(0)) ++k;
  if (k == reduced.size()) refuse(s, s.loops[0], "is not a reduced axis of " + s.stage);

  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != target) {
      b.keep(st);
      continue;
    }
    auto const& kept = s.results.at(1);
    auto const part = b.add(detail::partial(*st, k, s.values[0].literal, s.results[0], kept));
    std::vector<ir::expr> indices;
    for (auto const& a : st->axes) indices.push_back(ir::make_variable(a.name));
    indices.insert(s.values[0].literal > 0 ? indices.end() : indices.begin(), ir::make_variable(kept));
    ir::stage rest = *st;
    rest.predicate = {};
    rest.reduction.axes = {{kept, 0, std::abs(s.values[0].literal)}};
    for (std::size_t c = 0; c < rest.components.size(); ++c)
      rest.components[c].value = ir::make_access(part, indices, ir::boundary::none, {}, static_cast<int>(c));
    b.replace(st, b.add(rest));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
