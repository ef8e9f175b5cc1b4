// SPDX-License-Identifier: Apache-2.0
// Stores of elements: whole vectors, with masks, in pieces, lane by lane.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/register_file.hpp"
#include "ttune/codegen/llvm/running_lanes.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Buffers, linear indices and values come in. Only running lanes store; loads of the buffer are then forgotten.
class store_emitter {
 public:
  store_emitter(ir_writer& writer, function_state const& state, value_builder& values, buffer_addresses& addresses,
                register_file& registers)
      : writer_(writer), state_(state), values_(values), addresses_(addresses), registers_(registers) {}

  /// If all lanes store to one element, they must store the same value, and each of them must store it: a lane that a
  /// condition leaves out may have a buffer of its own.
  void store(ir::buffer const& b, lane_linear const& flat, value v) {
    if (flat.lane != 0) v = values_.widened(v, state_.lanes);
    if (flat.lane == 0 && (v.lanes != 1 || state_.mask != state_.chunk_mask)) throw needs_scalar{};
    if (b.where == ir::memory::registers) return store_in_registers(b, flat, v);
    store_memory(b, flat, v);
    writer_.open_frames().forget_loads(b.name);
  }

  /// Stores the value of each running lane at an index of its own.
  template <class Index>
  void store_each_lane(ir::buffer const& b, value const& v, Index const& index) {
    auto const raw = values_.to_memory(values_.widened(v, state_.lanes), b.type);
    auto const type = vector_of(memory_type(b.type), state_.lanes);
    for (int lane = 0; lane < state_.lanes; ++lane)
      if (state_.runs(lane))
        store_at(b, index(lane), writer_.define("extractelement " + type + " " + raw + ", i32 " + std::to_string(lane)),
                 1);
    writer_.open_frames().forget_loads(b.name);
  }

 private:
  /// Registers of lanes that do not run keep their values.
  void store_in_registers(ir::buffer const& b, lane_linear const& flat, value const& v) {
    if (state_.run_time_mask.empty()) return registers_.store(b, flat, v);
    registers_.store(b, flat, values_.choose(state_.run_time_mask, state_.lanes, v, registers_.load(b, flat)));
  }
  void store_memory(ir::buffer const& b, lane_linear const& flat, value const& v);
  void store_masked(ir::buffer const& b, lane_linear const& flat, std::string const& raw, int lanes);
  void store_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& raw);
  void store_at(ir::buffer const& b, lane_linear const& flat, std::string const& raw, int lanes) {
    writer_.line("store " + vector_of(memory_type(b.type), lanes) + " " + raw + ", ptr " + addresses_.pointer(b, flat) +
                 ", align " + std::to_string(size_in_bytes(b.type)));
  }
  [[nodiscard]] std::string opaque_mask(int lanes);

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
  register_file& registers_;
};

inline void store_emitter::store_memory(ir::buffer const& b, lane_linear const& flat, value const& v) {
  if (v.lanes != 1 && flat.lane != 1) return store_each_lane(b, v, [&](int lane) { return in_lane(flat, lane); });
  auto const raw = values_.to_memory(v, b.type);
  auto start = flat;
  start.lane = 0;
  if (v.lanes == 1 || !state_.is_masked()) return store_at(b, start, raw, v.lanes);
  if (!writer_.machine().has_masks) return store_pieces(b, start, raw);
  store_masked(b, start, raw, v.lanes);
}

inline void store_emitter::store_masked(ir::buffer const& b, lane_linear const& flat, std::string const& raw,
                                        int lanes) {
  auto const scalar = memory_type(b.type);
  auto const type = vector_of(scalar, lanes);
  auto const bits = vector_of("i1", lanes);
  auto const name =
      "@llvm.masked.store.v" + std::to_string(lanes) + (scalar[0] == 'i' ? scalar : mangled(b.type, 1)) + ".p0";
  bool const whole = static_cast<std::size_t>(lanes) * size_in_bytes(b.type) >=
                         static_cast<std::size_t>(writer_.machine().vector_bytes) ||
                     lanes > 64;
  auto const known = whole || !state_.run_time_mask.empty() ? state_.mask_text(lanes) : opaque_mask(lanes);
  auto const running = running_lanes(writer_, state_, known, lanes);
  writer_.declare("declare void " + name + "(" + type + ", ptr, i32, " + bits + ")");
  writer_.line("call void " + name + "(" + type + " " + raw + ", ptr " + addresses_.pointer(b, flat) + ", i32 " +
               std::to_string(size_in_bytes(b.type)) + ", " + bits + " " + running + ")");
}

/// Replaces a masked store where the target has none. `flat` is the index of lane 0.
inline void store_emitter::store_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& raw) {
  auto const whole = vector_of(memory_type(b.type), state_.lanes);
  for (auto const& [first, count] : state_.running_pieces()) {
    auto at = flat;
    at.constant += first;
    std::string part;
    if (count == 1) {
      part = writer_.define("extractelement " + whole + " " + raw + ", i32 " + std::to_string(first));
    } else {
      std::string places = "<";
      for (int lane = first; lane < first + count; ++lane)
        places += (lane != first ? ", i32 " : "i32 ") + std::to_string(lane);
      part = writer_.define("shufflevector " + whole + " " + raw + ", " + whole + " undef, <" + std::to_string(count) +
                            " x i32> " + places + ">");
    }
    store_at(b, at, part, count);
  }
}

/// Returns the mask as a value that LLVM cannot evaluate. With a constant mask, masked stores of less than a register
/// take twice as long to compile: 40 ms instead of 20 for convolutions that store tiles of width 3.
inline std::string store_emitter::opaque_mask(int lanes) {
  std::uint64_t bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= std::uint64_t{state_.runs(i)} << i;
  auto const integer = "i" + std::to_string(lanes);
  auto const all = writer_.define_at(0, "call i64 asm \"\", \"=r,0\"(i64 " + std::to_string(bits) + ")");
  auto const some = writer_.define_at(0, "trunc i64 " + all + " to " + integer);
  return writer_.define_at(0, "bitcast " + integer + " " + some + " to " + vector_of("i1", lanes));
}

}}}}  // namespace ttune::v0::codegen::llvm
