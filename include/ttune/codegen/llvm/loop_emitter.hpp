// SPDX-License-Identifier: Apache-2.0
// Loops: unrolled, in vectors, as dot products, parallel, or of the machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/llvm/dot_emitter.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/interleaved_stores.hpp"
#include "ttune/codegen/llvm/parallel_loop_emitter.hpp"
#include "ttune/codegen/llvm/rolled_loop_emitter.hpp"
#include "ttune/codegen/llvm/statement_queries.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

using loop_set = std::set<ir::loop const*>;

/// Loops come in. Those whose marks ask for it, and whose bounds are known, are unrolled or become vectors; parallel
/// loops inside of others, and all other loops, become loops of the machine.
class loop_emitter {
 public:
  /// `scalar_loops`: vectorised loops that must be unrolled.
  loop_emitter(loop_set const& scalar_loops, ir_writer& writer, function_state& state, index_emitter& indices,
               index_arithmetic& arithmetic, buffer_addresses& addresses, register_file& registers, dot_emitter& dots,
               interleaved_stores& interleaved, body_emitter& statements)
      : scalar_loops_(scalar_loops),
        writer_(writer),
        state_(state),
        indices_(indices),
        dots_(dots),
        interleaved_(interleaved),
        statements_(statements),
        rolled_loops_(writer, state, arithmetic, registers, statements),
        parallel_loops_(writer, state, arithmetic, addresses, registers, statements) {}

  void emit(ir::loop const& l) {
    if (l.kind >= ir::loop_kind::block_x)
      throw backend_error("llvm: loop " + l.variable +
                          " is bound to blocks or threads of a GPU: a CPU has parallel loops");
    auto const begin = indices_.index(l.begin);
    auto const end = indices_.index(l.end);
    if (begin.lane != 0 || end.lane != 0) throw needs_scalar{};
    if (begin.is_constant() && end.is_constant()) {
      if (end.constant <= begin.constant) return;
      if (emit_known(l, begin.constant, end.constant)) return;
    }
    if (l.kind == ir::loop_kind::parallel && !state_.in_task && state_.lanes == 1)
      return parallel_loops_.emit(l, begin, end);
    rolled_loops_.emit(l, begin, end);
  }

 private:
  /// Emits a loop without a loop of the machine; returns false if it must have one.
  [[nodiscard]] bool emit_known(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    if (l.kind == ir::loop_kind::vectorized && state_.lanes == 1) return vectorize(l, begin, end), true;
    if (l.kind == ir::loop_kind::tensorized && dots_.emit(l, begin, end)) return true;
    bool const unrolls =
        l.kind == ir::loop_kind::unrolled || l.kind == ir::loop_kind::vectorized || l.kind == ir::loop_kind::tensorized;
    if (!unrolls && end - begin != 1) return false;
    if (!interleaved_.emit(l, begin, end)) unroll(l, begin, end);
    return true;
  }

  void unroll(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) {
      state_.set_variable(l.variable, i);
      statements_.emit(l.body);
    }
    state_.variables.erase(l.variable);
  }

  /// Emits chunks of the target's vector width. The remaining lanes are one masked chunk or, where the target has no
  /// masks, halves down to a scalar.
  void vectorize(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    if (scalar_loops_.count(&l) != 0) return unroll(l, begin, end);
    auto const& machine = writer_.machine();
    int const width = machine.lanes(compute_type(widest_store(l.body)));
    while (begin < end) {
      auto const left = end - begin;
      int lanes = 1;
      while (lanes < width && lanes < left) lanes *= 2;
      if (!machine.has_masks)
        while (lanes > left) lanes /= 2;
      auto const running = static_cast<int>(std::min<std::int64_t>(lanes, left));
      emit_chunk(l, begin, lanes, running);
      begin += running;
    }
    state_.variables.erase(l.variable);
  }

  void emit_chunk(ir::loop const& l, std::int64_t begin, int lanes, int running) {
    if (lanes == 1) return unroll(l, begin, begin + 1);
    state_.lanes = lanes;
    state_.mask.clear();
    if (running != lanes) {
      state_.mask.assign(static_cast<std::size_t>(lanes), false);
      std::fill(state_.mask.begin(), state_.mask.begin() + running, true);
    }
    state_.chunk_mask = state_.mask;
    state_.set_variable(l.variable, begin);
    state_.variables[l.variable].lane = 1;
    state_.vector_loop = &l;
    statements_.emit(l.body);
    state_.vector_loop = nullptr;
    state_.lanes = 1;
    state_.mask.clear();
    state_.chunk_mask.clear();
  }

  loop_set const& scalar_loops_;
  ir_writer& writer_;
  function_state& state_;
  index_emitter& indices_;
  dot_emitter& dots_;
  interleaved_stores& interleaved_;
  body_emitter& statements_;
  rolled_loop_emitter rolled_loops_;
  parallel_loop_emitter parallel_loops_;
};

}}}}  // namespace ttune::v0::codegen::llvm
