// SPDX-License-Identifier: Apache-2.0
// Reads whose indices are data of each lane (tables, gathers): the arithmetic of the indices is done in vectors, then
// the elements are gathered, or loaded one by one. Other reads of this kind make the whole loop a scalar one.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "ttune/codegen/llvm/emitter.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns true if an index contains data that differ between lanes, outside of selections: those are decided before.
inline bool llvm_emitter::is_data_of_lanes(ir::expr const& e) const {
  if (ir::as<ir::constant>(e) || ir::as<ir::variable>(e) || ir::as<ir::select>(e)) return false;
  if (auto const* b = ir::as<ir::binary>(e)) return is_data_of_lanes(b->left) || is_data_of_lanes(b->right);
  return varies(e);
}

/// Returns true if a target gathers the elements of a buffer by an instruction.
inline bool llvm_emitter::gathers(ir::buffer const& b) const {
  return machine_.has_masks && size_in_bytes(b.type) >= 4;
}

/// Returns true for a read from memory with such an index, if vectors are worth it: elements are gathered by an
/// instruction, or they are narrow and their indices are results of arithmetic (a curve, a histogram's cells). Indices
/// that are elements of memory themselves are loaded one by one at no cost.
inline bool llvm_emitter::reads_by_lanes(ir::access const& a) const {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  if (lanes_ == 1 || b.where == ir::memory::registers) return false;
  auto const is_arithmetic = [](ir::expr const& e) {
    auto const* binary = ir::as<ir::binary>(e);
    return e->type != dtype::index && (binary || ir::as<ir::unary>(e));
  };
  return std::any_of(a.indices.begin(), a.indices.end(), [&](ir::expr const& i) {
    return is_data_of_lanes(i) && (gathers(b) || (size_in_bytes(b.type) < 4 && ir::contains(i, is_arithmetic)));
  });
}

/// Returns an index of each lane, in 32 bits where its data and limits fit these, otherwise in 64.
inline value llvm_emitter::index_of_lanes(ir::expr const& e) {
  if (auto const* b = ir::as<ir::binary>(e); b && is_data_of_lanes(e)) return index_of_lanes(*b);
  auto const* c = ir::as<ir::cast>(e);
  auto const& inner = c && !is_float(c->operand->type) && c->operand->type != dtype::boolean ? ir::expr(c->operand) : e;
  auto const v = is_data_of_lanes(e) ? evaluate(inner) : evaluate_index(e);
  auto const bytes = size_in_bytes(v.type);
  bool const is_small = bytes < 4 || (bytes == 4 && !is_unsigned(v.type));
  return widened(resized(v, v.type, is_small ? dtype::i32 : dtype::i64), lanes_);
}

inline value llvm_emitter::index_of_lanes(ir::binary const& b) {
  bool const limits = b.op == ir::binary_op::minimum || b.op == ir::binary_op::maximum;
  auto const fits = [](ir::expr const& e) {
    return ir::is_constant(e) && std::abs(ir::constant_integer(e)) <= std::numeric_limits<std::int32_t>::max();
  };
  auto x = index_of_lanes(b.left);
  if (limits && fits(b.right) && x.type == dtype::i32) {
    value const limit{std::to_string(ir::constant_integer(b.right)), dtype::i32, 1};
    return limited(b.op, x, widened(limit, lanes_));
  }
  x = resized(x, x.type, dtype::i64);
  auto const right = index_of_lanes(b.right);
  auto const y = resized(right, right.type, dtype::i64);
  if (limits) return limited(b.op, x, y);
  char const* name = b.op == ir::binary_op::add        ? "add "
                     : b.op == ir::binary_op::subtract ? "sub "
                     : b.op == ir::binary_op::multiply ? "mul "
                                                       : nullptr;
  if (!name) throw needs_scalar{};
  return {define(name + vector_of("i64", lanes_) + " " + x.text + ", " + y.text), dtype::i64, lanes_};
}

/// Returns the minimum or the maximum of two signed integers.
inline value llvm_emitter::limited(ir::binary_op op, value const& x, value const& y) {
  auto const scalar = scalar_type(x.type);
  auto const type = vector_of(scalar, x.lanes);
  auto const name =
      std::string(op == ir::binary_op::minimum ? "llvm.smin.v" : "llvm.smax.v") + std::to_string(x.lanes) + scalar;
  declare("declare " + type + " @" + name + "(" + type + ", " + type + ")");
  return {define("call " + type + " @" + name + "(" + type + " " + x.text + ", " + type + " " + y.text + ")"), x.type,
          x.lanes};
}

/// Reads one element for each running lane. Only these have places inside of the buffer.
inline value llvm_emitter::read_by_lanes(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  lane_linear shared;
  value places;
  auto const type = b.elements() <= std::numeric_limits<std::int32_t>::max() ? dtype::i32 : dtype::i64;
  auto const wide = vector_of(scalar_type(type), lanes_);
  std::int64_t stride = 1;
  for (std::size_t d = a.indices.size(); d-- > 0;) {
    if (!is_data_of_lanes(a.indices[d]) && !turning_part(a.indices[d])) {
      shared = shared + index(a.indices[d]).scaled(stride);
    } else {
      auto const place = index_of_lanes(a.indices[d]);
      auto part = resized(place, place.type, type);
      if (stride != 1)
        part.text = define("mul " + wide + " " + part.text + ", " +
                           splat_literal(scalar_type(type), std::to_string(stride), lanes_));
      places = places.text.empty() ? part
                                   : value{define("add " + wide + " " + places.text + ", " + part.text), type, lanes_};
    }
    stride *= b.extents[d];
  }
  return gathers(b) ? gather(b, shared, places) : load_places(b, shared, places);
}

/// Gathers the elements `places` after the index `shared`. Lanes that do not run read nothing.
inline value llvm_emitter::gather(ir::buffer const& b, lane_linear const& shared, value places) {
  auto const type = memory_type(b.type);
  auto const index_type = scalar_type(places.type);
  auto const lanes = std::to_string(lanes_);
  auto start = shared;
  start.lane = 0;
  if (shared.lane != 0) {
    std::string steps;
    for (int lane = 0; lane < lanes_; ++lane)
      steps += (lane != 0 ? ", " : "<") + index_type + " " + std::to_string(shared.lane * lane);
    places.text = define("add " + vector_of(index_type, lanes_) + " " + places.text + ", " + steps + ">");
  }
  auto const pointers = define("getelementptr " + type + ", ptr " + pointer(b, start) + ", " +
                               vector_of(index_type, lanes_) + " " + places.text);
  auto const vector = vector_of(type, lanes_);
  auto const bits = "<" + lanes + " x i1>";
  auto const suffix = type[0] == 'i' ? type : mangled(b.type, 1);
  auto const name = "@llvm.masked.gather.v" + lanes + suffix + ".v" + lanes + "p0";
  declare("declare " + vector + " " + name + "(<" + lanes + " x ptr>, i32, " + bits + ", " + vector + ")");
  return from_memory(define("call " + vector + " " + name + "(<" + lanes + " x ptr> " + pointers + ", i32 " +
                            std::to_string(size_in_bytes(b.type)) + ", " + bits + " " + mask_text(lanes_) + ", " +
                            vector + " zeroinitializer)"),
                     b.type, lanes_);
}

/// Loads the element `places` after the index `shared` for each running lane.
inline value llvm_emitter::load_places(ir::buffer const& b, lane_linear const& shared, value const& places) {
  return load_each_lane(b, [&](int lane) {
    return define("getelementptr " + memory_type(b.type) + ", ptr " + pointer(b, in_lane(shared, lane)) + ", " +
                  scalar_type(places.type) + " " + extract(places, lane));
  });
}

}}}  // namespace ttune::v0::codegen
