// SPDX-License-Identifier: Apache-2.0
// Statements: each one is handed to the emitter of its kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/c_family/copy_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/loop_emitter.hpp"
#include "ttune/codegen/c_family/matrix_emitter.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"
#include "ttune/codegen/c_family/thread_loop_emitter.hpp"
#include "ttune/codegen/c_family/value_emitter.hpp"
#include "ttune/codegen/c_family/vector_emitter.hpp"
#include "ttune/codegen/c_family/warp_reduction_emitter.hpp"
#include "ttune/codegen/c_family/warpgroup_emitter.hpp"
#include "ttune/codegen/c_family/wide_move_emitter.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/support/on_exit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: the statement of a kernel, without virtual threads. Out: the kernel's text. It owns the emitters of loops and of
/// patterns, which hand the statements inside of them back to it. Throws backend_error for what the language lacks, and
/// lanes_diverge inside of a vectorised loop.
class statement_emitter final : public body_emitter {
 public:
  statement_emitter(kernel_state& kernel, value_emitter& values, memory_emitter& memory, register_emitter& registers,
                    buffer_names& names)
      : kernel_(kernel),
        indices_(values.indices()),
        values_(values),
        memory_(memory),
        loops_(kernel, indices_, registers, *this),
        thread_loops_(kernel, indices_, *this),
        vectors_(kernel, registers, loops_, *this),
        copies_(kernel, indices_, memory),
        wide_moves_(kernel, indices_, memory, values, copies_, loops_),
        warp_reductions_(kernel, names, *this),
        matrices_(kernel, indices_, memory, loops_),
        warpgroups_(kernel, indices_, memory) {}

  /// Emits a statement. If it is outside of a loop over threads and stores to memory that other threads see, only the
  /// first thread executes it.
  void emit(ir::stmt const& s) override;

 private:
  void emit_unguarded(ir::stmt const& s);
  void emit_store(ir::store const& w);
  void emit_barrier(ir::barrier const& b);
  void emit_allocate(ir::allocate const& a);
  void emit_let(ir::let const& l);
  [[nodiscard]] lane_linear value_of_let(ir::let const& l);
  void emit_loop(ir::loop const& l);
  void emit_product(ir::matrix_multiply const& m) {
    return m.unit == ir::matrix_unit::four_warps ? warpgroups_.emit(m) : matrices_.emit_tile(m);
  }
  [[nodiscard]] bool emit_lanes(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_conditional(ir::conditional const& c);
  [[nodiscard]] bool emit_chosen(ir::conditional const& c, c_value const& condition);

  kernel_state& kernel_;
  index_emitter& indices_;
  value_emitter& values_;
  memory_emitter& memory_;
  loop_emitter loops_;
  thread_loop_emitter thread_loops_;
  vector_emitter vectors_;
  copy_emitter copies_;
  wide_move_emitter wide_moves_;
  warp_reduction_emitter warp_reductions_;
  matrix_emitter matrices_;
  warpgroup_emitter warpgroups_;
};

inline void statement_emitter::emit(ir::stmt const& s) {
  auto const directions = thread_loops_.directions_to_guard(s);
  if (directions == 0) return emit_unguarded(s);
  thread_loops_.emit_guarded(directions, [&] { emit_unguarded(s); });
}

inline void statement_emitter::emit_unguarded(ir::stmt const& s) {
  if (auto const* several = ir::as<ir::block>(s))
    for (auto const& part : several->body) emit(part);
  if (auto const* l = ir::as<ir::loop>(s)) emit_loop(*l);
  if (auto const* l = ir::as<ir::let>(s)) emit_let(*l);
  if (auto const* c = ir::as<ir::conditional>(s)) emit_conditional(*c);
  if (auto const* a = ir::as<ir::allocate>(s)) emit_allocate(*a);
  if (auto const* w = ir::as<ir::store>(s)) emit_store(*w);
  if (auto const* b = ir::as<ir::barrier>(s)) emit_barrier(*b);
  if (auto const* r = ir::as<ir::warp_reduction>(s)) warp_reductions_.emit(*r);
  if (auto const* m = ir::as<ir::matrix_multiply>(s)) emit_product(*m);
}

inline void statement_emitter::emit_store(ir::store const& w) {
  if (copies_.emit(w)) return;
  auto const value = values_.evaluate(w.value);
  memory_.store(*w.to, indices_.flat_index(*w.to, w.indices), value);
}

inline void statement_emitter::emit_barrier(ir::barrier const& b) {
  if (!kernel_.dialect.has_threads()) refuse(kernel_.dialect, "there are no threads that could meet at a barrier");
  copies_.await(b);
  if (kernel_.publishes_shared_memory) warpgroups_.publish_shared_memory();
  kernel_.text.line(kernel_.dialect.barrier());
}

inline void statement_emitter::emit_allocate(ir::allocate const& a) {
  memory_.begin_buffer(*a.storage);
  emit(a.body);
  memory_.end_buffer(*a.storage);
}

/// Returns the value of a let as a linear form of names; what is more than a name is declared. If the compiler unrolls,
/// the sum is kept: in unrolled iterations, most of it is common.
inline lane_linear statement_emitter::value_of_let(ir::let const& l) {
  auto value = indices_.index(l.value);
  kernel_.variables.limit(l.variable, {l.low, l.high - 1});
  auto const is_name = [](lane_linear::term const& t) { return t.value.find(' ') == std::string::npos; };
  if (loops_.asks_to_unroll()) {
    for (auto& t : value.terms)
      if (!is_name(t))
        t.value = declare_index(kernel_, l.variable, t.value, kernel_.variables.is_not_negative(t.value));
    return value;
  }
  if (value.terms.empty() || (value.terms.size() == 1 && is_name(value.terms[0]))) return value;
  auto const lane = std::exchange(value.lane, 0);
  auto made = kernel_.variables.atom(declare_index(kernel_, l.variable, written(value).text, l.low >= 0 && lane >= 0));
  made.lane = lane;
  return made;
}

inline void statement_emitter::emit_let(ir::let const& l) {
  auto const saved = kernel_.variables.find(l.variable);
  kernel_.variables.bind(l.variable, value_of_let(l));
  on_exit const leave([&] {
    if (saved) kernel_.variables.bind(l.variable, *saved);
    else kernel_.variables.unbind(l.variable);
  });
  emit(l.body);
}

// ------------------------------------------------------------------------------------------------------------ loops

inline void statement_emitter::emit_loop(ir::loop const& l) {
  if (thread_loops_.is_kernel_loop(l)) return thread_loops_.emit(l);
  auto const begin = indices_.index(l.begin);
  auto const end = indices_.index(l.end);
  if (begin.lane != 0 || end.lane != 0) throw lanes_diverge{};
  bool const known = begin.is_constant() && end.is_constant();
  auto const trips = known ? end.constant - begin.constant : 0;
  if (known && trips <= 0) return;
  if (known && l.kind == ir::loop_kind::unrolled && is_matrix_tile_sequence(l.body))
    return matrices_.emit_sequence(l, begin.constant, end.constant);
  if (known && emit_lanes(l, begin.constant, end.constant)) return;
  bool const unroll =
      l.kind == ir::loop_kind::unrolled || l.kind == ir::loop_kind::tensorized || l.kind == ir::loop_kind::vectorized;
  if (known && ((unroll && kernel_.dialect.unrolls()) || trips == 1)) {
    loops_.emit_unrolled(l, begin.constant, end.constant);
  } else {
    loops_.hint_unrolling(l, unroll, trips);
    loops_.emit_rolled(l);
  }
  if (ir::has_product_in_flight(l.body)) warpgroups_.finish();
}

/// Emits a vectorised loop outside of other ones as the language can; returns false for other loops.
inline bool statement_emitter::emit_lanes(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  if (l.kind != ir::loop_kind::vectorized || kernel_.variables.lanes() != 1) return false;
  switch (kernel_.dialect.vectors()) {
    case vector_style::types: vectors_.emit(l, begin, end); return true;
    case vector_style::moves: wide_moves_.emit(l, begin, end); return true;
    default: return false;
  }
}

// ------------------------------------------------------------------------------------------------------- conditions

inline void statement_emitter::emit_conditional(ir::conditional const& c) {
  if (auto const known = indices_.decide(c.condition)) {
    bool const some = std::find(known->begin(), known->end(), true) != known->end();
    bool const all = std::find(known->begin(), known->end(), false) == known->end();
    if (some && !all) throw lanes_diverge{};
    auto const& taken = some ? c.then : c.otherwise;
    if (taken) emit(taken);
    return;
  }
  auto const condition = values_.evaluate(c.condition);
  if (condition.lanes != 1) throw lanes_diverge{};
  if (emit_chosen(c, condition)) return;
  kernel_.text.open("if (" + condition.text + ")");
  if (c.then) emit(c.then);
  if (c.otherwise) {
    kernel_.text.turn_to_else();
    emit(c.otherwise);
  }
  kernel_.text.close();
}

/// Emits an addition to a thread's own element under a condition without a branch. Compilers that unroll turn it into a
/// predicate; hundreds of branches take them seconds. Returns false if `c` is another kind of statement.
inline bool statement_emitter::emit_chosen(ir::conditional const& c, c_value const& condition) {
  auto const* w = ir::as<ir::store>(c.then);
  if (!w || c.otherwise || !loops_.asks_to_unroll() || !is_thread_memory(*w->to)) return false;
  bool const adds = ir::contains(w->value, [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
    return b && *b == w->to &&
           std::equal(a->indices.begin(), a->indices.end(), w->indices.begin(),
                      [](ir::expr const& x, ir::expr const& y) { return ir::equal(x, y); });
  });
  if (!adds) return false;
  auto const to = memory_.element(*w->to, indices_.flat_index(*w->to, w->indices));
  auto const added = memory_.to_storage(values_.evaluate(w->value), w->to->type);
  kernel_.text.line(to + " = " + operand(condition, precedence::logical_or) + " ? " + added + " : " + to + ";");
  return true;
}

}}}}  // namespace ttune::v0::codegen::c_family
