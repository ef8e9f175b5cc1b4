// SPDX-License-Identifier: Apache-2.0
// compute_along: a stage takes part in the loop nest of another stage, which need not read it: one of its axes runs
// along a dimension that the other stage reads. compute_at then places it in that nest, although it is an output.
//
//   for i: R[i] = sum(j) A[i, j]            for i
//   for i                            →        R[i] = sum(j) A[i, j]        compute_along(R, i, C, A, 0)
//     for j: C[j] += A[i, j]                  for j: C[j] += A[i, j]       compute_at(R, C, i)
//
// So sums of rows and of columns read a matrix once. Every element must be computed once: the other stage reads each
// place of the dimension, and the loops around the stage are whole axes that run along it. The stage, and those that it
// reads, come before the other stage.
//
// .in(R).compute_along(i, C, A, 0).compute_at(C, i) prints
//
//   for C.j < 8
//     C[C.j] = 0.0
//   for C.i < 6
//     for C.j < 8
//       C[C.j] += A[C.i, C.j]
//   for R.i < 6
//     R[R.i] = 0.0
//     for R.j < 8
//       R[R.i] += A[R.i, R.j]
// →
//   for C.j < 8
//     C[C.j] = 0.0
//   for C.i < 6
//     R[C.i] = 0.0
//     for R.j < 8
//       R[C.i] += A[C.i, R.j]
//     for C.j < 8
//       C[C.j] += A[C.i, C.j]
#pragma once

#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class compute_along_call {
 public:
  /// Lets axis `Axis` of the current stage run along a dimension of `source`, an operand or a stage that `nest` reads:
  /// the current stage can then be computed in loops of `nest`, or of the stage in whose loops that is computed.
  template <fixed_string Axis, class Nest, class Source>
  [[nodiscard]] auto compute_along(axis<Axis> const&, Nest const& nest, Source const& source,
                                   std::int64_t dimension = 0) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::compute_along,
                            {Axis.text, typed::source_text(nest), typed::source_text(source)}, {},
                            {literal(dimension)});
  }
};

template <>
struct rules<primitive::compute_along> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& nest = random.some_stage();
    s.loops = {random.some_axis(st), nest.definition->name, random.some_source(nest)};
    s.values = {literal(random.pick(2))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>
#include <unordered_set>

#include "ttune/schedule/primitive/lookup.hpp"
#include "ttune/schedule/primitive/loop_kind.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::compute_along>::arguments(step const& s, cpp_names& names) {
  return names.loop(s.loops[0]) + ", " + names.quoted(s.loops[1]) + ", " + names.quoted(s.loops[2]) + ", " +
         names.number(s.values[0]);
}

namespace detail {

/// Adds a stage and all stages that it reads, directly or through others.
inline void add_needed(handle<ir::stage> const& st, std::unordered_set<ir::stage const*>& needed) {
  if (!needed.insert(st.get()).second) return;
  auto const look = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
    if (from) add_needed(*from, needed);
  };
  for (auto const& c : st->components) ir::for_each_node(c.value, look);
  if (st->predicate) ir::for_each_node(st->predicate, look);
}

/// Returns true if the places of an index that is a sum of axes are 0, 1, … count - 1, each of them once.
[[nodiscard]] inline bool visits_each_once(stage_plan const& st, index_plan const& index, std::int64_t count) {
  if (index.whole || index.is_redirected() || index.divisor != 1 || index.constant != 0) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> terms;  // coefficient, extent
  for (std::size_t x = 0; x < st.axis_count(); ++x)
    if (index.coefficient[x] != 0) terms.emplace_back(index.coefficient[x], st.axis_size(x));
  std::sort(terms.begin(), terms.end());
  std::int64_t places = 1;
  for (auto const& [coefficient, extent] : terms) {
    if (coefficient != places) return false;
    places *= extent;
  }
  return places == count;
}

/// Returns the index by which a stage reads dimension `d` of a source, which all of its reads of the source must share.
[[nodiscard]] inline index_plan index_along(plan const& p, stage_plan const& nest, step const& s, std::size_t d) {
  auto const& source = s.loops[2];
  index_plan const* found = nullptr;
  for (auto const& a : nest.accesses) {
    if (a.write || a.along) continue;
    auto const& name = a.producer >= 0 ? p.stages[static_cast<std::size_t>(a.producer)].definition->name
                                       : p.program->inputs[static_cast<std::size_t>(a.operand)]->name;
    if (name != source) continue;
    if (d >= a.indices.size()) refuse(s, source, "has no dimension " + std::to_string(d));
    if (found && (found->coefficient != a.indices[d].coefficient || found->constant != a.indices[d].constant))
      refuse(s, source, "is read by " + nest.definition->name + " at several places of the dimension");
    found = &a.indices[d];
  }
  if (!found) refuse(s, source, "is not read by " + nest.definition->name);
  return *found;
}

}  // namespace detail

handle<ir::program> rules<primitive::compute_along>::apply(handle<ir::program> const& p, step const& s) {
  auto const self = find_stage(p, s, s.stage);
  auto const nest = find_stage(p, s, s.loops.at(1));
  std::unordered_set<ir::stage const*> needed;
  detail::add_needed(self, needed);
  if (needed.count(nest.get()) != 0) refuse(s, s.loops[1], "comes before " + s.stage + ", which reads it");
  ir::program made{{}, p->name, p->inputs, {}, p->outputs};
  for (auto const& st : p->stages) {
    if (st == nest)
      for (auto const& later : p->stages)
        if (needed.erase(later.get()) != 0) made.stages.push_back(later);
    if (made.stages.end() == std::find(made.stages.begin(), made.stages.end(), st)) made.stages.push_back(st);
    needed.erase(st.get());
  }
  return share(std::move(made));
}

void rules<primitive::compute_along>::apply(plan& p, step const& s) {
  auto const self = stage_index(p, s, s.stage);
  auto const& st = p.stages[static_cast<std::size_t>(self)];
  auto& nest = p.stages[static_cast<std::size_t>(stage_index(p, s, s.loops.at(1)))];
  if (st.definition->updates) refuse(s, s.stage, "updates its operand in place");
  auto const& axes = st.definition->axes;
  auto const axis = std::find_if(axes.begin(), axes.end(), [&](auto const& a) { return a.name == s.loops[0]; });
  if (axis == axes.end()) refuse(s, s.loops[0], "is no free axis of " + s.stage);
  if (!s.values.at(0).is_literal() || s.values[0].literal < 0) refuse(s, s.loops[2], "needs the number of a dimension");
  auto const index = detail::index_along(p, nest, s, static_cast<std::size_t>(s.values[0].literal));
  if (nest.definition->predicate || !detail::visits_each_once(nest, index, axis->size()))
    refuse(s, s.loops[1], "does not read each place of axis " + axis->name + " of " + s.stage + " once");
  access_plan made;
  made.producer = self;
  made.along = true;
  made.indices.assign(axes.size(), index_plan{std::vector<std::int64_t>(nest.axis_count(), 0), 0, 1, true});
  made.indices[static_cast<std::size_t>(axis - axes.begin())] = index;
  nest.accesses.insert(nest.accesses.end() - 1, std::move(made));
}

namespace detail {

/// Returns true if an axis of the stage `at` moves the rows that stage `nest` reads, which is `at` itself or a stage
/// that it reads at its own axes.
[[nodiscard]] inline bool runs_along(plan const& p, std::int32_t at, std::size_t axis, std::int32_t nest,
                                     access_plan const& rows) {
  auto const moves = [&](std::size_t x) {
    return std::any_of(rows.indices.begin(), rows.indices.end(),
                       [&](index_plan const& i) { return !i.whole && i.coefficient[x] != 0; });
  };
  if (at == nest) return moves(axis);
  auto const& reader = p.stages[static_cast<std::size_t>(at)];
  for (auto const& a : reader.accesses) {
    if (a.write || a.along || a.producer != nest) continue;
    for (std::size_t d = 0; d < a.indices.size(); ++d)
      if (moves(d) && visits_each_once(reader, a.indices[d], reader.axis_size(axis)) &&
          a.indices[d].coefficient[axis] == 1)
        return true;
  }
  return false;
}

/// Refuses a place in loops that would compute an element twice.
inline void check_place(plan const& p, std::int32_t self, std::int32_t nest, access_plan const& rows,
                        place_plan const& place) {
  auto const& at = p.stages[static_cast<std::size_t>(place.stage)];
  auto const say = [&](std::string const& culprit, std::string const& sentence) {
    throw schedule_error("compute_along", culprit,
                         sentence + p.stages[static_cast<std::size_t>(self)].definition->name);
  };
  if (at.places.size() != 1 || at.places[0].kind != place_plan::sort::root || !at.permuted.empty())
    say(at.definition->name, "must be computed at the root, in a known order of its loops, around ");
  for (auto const id : at.order) {
    auto const& l = at.loops[static_cast<std::size_t>(id)];
    bool const is_plain = l.kind == ir::loop_kind::serial || l.kind == ir::loop_kind::parallel;
    if (static_cast<std::size_t>(id) >= at.axis_count() || l.fused || !l.group.empty() || !is_plain)
      say(l.name, "is no whole axis, serial or parallel, as loops must be around ");
    if (!runs_along(p, place.stage, static_cast<std::size_t>(l.axis), nest, rows))
      say(l.name, "would compute the same elements again of ");
    if (id == place.loop) return;
  }
}

}  // namespace detail

/// Checks the places of stages that run along others.
void rules<primitive::compute_along>::check(plan& p) {
  for (std::size_t nest = 0; nest < p.stages.size(); ++nest)
    for (auto const& rows : p.stages[nest].accesses) {
      if (!rows.along) continue;
      for (auto const& place : p.stages[static_cast<std::size_t>(rows.producer)].places)
        if (place.kind == place_plan::sort::inside)
          detail::check_place(p, rows.producer, static_cast<std::int32_t>(nest), rows, place);
        else if (place.kind == place_plan::sort::inlined)
          throw schedule_error("compute_along", p.stages[static_cast<std::size_t>(rows.producer)].definition->name,
                               "cannot be computed inline: it runs along another stage");
    }
}

}}}  // namespace ttune::v0::primitives
#endif
