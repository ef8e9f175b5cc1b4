// SPDX-License-Identifier: Apache-2.0
// bind: a loop runs over the blocks or threads of a GPU. Virtual threads are threads whose statements are interleaved
// in one thread.
//
//   for io in 0..A                   block_x io in 0..A
//     for ii in 0..B         →         thread_x ii in 0..B
//       S[io, ii]                        S[io, ii]                bind(io, block_x), bind(ii, thread_x)
//
// A stage computed inside of loops over threads is private to each thread, unless store_in puts it into shared memory.
// Then it is computed once per block, with the region that all threads read; a barrier follows it, and another one
// precedes its next computation. If its own loops are bound, the threads share the work (cooperative fetch). In a
// thread direction that it does not bind, the first thread does the work:
//
//   thread_x ii in 0..B              thread_x ii in 0..B
//     for k                            for k
//       for e in 0..E: P[e]              for turn in 0..ceil(E / B)
//       … P[…]                             e = turn * B + ii, if e < E: P[e]
//                                        barrier
//                                        … P[…]
//                                        barrier                  P: store_in(shared), bind(e, thread_x)
//
// schedule(E).bind(i, block_x).bind(j, thread_x).in(P).compute_at(E, j).store_in(shared).bind(j, thread_x) prints
//
//   for E.i < 6
//     alloc P f32 (1, 8) local
//     for P.j < 8
//       P[0, P.j] = A[E.i, P.j] + 1.0
//     for E.j < 8
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
// →
//   bind(block.x) E.i < 6
//     alloc P f32 (1, 8) shared
//     bind(thread.x) E.j < 8
//       let P.j = E.j in [0, 8)
//         P[0, P.j] = A[E.i, P.j] + 1.0
//       barrier
//       E[E.i, E.j] = P[0, E.j] * P[0, E.j]
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class bind_call {
 public:
  /// Binds a loop to the blocks or threads of a GPU: `bind(io, ttune::ir::loop_kind::block_x)`.
  template <class Loop>
  [[nodiscard]] auto bind(Loop const& loop, ir::loop_kind kind) const {
    return typed::with_loops(
        static_cast<Schedule const&>(*this),
        [kind](auto& builder, auto names) {
          builder.add(primitive::bind, std::move(names), {}, {literal(static_cast<std::int64_t>(kind))});
        },
        loop);
  }
};

template <>
struct rules<primitive::bind> : default_rules {
  static constexpr bool on_cpus = false;
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.loops = {random.some_loop(st)};
    s.values = {literal(static_cast<std::int64_t>(ir::loop_kind::block_x) + random.pick(7))};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::bind>::arguments(step const& s, cpp_names& names) {
  return names.loop(s.loops[0]) + ", ttune::ir::loop_kind::" + cpp_names::loop_kind(s.values[0].literal);
}

/// Binds loops[0] to values[0], a literal of type ir::loop_kind.
void rules<primitive::bind>::apply(plan& p, step const& s) {
  if (s.loops.size() != 1 || s.values.size() != 1 || !s.values[0].is_literal() ||
      !(s.values[0].literal >= static_cast<std::int64_t>(ir::loop_kind::block_x) &&
        s.values[0].literal <= static_cast<std::int64_t>(ir::loop_kind::virtual_thread)))
    refuse(s, listed(s.loops), "takes one loop and the kind of blocks or threads that it runs over");
  auto const& st = stage_of(p, s);
  auto const kind = static_cast<ir::loop_kind>(s.values[0].literal);
  for (auto const id : st.order)
    if (st.loops[static_cast<std::size_t>(id)].kind == kind)
      refuse(s, s.loops[0],
             "loop " + st.loops[static_cast<std::size_t>(id)].name +
                 " of this stage is bound to the same blocks or threads: fuse the two first");
  if (is_permuted(st, leaf(st, s, s.loops[0])))
    refuse(s, s.loops[0], "stands where a permutation knob puts it: leave it out there");
  set_loop_kind(p, s, kind);
}

namespace detail {

/// Returns true if a loop with this property surrounds a place, or may do so by a permutation knob.
template <class Is>
[[nodiscard]] bool is_around(plan const& p, place_plan const& place, Is const& is) {
  if (place.kind != place_plan::sort::inside) return false;
  auto const& at = p.stages[static_cast<std::size_t>(place.stage)];
  bool reached = false;
  for (auto const id : at.order) {
    auto const& l = at.loops[static_cast<std::size_t>(id)];
    if (is(l.kind)) return true;
    reached = reached || id == place.loop;
    if (reached && at.permuted.empty() && !l.fused) break;  // the last of fused loops has their kind
  }
  return std::any_of(at.places.begin(), at.places.end(),
                     [&](place_plan const& outer) { return is_around(p, outer, is); });
}

/// Returns the stage in shared memory that a place is inside of; -1 if there is none.
[[nodiscard]] inline std::int32_t shared_stage_around(plan const& p, place_plan const& place) {
  if (place.kind != place_plan::sort::inside) return -1;
  auto const& at = p.stages[static_cast<std::size_t>(place.stage)];
  if (at.where == ir::memory::shared) return place.stage;
  for (auto const& outer : at.places)
    if (auto const found = shared_stage_around(p, outer); found >= 0) return found;
  return -1;
}

/// Returns true if a stage reads an operand, itself or through stages that may be inlined into it.
[[nodiscard]] inline bool may_read(plan const& p, stage_plan const& reader, handle<ir::tensor> const& operand) {
  return std::any_of(reader.accesses.begin(), reader.accesses.end(), [&](auto const& a) {
    if (a.operand >= 0) return p.program->inputs[static_cast<std::size_t>(a.operand)] == operand;
    if (a.write || a.producer < 0) return false;
    auto const& from = p.stages[static_cast<std::size_t>(a.producer)];
    bool const may_be_inlined = std::any_of(from.places.begin(), from.places.end(),
                                            [](place_plan const& at) { return at.kind == place_plan::sort::inlined; });
    return may_be_inlined && may_read(p, from, operand);
  });
}

/// Returns a stage whose threads update an operand that another stage reads; null if there is none.
[[nodiscard]] inline stage_plan const* updated_by_threads(plan const& p, stage_plan const& reader) {
  for (auto const& st : p.stages)
    if (&st != &reader && st.definition->updates && has_loop(st, is_thread) &&
        may_read(p, reader, st.definition->updates))
      return &st;
  return nullptr;
}

}  // namespace detail

/// Puts stages that several threads compute for others into shared memory.
inline void choose_shared_memory(plan& p) {
  for (auto& st : p.stages) {
    bool const attached = std::any_of(st.places.begin(), st.places.end(),
                                      [](place_plan const& at) { return at.kind == place_plan::sort::inside; });
    if (!attached || !has_loop(st, is_thread)) continue;
    if (st.where_given && st.where != ir::memory::shared)
      throw schedule_error("store_in", st.definition->name,
                           "is computed by several threads, so other threads must see it: store it in shared memory");
    st.where = ir::memory::shared;
    st.where_given = true;
  }
}

/// Checks the rules of loops over blocks and threads, inside of a stage and across stages.
void rules<primitive::bind>::check(plan& p) {
  choose_shared_memory(p);
  for (auto const& st : p.stages) {
    auto const say = [&](char const* what, std::string const& sentence) {
      throw schedule_error(what, st.definition->name, sentence);
    };
    bool inside_thread = false;
    bool inside_others = std::any_of(st.permuted.begin(), st.permuted.end(), [&](std::int32_t at) {
      return is_at_once(st.loops[static_cast<std::size_t>(st.order[static_cast<std::size_t>(at)])].kind);
    });
    for (auto const id : st.order) {
      auto const kind = st.loops[static_cast<std::size_t>(id)].kind;
      if (is_block(kind) && inside_thread)
        say("bind", "has a loop over blocks inside of one over threads: reorder them");
      if (is_bound(kind) && inside_others)
        say("bind", "has a loop over blocks or threads inside of a parallel or vectorized one: reorder them");
      inside_thread = inside_thread || is_thread(kind);
      inside_others = inside_others || is_at_once(kind);
    }
    for (auto const& at : st.places) {
      if (has_loop(st, is_bound) && detail::is_around(p, at, is_at_once))
        say("bind", "has a loop over blocks or threads, but is computed inside of a parallel or vectorized one");
      if (has_loop(st, is_block) && detail::is_around(p, at, is_bound))
        say("bind", "has a loop over blocks, but is computed inside of a loop over blocks or threads");
      if (auto const* writer = detail::updated_by_threads(p, st); writer && at.kind == place_plan::sort::inside)
        say("compute_at", "reads " + writer->definition->updates->name + " while threads of " +
                              writer->definition->name + " update it: compute it at the root");
      if (auto const holder = st.where == ir::memory::shared ? detail::shared_stage_around(p, at) : -1; holder >= 0)
        say("compute_at", "lives in shared memory and so does " +
                              p.stages[static_cast<std::size_t>(holder)].definition->name +
                              ", inside of which it is computed: compute it where that is computed");
    }
  }
}

}}}  // namespace ttune::v0::primitives
#endif
