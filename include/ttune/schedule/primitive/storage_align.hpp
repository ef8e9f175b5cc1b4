// SPDX-License-Identifier: Apache-2.0
// storage_align: the rows of a buffer begin at multiples of a number of elements, plus an offset. Unused elements
// follow each row.
//
//   P f32 (rows, 1024)        →        P f32 (rows, 1040): row r begins at element r * 1040      storage_align(y, 64,
//   16)
//
// The distance of neighbours along the axis becomes a multiple of `factor`, plus `offset`. With an offset of a cache
// line, rows of a power of two of elements no longer share the same lines of a cache; with an offset of 0, rows begin
// at whole vectors. If no number of unused elements makes such a distance (an even one is wanted to be odd), the buffer
// stays as it is. The primitive has the name and meaning of TVM's.
//
// .compute_at(E, i).storage_align(i, 8, 4) prints
//
//   for E.i < 6
//     alloc P f32 (1, 8) local
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
// →
//   for E.i < 6
//     alloc P f32 (1, 12) local
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
#pragma once

#include <string>
#include <vector>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class storage_align_call {
 public:
  /// Makes the distance of neighbours along an axis of the current stage's buffer a multiple of `factor` elements, plus
  /// `offset`: 0 <= offset < factor <= 65536. The axis is none of the innermost one, whose elements are adjacent.
  template <fixed_string Axis>
  [[nodiscard]] auto storage_align(axis<Axis> const&, std::int64_t factor, std::int64_t offset = 0) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::storage_align, {Axis.text}, {},
                            {literal(factor), literal(offset)});
  }
};

template <>
struct rules<primitive::storage_align> : default_rules {
  static constexpr bool in_derived_spaces = false;

  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.loops = {random.some_axis(st)};
    auto const factor = 1 + random.pick(8);
    s.values = {literal(factor), literal(random.pick(factor))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
  static void lay_out(step const& s, stage_plan const& of, std::vector<std::int64_t>& extents);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline constexpr std::int64_t max_alignment = 65536;

/// Returns the offset of a step, which may be left out.
inline std::int64_t offset_of(step const& s) { return s.values.size() > 1 ? s.values[1].literal : 0; }

std::string rules<primitive::storage_align>::arguments(step const& s, cpp_names& names) {
  auto const offset = offset_of(s);
  return names.loop(s.loops[0]) + ", " + names.number(s.values[0]) + (offset != 0 ? ", " + std::to_string(offset) : "");
}

/// Returns the position of an axis in the buffer of a stage; -1 if the stage has no such free axis.
inline std::int64_t axis_of_buffer(stage_plan const& st, std::string const& name) {
  for (std::size_t a = 0; a < st.definition->axes.size(); ++a)
    if (st.axis_name(a) == name) return static_cast<std::int64_t>(a);
  return -1;
}

void rules<primitive::storage_align>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (s.loops.size() != 1 || s.values.empty() || s.values.size() > 2 || !s.values[0].is_literal())
    refuse(s, listed(s.loops), "takes an axis, a number of elements, and an offset");
  if (st.output) refuse(s, s.stage, "is an output; its layout is the caller's");
  auto const factor = s.values[0].literal;
  auto const offset = offset_of(s);
  if (factor < 1 || factor > max_alignment || offset < 0 || offset >= factor)
    refuse(s, s.loops[0],
           "takes 1 to " + std::to_string(max_alignment) + " elements, and an offset from 0 to less than these");
  auto const axis = axis_of_buffer(st, s.loops[0]);
  if (axis < 0) refuse(s, s.loops[0], "is no axis of the buffer of " + s.stage);
  if (axis + 1 == static_cast<std::int64_t>(st.definition->axes.size()))
    refuse(s, s.loops[0], "is the innermost axis of " + s.stage + ": its elements are adjacent, align an outer axis");
  st.layout.push_back(s);
}

void rules<primitive::storage_align>::check(plan& p) {
  for (auto const& st : p.stages)
    for (auto const& s : st.layout)
      if (s.what == primitive::storage_align && st.packed)
        throw schedule_error("storage_align", st.definition->name,
                             "is packed: its elements are in the order of its loops, not of its axes");
}

void rules<primitive::storage_align>::lay_out(step const& s, stage_plan const& of, std::vector<std::int64_t>& extents) {
  auto const factor = s.values[0].literal;
  auto const offset = offset_of(s);
  auto const first = extents.size() - of.definition->axes.size();  // copies of a double buffer come before the axes
  auto const padded = first + static_cast<std::size_t>(axis_of_buffer(of, s.loops[0])) + 1;
  std::int64_t inner = 1;
  for (auto d = padded + 1; d < extents.size(); ++d) inner *= extents[d];
  for (std::int64_t unused = 0; unused < factor; ++unused)
    if ((extents[padded] + unused) * inner % factor == offset) {
      extents[padded] += unused;
      return;
    }
}

}}}  // namespace ttune::v0::primitives
#endif
