// SPDX-License-Identifier: Apache-2.0
// Stores of points whose components a vectorized loop computes one after the other: the components are interleaved in
// registers.
//
//   vectorize x < 16                             store the elements P[0 ... 31]: those of
//     unroll c < 2: P[x, c] = I[c, x]     →      I[0, 0 ... 15] and of I[1, 0 ... 15] in turn
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/codegen/interleaving.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Unrolled loops come in. Those inside of a vectorized loop whose only statement stores the components of points, and
/// reads no other element of their buffer, are emitted as stores of whole vectors.
class interleaved_stores {
 public:
  interleaved_stores(ir_writer& writer, function_state& state, value_builder& values, buffer_addresses& addresses,
                     index_emitter& indices, expression_evaluator& expressions)
      : writer_(writer),
        state_(state),
        values_(values),
        addresses_(addresses),
        indices_(indices),
        expressions_(expressions) {}

  /// Returns false for any other loop; nothing is emitted then.
  [[nodiscard]] bool emit(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    auto const* write = ir::as<ir::store>(l.body);
    if (!write || end - begin < 2 || end - begin > most_interleaved || !interleaves(state_.lanes)) return false;
    if (state_.is_masked() || write->to->where == ir::memory::registers || reads(*write->to, write->value) ||
        !has_points(l, *write, begin, end))
      return false;
    auto const& to = *write->to;
    std::vector<std::string> vectors;
    for (auto i = begin; i < end; ++i) {
      state_.set_variable(l.variable, i);
      vectors.push_back(values_.to_memory(values_.widened(expressions_.evaluate(write->value), state_.lanes), to.type));
    }
    state_.set_variable(l.variable, begin);
    auto first = indices_.flat_index(to, write->indices);
    first.lane = 0;
    store(to, first, std::move(vectors));
    state_.variables.erase(l.variable);
    writer_.open_frames().forget_loads(to.name);
    return true;
  }

 private:
  [[nodiscard]] static bool reads(ir::buffer const& b, ir::expr const& value) {
    return ir::contains(value, [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
      return from && (*from)->name == b.name;
    });
  }

  /// Returns true if the iterations store neighbours, and the lanes points of as many elements.
  [[nodiscard]] bool has_points(ir::loop const& l, ir::store const& write, std::int64_t begin, std::int64_t end) {
    bool found = !indices_.lanes_at_strides(*write.to, write.indices);
    lane_linear first;
    for (auto i = begin; found && i < end; ++i) {
      state_.set_variable(l.variable, i);
      auto const at = indices_.flat_index(*write.to, write.indices);
      if (i == begin) first = at;
      found = at.lane == end - begin && at.constant == first.constant + (i - begin) && at.terms == first.terms;
    }
    state_.variables.erase(l.variable);
    return found;
  }

  void store(ir::buffer const& to, lane_linear const& first, std::vector<std::string> vectors) {
    auto const scalar = memory_type(to.type);
    interleaving const plan(static_cast<int>(vectors.size()), state_.lanes, interleaving::direction::together);
    for (auto const& step : plan.steps()) vectors.push_back(values_.shuffled(vectors, step, scalar, state_.lanes));
    auto at = first;
    for (auto const number : plan.results()) {
      writer_.line("store " + vector_of(scalar, state_.lanes) + " " + vectors[static_cast<std::size_t>(number)] +
                   ", ptr " + addresses_.pointer(to, at) + ", align " + std::to_string(size_in_bytes(to.type)));
      at.constant += state_.lanes;
    }
  }

  ir_writer& writer_;
  function_state& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
  index_emitter& indices_;
  expression_evaluator& expressions_;
};

}}}}  // namespace ttune::v0::codegen::llvm
