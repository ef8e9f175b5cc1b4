// SPDX-License-Identifier: Apache-2.0
// Reads whose indices are data of each lane (tables, gathers): the arithmetic of the indices is done in vectors, then
// the elements are gathered, or loaded one by one. Other reads of this kind make the whole loop a scalar one. Elements
// that are a fixed number of elements apart are gathered where only the call knows which lanes run.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/load_emitter.hpp"
#include "ttune/codegen/llvm/redirected_reads.hpp"
#include "ttune/codegen/llvm/row_gathers.hpp"
#include "ttune/codegen/llvm/running_lanes.hpp"
#include "ttune/codegen/llvm/statement_queries.hpp"
#include "ttune/ir/equal.hpp"

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
        expressions_(expressions),
        rows_(writer, state, values, addresses) {}

  /// Returns true for a read from memory with such an index, if vectors are worth it: elements are gathered by an
  /// instruction, or loaded with their neighbours, or they are narrow and their indices are results of arithmetic (a
  /// curve, a histogram's cells).
  /// Indices that are elements of memory themselves are loaded one by one at no cost.
  [[nodiscard]] bool reads_by_lanes(ir::access const& a);

  /// Reads one element for each running lane. Only these have places inside of the buffer.
  [[nodiscard]] value read(ir::access const& a);

  /// Reads elements that are `step` elements apart, for each running lane; `first` is the index of lane 0. The step is
  /// known at a depth of loops.
  [[nodiscard]] value read_apart(ir::buffer const& b, lane_linear const& first, std::string const& step, int depth);

 private:
  [[nodiscard]] bool is_data_of_lanes(ir::expr const& e) const;
  [[nodiscard]] bool gathers(ir::buffer const& b) const;
  /// The index of an element as one that all lanes share, and a place of each lane after it.
  struct parts {
    lane_linear shared;
    value places;
  };
  void add_index(ir::expr const& e, std::int64_t stride, dtype type, parts& to);
  [[nodiscard]] bool is_known(ir::expr const& e) const;
  [[nodiscard]] std::optional<row_gathers::element> element_of_row(ir::access const& a);
  [[nodiscard]] bool shares_row(ir::access const& a, std::size_t data) const;
  [[nodiscard]] value index_of_lanes(ir::expr const& e);
  [[nodiscard]] value index_of_lanes(ir::binary const& b);
  [[nodiscard]] value limited(ir::binary_op op, value const& x, value const& y);
  [[nodiscard]] value gather(ir::buffer const& b, lane_linear const& shared, value places);
  [[nodiscard]] std::string gather_at(ir::buffer const& b, std::string const& pointers);
  [[nodiscard]] value load_places(ir::buffer const& b, lane_linear const& shared, value const& places);

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
  load_emitter& loads_;
  index_emitter& indices_;
  redirected_reads& redirected_;
  expression_evaluator& expressions_;
  row_gathers rows_;
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

/// Returns true for an index that is a number during emission.
inline bool gather_emitter::is_known(ir::expr const& e) const {
  if (auto const* v = ir::as<ir::variable>(e)) {
    auto const it = state_.variables.find(v->name);
    return it != state_.variables.end() && it->second.is_constant();
  }
  if (auto const* b = ir::as<ir::binary>(e)) return e->type == dtype::index && is_known(b->left) && is_known(b->right);
  return ir::as<ir::constant>(e) != nullptr;
}

/// Returns true if the vectorised loop reads several elements of the rows that data choose: an index after that of the
/// data, which has the number `data`, has a variable of an unrolled loop, or differs between two reads.
inline bool gather_emitter::shares_row(ir::access const& a, std::size_t data) const {
  auto const& from = *std::get<handle<ir::buffer>>(a.from);
  bool found = false;
  auto const is_variable = [](ir::expr const& e) { return ir::as<ir::variable>(e) != nullptr; };
  for (auto d = data + 1; d < a.indices.size(); ++d) found = found || ir::contains(a.indices[d], is_variable);
  if (found || !state_.vector_loop) return found;
  auto const look = [&](ir::expr const& e) {
    auto const* other = ir::as<ir::access>(e);
    if (found || !other || &*std::get<handle<ir::buffer>>(other->from) != &from) return;
    for (auto d = data + 1; d < a.indices.size(); ++d) found = found || !ir::equal(a.indices[d], other->indices[d]);
  };
  for_each_store(state_.vector_loop->body, [&](ir::store const& s) { ir::for_each_node(s.value, look); });
  return found;
}

/// Returns the place of a read in a row of neighbours that data choose, if it is known and other elements of the row
/// are read, too.
inline std::optional<row_gathers::element> gather_emitter::element_of_row(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  if (!rows_.suits(b)) return std::nullopt;
  row_gathers::element made;
  for (std::size_t d = a.indices.size(); d-- > 0;) {
    if (is_data_of_lanes(a.indices[d])) {
      bool const inside = made.row >= 2 && made.place >= 0 && made.place < made.row;
      return inside && shares_row(a, d) ? std::optional(made) : std::nullopt;
    }
    if (!is_known(a.indices[d])) return std::nullopt;
    made.place += indices_.index(a.indices[d]).constant * made.row;
    made.row *= b.extents[d];
  }
  return std::nullopt;
}

inline bool gather_emitter::reads_by_lanes(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  if (state_.lanes == 1 || b.where == ir::memory::registers || b.strides != operand_strides::dense) return false;
  if (element_of_row(a)) return true;
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

/// Takes an index apart: a part that data of lanes decide is added to the places, all others to the shared index. Known
/// summands of an index of data are shared if they are small enough for the places to fit their type.
inline void gather_emitter::add_index(ir::expr const& e, std::int64_t stride, dtype type, parts& to) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (!is_data_of_lanes(e) && !redirected_.redirected_part(e)) {
    to.shared = to.shared + indices_.index(e).scaled(stride);
    return;
  }
  auto const* b = e->type == dtype::index ? ir::as<ir::binary>(e) : nullptr;
  if (b && b->op == ir::binary_op::multiply && ir::is_constant(b->right))
    if (auto const by = ir::constant_integer(b->right); by > 0 && by * stride <= most)
      return add_index(b->left, by * stride, type, to);
  if (b && b->op == ir::binary_op::add && is_known(b->right))
    if (auto const known = indices_.index(b->right).constant; std::abs(known) <= most / stride) {
      to.shared.constant += known * stride;
      return add_index(b->left, stride, type, to);
    }
  auto const scalar = scalar_type(type);
  auto const wide = vector_of(scalar, state_.lanes);
  auto const place = index_of_lanes(e);
  auto part = values_.resized(place, place.type, type);
  if (stride != 1)
    part.text = writer_.define_at(frames::here, "mul " + wide + " " + part.text + ", " +
                                                    splat_literal(scalar, std::to_string(stride), state_.lanes));
  if (!to.places.text.empty())
    part.text = writer_.define_at(frames::here, "add " + wide + " " + to.places.text + ", " + part.text);
  to.places = {part.text, type, state_.lanes};
}

inline value gather_emitter::read(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  auto const type = b.elements() <= std::numeric_limits<std::int32_t>::max() / 2 ? dtype::i32 : dtype::i64;
  auto const in_row = element_of_row(a);
  parts made;
  std::int64_t stride = 1;
  for (std::size_t d = a.indices.size(); d-- > 0;) {
    add_index(a.indices[d], stride, type, made);
    stride *= b.extents[d];
  }
  auto& [shared, places] = made;
  if (in_row && shared.lane == 0) {
    shared.constant -= in_row->place;
    return rows_.load(b, shared, places, *in_row);
  }
  return gathers(b) ? gather(b, shared, places) : load_places(b, shared, places);
}

/// Gathers the elements `places` after the index `shared`.
inline value gather_emitter::gather(ir::buffer const& b, lane_linear const& shared, value places) {
  auto const type = memory_type(b.type);
  auto const index_type = scalar_type(places.type);
  auto start = shared;
  start.lane = 0;
  if (shared.lane != 0) {
    std::string steps;
    for (int lane = 0; lane < state_.lanes; ++lane)
      steps += (lane != 0 ? ", " : "<") + index_type + " " + std::to_string(shared.lane * lane);
    places.text = writer_.define("add " + vector_of(index_type, state_.lanes) + " " + places.text + ", " + steps + ">");
  }
  return values_.from_memory(
      gather_at(b, writer_.define("getelementptr " + type + ", ptr " + addresses_.pointer(b, start) + ", " +
                                  vector_of(index_type, state_.lanes) + " " + places.text)),
      b.type, state_.lanes);
}

/// Gathers the elements that a vector of pointers points to.
inline std::string gather_emitter::gather_at(ir::buffer const& b, std::string const& pointers) {
  auto const lanes = std::to_string(state_.lanes);
  auto const type = memory_type(b.type);
  auto const vector = vector_of(type, state_.lanes);
  auto const bits = "<" + lanes + " x i1>";
  auto const suffix = type[0] == 'i' ? type : mangled(b.type, 1);
  auto const name = "@llvm.masked.gather.v" + lanes + suffix + ".v" + lanes + "p0";
  writer_.declare("declare " + vector + " " + name + "(<" + lanes + " x ptr>, i32, " + bits + ", " + vector + ")");
  auto const running = running_lanes(writer_, state_, state_.mask_text(state_.lanes), state_.lanes);
  return writer_.define("call " + vector + " " + name + "(<" + lanes + " x ptr> " + pointers + ", i32 " +
                        std::to_string(size_in_bytes(b.type)) + ", " + bits + " " + running + ", " + vector +
                        " zeroinitializer)");
}

inline value gather_emitter::read_apart(ir::buffer const& b, lane_linear const& first, std::string const& step,
                                        int depth) {
  auto const key = "apart " + std::to_string(first.constant) + " " + first.key() + " " + step + " " +
                   state_.mask_text(state_.lanes) + state_.run_time_mask;
  auto& known_values = writer_.open_frames();
  if (auto const* known = known_values.find_load(b.name, key)) return values_.from_memory(*known, b.type, state_.lanes);
  auto const type = vector_of("i64", state_.lanes);
  auto const one = writer_.define_at(depth, "insertelement " + type + " undef, i64 " + step + ", i32 0");
  auto const all = writer_.define_at(depth, "shufflevector " + type + " " + one + ", " + type + " undef, <" +
                                                std::to_string(state_.lanes) + " x i32> zeroinitializer");
  std::string numbers;
  for (int lane = 0; lane < state_.lanes; ++lane) numbers += (lane != 0 ? ", i64 " : "<i64 ") + std::to_string(lane);
  auto const places = writer_.define_at(depth, "mul " + type + " " + all + ", " + numbers + ">");
  auto const made = gather_at(b, writer_.define("getelementptr " + memory_type(b.type) + ", ptr " +
                                                addresses_.pointer(b, first) + ", " + type + " " + places));
  known_values.remember_load(b.name, key, made);
  return values_.from_memory(made, b.type, state_.lanes);
}

/// Loads the element `places` after the index `shared` for each running lane.
inline value gather_emitter::load_places(ir::buffer const& b, lane_linear const& shared, value const& places) {
  return loads_.load_each_lane(b, [&](int lane) {
    return writer_.define("getelementptr " + memory_type(b.type) + ", ptr " +
                          addresses_.pointer(b, in_lane(shared, lane)) + ", " + scalar_type(places.type) + " " +
                          values_.extract(places, lane));
  });
}

}}}}  // namespace ttune::v0::codegen::llvm
