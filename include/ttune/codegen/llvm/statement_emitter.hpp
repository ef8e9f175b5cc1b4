// SPDX-License-Identifier: Apache-2.0
// Statements at code generation.
#pragma once

#include <string>
#include <utility>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/llvm/conditional_emitter.hpp"
#include "ttune/codegen/llvm/dot_emitter.hpp"
#include "ttune/codegen/llvm/loop_emitter.hpp"
#include "ttune/codegen/llvm/memory_emitters.hpp"
#include "ttune/codegen/llvm/tile_emitter.hpp"
#include "ttune/codegen/llvm/value_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Statements come in, and their text is written. It hands loops and conditionals to its own emitters, which call it
/// back for their bodies (body_emitter.hpp).
class statement_emitter final : public body_emitter {
 public:
  /// `scalar_loops`: vectorised loops that must be unrolled.
  statement_emitter(loop_set const& scalar_loops, ir_writer& writer, function_state& state, value_builder& values,
                    index_arithmetic& arithmetic, memory_emitters& memory, value_emitter& expressions)
      : writer_(writer),
        state_(state),
        memory_(memory),
        expressions_(expressions),
        indices_(expressions.indices()),
        dots_(writer, state, values, memory.addresses, memory.loads, memory.stores, indices_),
        tiles_(writer, state, memory.addresses, indices_, *this),
        interleaved_(writer, state, values, memory.addresses, indices_, expressions),
        loops_(scalar_loops, writer, state, indices_, arithmetic, memory.addresses, memory.registers, dots_,
               interleaved_, *this),
        conditionals_(writer, state, indices_, expressions.masks(), expressions, memory.assembler, memory.registers,
                      *this) {}

  void emit(ir::stmt const& s) override {
    if (!writer_.marks_lines()) return emit_kind(s);
    auto outer = writer_.enter(s);
    emit_kind(s);
    writer_.leave(std::move(outer));
  }

 private:
  void emit_kind(ir::stmt const& s) {
    if (auto const* several = ir::as<ir::block>(s))
      for (auto const& c : several->body) emit(c);
    if (auto const* l = ir::as<ir::loop>(s)) loops_.emit(*l);
    if (auto const* l = ir::as<ir::let>(s)) emit_let(*l);
    if (auto const* c = ir::as<ir::conditional>(s)) conditionals_.emit(*c);
    if (auto const* a = ir::as<ir::allocate>(s)) emit_allocate(*a);
    if (auto const* hint = ir::as<ir::prefetch>(s)) emit_prefetch(*hint);
    if (auto const* product = ir::as<ir::matrix_multiply>(s)) tiles_.emit(*product);
    if (auto const* write = ir::as<ir::store>(s)) {
      writer_.annotate(s);
      emit_store(*write);
    }
  }

  void emit_let(ir::let const& l) {
    auto const saved = state_.variables;
    auto const known = state_.known;
    state_.variables[l.variable] = indices_.index(l.value);
    state_.known.add_variable(l.variable, l.low, l.high);
    emit(l.body);
    state_.known = known;
    state_.variables = saved;
  }

  void emit_allocate(ir::allocate const& a) {
    emit(a.body);
    memory_.registers.erase(*a.storage);
    writer_.open_frames().forget_loads(a.storage->name);
  }

  /// Prefetches into the second-level cache: the first one is too small for lines so far ahead.
  void emit_prefetch(ir::prefetch const& hint) {
    if (indices_.lanes_at_strides(*hint.from, hint.indices)) return;
    auto const at = indices_.flat_index(*hint.from, hint.indices);
    if (at.lane == 0) memory_.addresses.prefetch(memory_.addresses.pointer(*hint.from, at), 2);
  }

  void emit_store(ir::store const& write) {
    auto const v = expressions_.evaluate(write.value);
    auto const& to = *write.to;
    if (!indices_.lanes_at_strides(to, write.indices))
      return memory_.stores.store(to, indices_.flat_index(to, write.indices), v);
    memory_.stores.store_each_lane(to, v,
                                   [&](int lane) { return indices_.flat_index_in_lane(to, write.indices, lane); });
  }

  ir_writer& writer_;
  function_state& state_;
  memory_emitters& memory_;
  value_emitter& expressions_;
  index_emitter& indices_;
  dot_emitter dots_;
  tile_emitter tiles_;
  interleaved_stores interleaved_;
  loop_emitter loops_;
  conditional_emitter conditionals_;
};

}}}}  // namespace ttune::v0::codegen::llvm
