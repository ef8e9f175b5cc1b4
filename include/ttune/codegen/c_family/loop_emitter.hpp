// SPDX-License-Identifier: Apache-2.0
// Loops of one thread, as loops of the text or unrolled.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/c_family/index_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/register_emitter.hpp"
#include "ttune/codegen/c_family/unroll_cost.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: a loop. Out: its text. The loop's variable is bound for the body, and free afterwards.
class loop_emitter {
 public:
  loop_emitter(kernel_state& kernel, index_emitter& indices, register_emitter& registers, body_emitter& bodies)
      : kernel_(kernel), indices_(indices), registers_(registers), bodies_(bodies) {}

  /// Writes a loop of the text.
  void emit_rolled(ir::loop const& l);
  /// Writes the body once for each iteration.
  void emit_unrolled(ir::loop const& l, std::int64_t begin, std::int64_t end);
  /// Asks the compiler to unroll the next loop as far as its body makes sense; further if `unroll`, for which the
  /// schedule asks.
  void hint_unrolling(ir::loop const& l, bool unroll, std::int64_t trips);
  void hint_unrolling() { kernel_.text.line(kernel_.dialect.unroll_hint()); }
  /// Returns true if the compiler is asked to unroll loops.
  [[nodiscard]] bool asks_to_unroll() const {
    return !kernel_.dialect.unrolls() && !kernel_.dialect.unroll_hint().empty();
  }

 private:
  kernel_state& kernel_;
  index_emitter& indices_;
  register_emitter& registers_;
  body_emitter& bodies_;
};

/// Emits how often the compiler shall unroll a loop. Loops with barriers are left to it; but those around products of
/// four warps are few instructions, of which it would make hundreds and take ten seconds.
inline void loop_emitter::hint_unrolling(ir::loop const& l, bool unroll, std::int64_t trips) {
  auto const whole = kernel_.dialect.unroll_hint();
  if (whole.empty() || (!unroll && !asks_to_unroll())) return;
  if (!unroll && has_barrier(l.body)) {
    if (ir::has_warpgroup_product(l.body)) kernel_.text.line(whole + " 1");
    return;
  }
  bool const counts = trips > 0 && asks_to_unroll();
  auto const factor = counts ? unroll_factor(l, trips, unroll) : 0;
  if (unroll || counts) kernel_.text.line(factor == 0 ? whole : whole + " " + std::to_string(factor));
}

inline void loop_emitter::emit_unrolled(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  for (auto i = begin; i < end; ++i) {
    kernel_.variables.bind(l.variable, constant_index(i), {i, i});
    bodies_.emit(l.body);
  }
  kernel_.variables.unbind(l.variable);
}

inline void loop_emitter::emit_rolled(ir::loop const& l) {
  auto const begin = indices_.index(l.begin);
  auto const end = written(indices_.index(l.end));
  auto const low = kernel_.variables.bounds(l.begin);
  auto const high = kernel_.variables.bounds(l.end);
  bool const not_negative = kernel_.variables.is_not_negative(begin) || low.low >= 0;
  auto const name = kernel_.text.fresh(l.variable);
  kernel_.variables.bind(l.variable, kernel_.variables.atom(name, not_negative), {low.low, high.high - 1});
  registers_.forget_tiles();  // an iteration may change values that the next one reads
  kernel_.text.open("for (" + kernel_.types.name(dtype::index) + " " + name + " = " + written(begin).text + "; " +
                    name + " < " + operand(end, precedence::sum) + "; ++" + name + ")");
  bodies_.emit(l.body);
  kernel_.text.close();
  kernel_.variables.unbind(l.variable);
}

}}}}  // namespace ttune::v0::codegen::c_family
