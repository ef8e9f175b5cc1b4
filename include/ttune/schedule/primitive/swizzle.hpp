// SPDX-License-Identifier: Apache-2.0
// swizzle: in shared memory, the 16-byte chunks of a row are permuted, differently in each of eight rows, so that
// threads that read down a column use all banks, without unused elements after rows.
//
//   row 0: 0 1 2 3 4 5 6 7               0 1 2 3 4 5 6 7
//   row 1: 0 1 2 3 4 5 6 7       →       1 0 3 2 5 4 7 6
//   row 2: 0 1 2 3 4 5 6 7               2 3 0 1 6 7 4 5                swizzle()
//
// The number says which rows are read at once: 1 means neighbours, 4 means every fourth row. In a buffer whose chunks
// are numbered in the order of its elements, chunk c is stored at c ^ (c / apart) % 8, where `apart` is the least
// multiple of 8 and of the number of chunks in so many rows. The 8 chunks of a line of 128 bytes, which covers all
// banks, stay in that line, so no two chunks share a place, and a write of a line still uses all banks. A chunk itself
// does not change. The program does not change either: the interpreter and the analysis of races know elements only;
// emitters for devices with shared memory permute the places.
//
// .swizzle() prints
//
//   bind(block.x) E.i < 6
//     alloc P f32 (1, 8) shared
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     barrier
//     bind(thread.x) E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
// →
//   bind(block.x) E.i < 6
//     alloc P f32 (1, 8) shared swizzled 8
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     barrier
//     bind(thread.x) E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
#pragma once

#include <algorithm>
#include <numeric>
#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class swizzle_call {
 public:
  /// Swizzles a buffer in shared memory: chunks of 16 bytes are permuted so that rows at a distance of `rows_apart`
  /// start in different banks.
  [[nodiscard]] auto swizzle(std::int64_t rows_apart = 1) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::swizzle, {}, {}, {literal(rows_apart)});
  }
};

/// Returns the number of chunks after which the order changes, for a buffer with rows of `row_bytes` bytes.
[[nodiscard]] inline std::int64_t swizzle_distance(std::int64_t rows_apart, std::int64_t row_bytes) {
  return std::lcm(std::max<std::int64_t>(1, rows_apart * row_bytes / ir::buffer::chunk_bytes),
                  ir::buffer::chunks_of_banks);
}

template <>
struct rules<primitive::swizzle> : default_rules {
  static constexpr bool on_cpus = false;
  template <class Draw>
  static void draw(Draw& random, stage_plan const& /*st*/, step& s) {
    if (random.chance(0.3)) s.values = {{random.add_knob(one_of_knob(random.fresh("apart"), {1, 2, 3, 8})), 0, 0}};
    else if (random.chance(0.5)) s.values = {literal(1 + random.pick(8)), literal(1 + random.pick(2))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::swizzle>::arguments(step const& s, cpp_names& /*names*/) {
  std::int64_t apart = 1;
  for (auto const& factor : s.values) apart *= factor.literal;
  return apart == 1 ? "" : std::to_string(apart);
}

void rules<primitive::swizzle>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.output) refuse(s, s.stage, "is an output; its layout is the caller's");
  if (!st.where_given || st.where != ir::memory::shared)
    refuse(s, s.stage, "is not known to live in shared memory: store it there first");
  constexpr std::int64_t most = 1024;
  for (auto const& v : s.values)
    if (v.is_literal() && (v.literal < 1 || v.literal > most))
      refuse(s, s.stage, "takes how far apart the rows are that are read at once, 1 to " + std::to_string(most));
  st.swizzled = s.values.empty() ? std::vector{literal(1)} : s.values;
}

}}}  // namespace ttune::v0::primitives
#endif
