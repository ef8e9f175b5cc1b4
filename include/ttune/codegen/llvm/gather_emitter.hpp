// SPDX-License-Identifier: Apache-2.0
// Reads whose indices are data of each lane (tables, gathers): the arithmetic of the indices is done in vectors, then
// the elements are gathered, or loaded one by one. Other reads of this kind make the whole loop a scalar one.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <variant>

#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/load_emitter.hpp"
#include "ttune/codegen/llvm/redirected_reads.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Reads come in, one value per lane goes out. Lanes that do not run read nothing.
class gather_emitter {
 public:
  gather_emitter(ir_writer& writer, function_state const& state, value_builder& values, buffer_addresses& addresses,
                 load_emitter& loads, index_emitter& indices, redirected_reads& redirected,
                 expression_evaluator& expressions)
      : writer_(writer),
        state_(state),
        values_(values),
        addresses_(addresses),
        loads_(loads),
        indices_(indices),
        redirected_(redirected),
        expressions_(expressions) {}

  /// Returns true for a read from memory with such an index, if vectors are worth it: elements are gathered by an
  /// instruction, or they are narrow and their indices are results of arithmetic (a curve, a histogram's cells).
  /// Indices that are elements of memory themselves are loaded one by one at no cost.
  [[nodiscard]] bool reads_by_lanes(ir::access const& a) const;

  /// Reads one element for each running lane. Only these have places inside of the buffer.
  [[nodiscard]] value read(ir::access const& a);

 private:
  [[nodiscard]] bool is_data_of_lanes(ir::expr const& e) const;
  [[nodiscard]] bool gathers(ir::buffer const& b) const;
  [[nodiscard]] value index_of_lanes(ir::expr const& e);
  [[nodiscard]] value index_of_lanes(ir::binary const& b);
  [[nodiscard]] value limited(ir::binary_op op, value const& x, value const& y);
  [[nodiscard]] value gather(ir::buffer const& b, lane_linear const& shared, value places);
  [[nodiscard]] value load_places(ir::buffer const& b, lane_linear const& shared, value const& places);

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
  load_emitter& loads_;
  index_emitter& indices_;
  redirected_reads& redirected_;
  expression_evaluator& expressions_;
};

/// Returns true if an index contains data that differ between lanes, outside of selections: those are decided before.
inline bool gather_emitter::is_data_of_lanes(ir::expr const& e) const {
  if (ir::as<ir::constant>(e) || ir::as<ir::variable>(e) || ir::as<ir::select>(e)) return false;
  if (auto const* b = ir::as<ir::binary>(e)) return is_data_of_lanes(b->left) || is_data_of_lanes(b->right);
  return indices_.varies(e);
}

/// Returns true if a target gathers the elements of a buffer by an instruction.
inline bool gather_emitter::gathers(ir::buffer const& b) const {
  return writer_.machine().has_masks && size_in_bytes(b.type) >= 4;
}

inline bool gather_emitter::reads_by_lanes(ir::access const& a) const {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  if (state_.lanes == 1 || b.where == ir::memory::registers) return false;
  auto const is_arithmetic = [](ir::expr const& e) {
    auto const* binary = ir::as<ir::binary>(e);
    return e->type != dtype::index && (binary || ir::as<ir::unary>(e));
  };
  return std::any_of(a.indices.begin(), a.indices.end(), [&](ir::expr const& i) {
    return is_data_of_lanes(i) && (gathers(b) || (size_in_bytes(b.type) < 4 && ir::contains(i, is_arithmetic)));
  });
}

/// Returns an index of each lane, in 32 bits where its data and limits fit these, otherwise in 64.
inline value gather_emitter::index_of_lanes(ir::expr const& e) {
  if (auto const* b = ir::as<ir::binary>(e); b && is_data_of_lanes(e)) return index_of_lanes(*b);
  auto const* c = ir::as<ir::cast>(e);
  auto const& inner = c && !is_float(c->operand->type) && c->operand->type != dtype::boolean ? ir::expr(c->operand) : e;
  auto const v = is_data_of_lanes(e) ? expressions_.evaluate(inner) : expressions_.evaluate_index(e);
  auto const bytes = size_in_bytes(v.type);
  bool const is_small = bytes < 4 || (bytes == 4 && !is_unsigned(v.type));
  return values_.widened(values_.resized(v, v.type, is_small ? dtype::i32 : dtype::i64), state_.lanes);
}

inline value gather_emitter::index_of_lanes(ir::binary const& b) {
  bool const limits = b.op == ir::binary_op::minimum || b.op == ir::binary_op::maximum;
  auto const fits = [](ir::expr const& e) {
    return ir::is_constant(e) && std::abs(ir::constant_integer(e)) <= std::numeric_limits<std::int32_t>::max();
  };
  auto x = index_of_lanes(b.left);
  if (limits && fits(b.right) && x.type == dtype::i32) {
    value const limit{std::to_string(ir::constant_integer(b.right)), dtype::i32, 1};
    return limited(b.op, x, values_.widened(limit, state_.lanes));
  }
  x = values_.resized(x, x.type, dtype::i64);
  auto const right = index_of_lanes(b.right);
  auto const y = values_.resized(right, right.type, dtype::i64);
  if (limits) return limited(b.op, x, y);
  char const* name = b.op == ir::binary_op::add        ? "add "
                     : b.op == ir::binary_op::subtract ? "sub "
                     : b.op == ir::binary_op::multiply ? "mul "
                                                       : nullptr;
  if (!name) throw needs_scalar{};
  return {writer_.define(name + vector_of("i64", state_.lanes) + " " + x.text + ", " + y.text), dtype::i64,
          state_.lanes};
}

/// Returns the minimum or the maximum of two signed integers.
inline value gather_emitter::limited(ir::binary_op op, value const& x, value const& y) {
  auto const scalar = scalar_type(x.type);
  auto const type = vector_of(scalar, x.lanes);
  auto const name =
      std::string(op == ir::binary_op::minimum ? "@llvm.smin.v" : "@llvm.smax.v") + std::to_string(x.lanes) + scalar;
  writer_.declare("declare " + type + " " + name + "(" + type + ", " + type + ")");
  return {writer_.define("call " + type + " " + name + "(" + type + " " + x.text + ", " + type + " " + y.text + ")"),
          x.type, x.lanes};
}

inline value gather_emitter::read(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  lane_linear shared;
  value places;
  auto const type = b.elements() <= std::numeric_limits<std::int32_t>::max() ? dtype::i32 : dtype::i64;
  auto const scalar = scalar_type(type);
  auto const wide = vector_of(scalar, state_.lanes);
  std::int64_t stride = 1;
  for (std::size_t d = a.indices.size(); d-- > 0;) {
    if (!is_data_of_lanes(a.indices[d]) && !redirected_.redirected_part(a.indices[d])) {
      shared = shared + indices_.index(a.indices[d]).scaled(stride);
    } else {
      auto const place = index_of_lanes(a.indices[d]);
      auto part = values_.resized(place, place.type, type);
      if (stride != 1)
        part.text = writer_.define("mul " + wide + " " + part.text + ", " +
                                   splat_literal(scalar, std::to_string(stride), state_.lanes));
      if (!places.text.empty()) part.text = writer_.define("add " + wide + " " + places.text + ", " + part.text);
      places = {part.text, type, state_.lanes};
    }
    stride *= b.extents[d];
  }
  return gathers(b) ? gather(b, shared, places) : load_places(b, shared, places);
}

/// Gathers the elements `places` after the index `shared`.
inline value gather_emitter::gather(ir::buffer const& b, lane_linear const& shared, value places) {
  auto const type = memory_type(b.type);
  auto const index_type = scalar_type(places.type);
  auto const lanes = std::to_string(state_.lanes);
  auto start = shared;
  start.lane = 0;
  if (shared.lane != 0) {
    std::string steps;
    for (int lane = 0; lane < state_.lanes; ++lane)
      steps += (lane != 0 ? ", " : "<") + index_type + " " + std::to_string(shared.lane * lane);
    places.text = writer_.define("add " + vector_of(index_type, state_.lanes) + " " + places.text + ", " + steps + ">");
  }
  auto const pointers = writer_.define("getelementptr " + type + ", ptr " + addresses_.pointer(b, start) + ", " +
                                       vector_of(index_type, state_.lanes) + " " + places.text);
  auto const vector = vector_of(type, state_.lanes);
  auto const bits = "<" + lanes + " x i1>";
  auto const suffix = type[0] == 'i' ? type : mangled(b.type, 1);
  auto const name = "@llvm.masked.gather.v" + lanes + suffix + ".v" + lanes + "p0";
  writer_.declare("declare " + vector + " " + name + "(<" + lanes + " x ptr>, i32, " + bits + ", " + vector + ")");
  return values_.from_memory(writer_.define("call " + vector + " " + name + "(<" + lanes + " x ptr> " + pointers +
                                            ", i32 " + std::to_string(size_in_bytes(b.type)) + ", " + bits + " " +
                                            state_.mask_text(state_.lanes) + ", " + vector + " zeroinitializer)"),
                             b.type, state_.lanes);
}

/// Loads the element `places` after the index `shared` for each running lane.
inline value gather_emitter::load_places(ir::buffer const& b, lane_linear const& shared, value const& places) {
  return loads_.load_each_lane(b, [&](int lane) {
    return writer_.define("getelementptr " + memory_type(b.type) + ", ptr " +
                          addresses_.pointer(b, load_emitter::in_lane(shared, lane)) + ", " + scalar_type(places.type) +
                          " " + values_.extract(places, lane));
  });
}

}}}}  // namespace ttune::v0::codegen::llvm
