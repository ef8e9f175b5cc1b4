// SPDX-License-Identifier: Apache-2.0
// compute_at: a stage is computed inside of a loop of its reader; only the part that is read there is computed.
//
//   for i: P[i] = …                  for io
//   for io                     →       for i in 0..f: P[i] = … at io * f + i      compute_at(P, C, io)
//     for ii                           for ii
//       C[io, ii] = … P[…]               C[io, ii] = … P[…]
//
// The place may be a knob, with the root and the reader itself among its choices. An output, too, may be computed in
// loops of a stage without a reduction that reads each of its elements once: an element at a time, in loops over all of
// its axes.
//
// .in(P).compute_at(E, i) prints
//
//   alloc P f32 (6, 8) workspace
//   for P.i < 6
//     for P.j < 8
//       P[P.i, P.j] = A[P.i, P.j] + 1.0
//   for E.i < 6
//     for E.j < 8
//       E[E.i, E.j] = P[E.i, E.j] * P[E.i, E.j]
// →
//   for E.i < 6
//     alloc P f32 (1, 8) local
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
#pragma once

#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class compute_at_call {
 public:
  /// Computes the current stage inside of a loop of its reader.
  template <class Reader, fixed_string Loop>
  [[nodiscard]] auto compute_at(Reader const& reader, axis<Loop> const&) const {
    return typed::with_loop_of<Reader, Loop>(static_cast<Schedule const&>(*this), [&](auto& builder) {
      builder.add(primitive::compute_at, {typed::source_text(reader), Loop.text});
    });
  }
};

template <>
struct rules<primitive::compute_at> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    auto const& reader = random.some_reader(st);
    s.loops = {reader.definition->name};
    auto const places = random.chance(0.3) ? 2 + random.pick(2) : 1;
    for (std::int64_t i = 0; i < places; ++i)
      s.loops.push_back(random.chance(0.1) ? place_root : random.chance(0.1) ? place_inline : random.some_loop(reader));
    if (places > 1)
      s.values = {{random.add_knob(location_knob(random.fresh("place"), static_cast<std::int32_t>(places))), 0, 0}};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>

#include "ttune/schedule/primitive/lookup.hpp"
#include "ttune/schedule/read_once.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::compute_at>::arguments(step const& s, cpp_names& names) {
  return names.quoted(s.loops[0]) + ", " + names.loop(s.loops[1]);
}

/// Returns true if a stage takes part in the loop nest of another one (compute_along.hpp).
inline bool runs_along_another(plan const& p, std::size_t self) {
  return std::any_of(p.stages.begin(), p.stages.end(), [&](stage_plan const& nest) {
    return std::any_of(nest.accesses.begin(), nest.accesses.end(),
                       [&](access_plan const& a) { return a.along && a.producer == static_cast<std::int32_t>(self); });
  });
}

/// Refuses a place of an output in which an element would be computed twice, or several at a time: these might be
/// outside of the output where a loop does not end with a tile.
inline void check_output(plan const& p, std::size_t self, place_plan const& place) {
  auto const& at = p.stages[static_cast<std::size_t>(place.stage)];
  auto const axes = axes_of_reading_once(p, self, static_cast<std::size_t>(place.stage));
  auto const refuse_place = [&](std::string const& culprit, std::string const& what) {
    throw schedule_error("compute_at", culprit, what + p.stages[self].definition->name + ", which is an output");
  };
  if (!axes || at.places.size() != 1 || at.places[0].kind != place_plan::sort::root || !at.permuted.empty())
    refuse_place(at.definition->name, "must be computed at the root, in a known order of its loops, around ");
  bool inside = false;
  for (auto const id : at.order) {
    auto const& l = at.loops[static_cast<std::size_t>(id)];
    bool const is_of_output = std::find(axes->begin(), axes->end(), l.axis) != axes->end();
    bool const is_plain = l.kind == ir::loop_kind::serial || l.kind == ir::loop_kind::parallel;
    if (!inside && (!is_of_output || !is_plain)) refuse_place(l.name, "would compute the same elements again of ");
    if (inside && is_of_output) refuse_place(l.name, "must be outside of the place of ");
    inside = inside || id == place.loop;
  }
}

void rules<primitive::compute_at>::apply(plan& p, step const& s) {
  auto const self = static_cast<std::size_t>(stage_index(p, s, s.stage));
  auto const reader = stage_index(p, s, s.loops.at(0));
  auto& st = p.stages[self];
  if (st.output && !runs_along_another(p, self) && !axes_of_reading_once(p, self, static_cast<std::size_t>(reader)))
    refuse(s, s.stage,
           "is an output; an output is computed at the root, in loops of a stage without a reduction that reads each "
           "element once, or along another stage: compute_along");
  if (static_cast<std::size_t>(reader) <= self || !reads_through(p, static_cast<std::size_t>(reader), self))
    refuse(s, s.loops[0], "does not read " + s.stage);
  auto const& at = p.stages[static_cast<std::size_t>(reader)];
  if (st.placed) refuse(s, s.stage, "has a place already: a location knob chooses among several");
  st.placed = true;
  st.places.clear();
  for (std::size_t i = 1; i < s.loops.size(); ++i) {
    place_plan place;
    if (s.loops[i] == place_inline) place.kind = place_plan::sort::inlined;
    else if (s.loops[i] != place_root) place = {place_plan::sort::inside, reader, leaf(at, s, s.loops[i])};
    if (place.kind == place_plan::sort::inlined && st.definition->reduces())
      refuse(s, s.stage, "is a reduction, which cannot be computed inline");
    if (place.kind == place_plan::sort::inlined && st.output)
      refuse(s, s.stage, "is an output: inline, nothing would store it");
    for (auto const& a : st.accesses)
      if (place.kind == place_plan::sort::inlined && a.producer >= 0)
        refuse(s, s.stage, "reads another stage; only a copy of an operand can be inlined by choice: use inline_stage");
    st.places.push_back(place);
  }
  st.place = s.values.empty() ? literal(0) : s.values[0];
}

/// Returns true if stage `reader` runs inside of `place`, as far as no knob decides it.
inline bool runs_inside(plan const& p, std::int32_t reader, place_plan const& place) {
  auto loop = -1;  // the loop of place.stage in which the reader is computed
  while (reader != place.stage) {
    auto const& places = p.stages[static_cast<std::size_t>(reader)].places;
    if (places.size() != 1) return true;
    if (places[0].kind == place_plan::sort::inlined) return true;
    if (places[0].kind == place_plan::sort::root) return false;
    loop = places[0].loop;
    reader = places[0].stage;
  }
  auto const& at = p.stages[static_cast<std::size_t>(place.stage)];
  if (loop < 0) return true;
  if (!at.permuted.empty()) return true;
  return position(at, loop) >= position(at, place.loop);
}

/// Returns true for a reader of an output behind the loops in which that is computed.
inline bool is_read_after(stage_plan const& st, std::int32_t reader) {
  return st.output && reader > st.places[0].stage;
}

/// Checks that a stage computed inside of a loop is read only there; an output may be read after the loops.
void rules<primitive::compute_at>::check(plan& p) {
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto const& st = p.stages[i];
    for (auto const& place : st.places)
      if (st.output && place.kind == place_plan::sort::inside && !runs_along_another(p, i)) check_output(p, i, place);
    if (st.places.size() != 1 || st.places[0].kind != place_plan::sort::inside) continue;
    for (std::size_t r = i + 1; r < p.stages.size(); ++r)
      for (auto const& a : p.stages[r].accesses)
        if (!a.write && a.producer == static_cast<std::int32_t>(i) &&
            !is_read_after(st, static_cast<std::int32_t>(r)) &&
            !runs_inside(p, static_cast<std::int32_t>(r), st.places[0]))
          throw schedule_error(
              "compute_at", st.definition->name,
              "is read by " + p.stages[r].definition->name +
                  ", which is computed outside of this loop: choose a loop that holds all its readers");
  }
}

}}}  // namespace ttune::v0::primitives
#endif
