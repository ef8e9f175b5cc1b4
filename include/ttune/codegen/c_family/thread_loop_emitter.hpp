// SPDX-License-Identifier: Apache-2.0
// Loops over blocks and threads, and the statements outside of them that one thread executes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/c_family/index_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/support/on_exit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: loops over blocks or threads. Out: their bodies, with the number of the block or thread as the loop's variable,
/// and guards for threads that have no iteration. Throws backend_error if a guard would be around a barrier.
class thread_loop_emitter {
 public:
  /// Directions of the grid, one bit each.
  using direction_set = unsigned;

  thread_loop_emitter(kernel_state& kernel, index_emitter& indices, body_emitter& bodies)
      : kernel_(kernel), indices_(indices), bodies_(bodies) {}

  /// Returns true for a loop over blocks or threads of the current kernel.
  [[nodiscard]] bool is_kernel_loop(ir::loop const& l) const;
  void emit(ir::loop const& l);

  /// Returns the directions without a loop around the statement, if only their first block or thread shall execute the
  /// statement: it stores to memory that other threads see, has no loop over threads and no barrier, and stores nothing
  /// of a thread's own.
  [[nodiscard]] direction_set directions_to_guard(ir::stmt const& s) const;
  /// Emits what `emit_body` does for the first block or thread in these directions only.
  template <class EmitBody>
  void emit_guarded(direction_set directions, EmitBody const& emit_body);

 private:
  [[nodiscard]] bool is_for_first_thread(ir::stmt const& s) const;
  [[nodiscard]] lane_linear number(ir::loop const& l, int direction);
  [[nodiscard]] std::string guard_of(ir::loop const& l, lane_linear const& number, lane_linear const& begin,
                                     lane_linear const& end) const;

  kernel_state& kernel_;
  index_emitter& indices_;
  body_emitter& bodies_;
  std::map<int, std::string> number_names_;  ///< names of block and thread numbers, by direction
  direction_set entered_directions_ = 0;     ///< directions whose loop surrounds the current statement
};

inline bool thread_loop_emitter::is_kernel_loop(ir::loop const& l) const {
  if (!kernel_.dialect.has_threads()) return false;
  return is_block_loop(l.kind) || is_thread_loop(l.kind) ||
         (l.kind == ir::loop_kind::parallel && entered_directions_ == 0);
}

// ----------------------------------------------------------------------------------- statements of the first thread

inline thread_loop_emitter::direction_set thread_loop_emitter::directions_to_guard(ir::stmt const& s) const {
  direction_set missing = 0;
  for (int d = 0; d < kernel_grid::directions; ++d)
    if (kernel_.grid.size(d) > 1 && (entered_directions_ >> d & 1) == 0) missing |= 1U << d;
  return missing != 0 && is_for_first_thread(s) ? missing : 0;
}

inline bool thread_loop_emitter::is_for_first_thread(ir::stmt const& s) const {
  if (ir::as<ir::allocate>(s) || needs_all_threads(s)) return false;
  bool stores = false;
  bool const concerns_threads = any_statement(s, [&](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    if (l && is_kernel_loop(*l)) return true;
    auto const* w = ir::as<ir::store>(part);
    if (!w) return false;
    stores = true;
    return is_thread_memory(*w->to);
  });
  return stores && !concerns_threads;
}

template <class EmitBody>
void thread_loop_emitter::emit_guarded(direction_set directions, EmitBody const& emit_body) {
  std::string condition;
  for (int d = 0; d < kernel_grid::directions; ++d)
    if ((directions >> d & 1) != 0)
      condition += (condition.empty() ? "" : " && ") + number_in(d, kernel_.grid, kernel_.dialect) + " == 0";
  kernel_.text.open("if (" + condition + ")");
  {
    entered_directions_ |= directions;
    on_exit const leave([&] { entered_directions_ &= ~directions; });
    emit_body();
  }
  kernel_.text.close();
}

// ------------------------------------------------------------------------------------------------------------ loops

/// Returns the number of the block or thread as the value of the loop's variable. It is declared at the start of the
/// kernel, since several loops over the direction may use it.
inline lane_linear thread_loop_emitter::number(ir::loop const& l, int direction) {
  auto const& span = kernel_.grid[direction];
  if (span.size() == 1) return constant_index(span.begin);
  auto& name = number_names_[direction];
  if (name.empty()) {
    name = kernel_.text.fresh(l.variable);
    auto const type = kernel_.types.name(dtype::index);
    auto const shift =
        span.begin != 0 ? (span.begin < 0 ? " - " : " + ") + std::to_string(std::abs(span.begin)) : std::string();
    kernel_.text.line_at_start("const " + type + " " + name + " = (" + type + ")" +
                               number_in(direction, kernel_.grid, kernel_.dialect) + shift + ";");
    if (span.begin >= 0) kernel_.variables.set_not_negative(name);
  }
  return kernel_.variables.atom(name);
}

/// Returns the condition for the blocks or threads that have an iteration; empty if all have one.
inline std::string thread_loop_emitter::guard_of(ir::loop const& l, lane_linear const& number, lane_linear const& begin,
                                                 lane_linear const& end) const {
  auto const& span = kernel_.grid[direction_of(l.kind)];
  auto const text = [](lane_linear const& index) { return operand(written(index), precedence::sum); };
  std::string guard;
  if (!(begin.is_constant() && begin.constant <= span.begin)) guard = text(number) + " >= " + text(begin);
  if (!(end.is_constant() && end.constant >= span.end))
    guard += (guard.empty() ? "" : " && ") + text(number) + " < " + text(end);
  return guard;
}

inline void thread_loop_emitter::emit(ir::loop const& l) {
  int const direction = direction_of(l.kind);
  auto const& span = kernel_.grid[direction];
  if (!span.used) return;
  auto const begin = indices_.index(l.begin);
  auto const end = indices_.index(l.end);
  auto const at = number(l, direction);
  auto const guard = guard_of(l, at, begin, end);
  bool const over_threads = direction >= kernel_grid::thread_x;
  if (!guard.empty() && over_threads && has_barrier(l.body))
    refuse(kernel_.dialect, "a barrier inside of loop " + l.variable + ", which not all threads of the block run");
  auto const low = kernel_.variables.bounds(l.begin);
  auto const high = kernel_.variables.bounds(l.end);
  kernel_.variables.bind(l.variable, at, {std::max(low.low, span.begin), std::min(high.high, span.end) - 1});
  auto const saved = entered_directions_;
  entered_directions_ |= 1U << direction;
  if (l.kind == ir::loop_kind::parallel) entered_directions_ |= 0b111111U;  // no other loop is bound
  if (!guard.empty()) kernel_.text.open("if (" + guard + ")");
  bodies_.emit(l.body);
  if (!guard.empty()) kernel_.text.close();
  entered_directions_ = saved;
  kernel_.variables.unbind(l.variable);
}

}}}}  // namespace ttune::v0::codegen::c_family
