// SPDX-License-Identifier: Apache-2.0
// rfactor: part of a reduction becomes a free axis of a new stage, which the old one reduces.
//
//   S(i) = sum(k < K) e(i, k)      →      Sf(i, l < f) = sum(o < ceil(K / f)) e(i, o * f + l)
//                                         S(i) = sum(l < f) Sf(i, l)          rfactor(S, k, f, "Sf", "l")
//
// The new axis counts the places in runs of f. With a negative factor it counts the runs, of which there are -f, one
// per thread. It is then the outermost axis, so that the results of a run are neighbours.
//
// If calls give K, the loops over o end where K does.
//
//   S(i) = sum(k < K) e(i, k)      →      Sf(t < f, i) = sum(o < ceil(K / f)) e(i, t * ceil(K / f) + o)
//                                         S(i) = sum(t < f) Sf(t, i)          rfactor(S, k, -f, "Sf", "t")
//
// The primitive reassociates: it needs a built-in reduction, or a tuple reduction declared associative and commutative.
//
// .rfactor(k, 3, "Cf", l) prints
//
//   C(A f32 (6, 8), B f32 (8, 10)) -> C f32 (6, 10)
//   C(i, j) = sum(k < 8) A(i, k) * B(k, j)
// →
//   C(A f32 (6, 8), B f32 (8, 10)) -> C f32 (6, 10)
//   Cf(i < 6, j < 10, l < 3) = sum(k < 3) A(i, k * 3 + l) * B(k * 3 + l, j) where k * 3 + l < 8
//   C(i, j) = sum(l < 3) Cf(i, j, l)
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class rfactor_call {
 public:
  /// Splits the reduced axis `over` into runs of `factor`. The position in a run becomes the free axis `kept` of the
  /// stage `partial`, which the current stage reduces.
  template <fixed_string Over, fixed_string Kept>
  [[nodiscard]] auto rfactor(axis<Over> const&, std::int64_t factor, std::string partial, axis<Kept> const&) const {
    return typed::with_reduced_axis<Over, Kept>(static_cast<Schedule const&>(*this), [&](auto& builder) {
      builder.add(primitive::rfactor, {Over.text}, {std::move(partial), Kept.text}, {literal(factor)});
    });
  }
};

template <>
struct rules<primitive::rfactor> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& reduced = st.definition->reduction.axes;
    s.loops = {reduced.empty() ? "none" : random.one_of(reduced).name};
    s.results = {random.fresh("part"), random.fresh("l")};
    std::int64_t const factors[] = {1, 2, -2, 4, -3, 6};  // lengths of runs; negative ones are numbers of runs
    s.values = {literal(factors[random.pick(6)])};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <cstdlib>

#include "ttune/ir/open_extents.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::rfactor>::arguments(step const& s, cpp_names& names) {
  auto const over = names.loop(s.loops[0]);
  return over + ", " + names.number(s.values[0]) + ", " + names.quoted(s.results[0]) + ", " + names.loop(s.results[1]);
}

namespace detail {

/// Returns the stage with the axis `kept`: like `st`, but axis `k` is outer * factor + kept, or kept * size + inner.
[[nodiscard]] inline ir::stage partial(ir::stage const& st, std::size_t k, std::int64_t factor, std::string const& name,
                                       std::string const& kept) {
  ir::stage made = st;
  made.name = name;
  made.strides = operand_strides::dense;
  auto& axis = made.reduction.axes[k];
  auto const size = axis.size();
  auto const begin = axis.begin;
  auto const count = std::abs(factor);
  auto const left = ceil_divide(size, count);
  auto const whole = axis.end;
  made.axes.insert(factor > 0 ? made.axes.end() : made.axes.begin(), {kept, 0, count});
  axis = {axis.name, 0, whole.is_constant() ? ir::extent(left) : ir::extent(left, whole.symbol, count)};
  auto const flat = factor > 0 ? ir::make_variable(axis.name) * count + ir::make_variable(kept)
                               : ir::make_variable(kept) * left + ir::make_variable(axis.name);
  made = map_stage(std::move(made), [&](ir::expr const& e) {
    return map_variables(e, [&](std::string const& v) { return v == axis.name ? flat + begin : ir::expr{}; });
  });
  if (whole.is_constant() && size % count == 0) return made;
  auto const end = whole.is_constant() ? ir::make_index(size) : ir::make_variable(ir::variable_of(*whole.symbol));
  auto const inside = ir::make_binary(ir::binary_op::less, flat, end);
  made.predicate = made.predicate ? ir::make_binary(ir::binary_op::logical_and, made.predicate, inside) : inside;
  return made;
}

}  // namespace detail

/// results: the new stage, the new axis. values[0]: its extent, a literal; a negative one means that it counts runs.
handle<ir::program> rules<primitive::rfactor>::apply(handle<ir::program> const& p, step const& s) {
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
  if (!reduced[k].end.is_constant() && (s.values[0].literal < 0 || reduced[k].begin != 0 || reduced[k].end.run != 1))
    refuse(s, s.loops[0], "has an extent that calls give: only its places in runs can become an axis, once");

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
#endif
