// SPDX-License-Identifier: Apache-2.0
// Buffers: their declarations, and reads and writes of their elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/buffer_names.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/register_emitter.hpp"
#include "ttune/codegen/device_program.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: buffers and linear forms of flat indices (index_emitter.hpp), values to store. Out: values, and lines with
/// stores. Values of f16 and bf16 are converted from and to memory. Vectors are as wide as the current vectorised loop.
class memory_emitter {
 public:
  memory_emitter(kernel_state& kernel, buffer_names& names, register_emitter& registers)
      : kernel_(kernel), names_(names), registers_(registers) {}

  /// Declares a buffer, in a new scope if it is memory of a thread. Buffers in the workspace need no declaration.
  void begin_buffer(ir::buffer const& b);
  void end_buffer(ir::buffer const& b);
  /// Returns the declarations of the buffers in shared memory: one array per buffer, or all in one array whose size the
  /// launch sets. Sets the launch's sizes.
  [[nodiscard]] std::string declare_shared_memory(device_launch& launch) const;

  [[nodiscard]] c_value load(ir::buffer const& b, lane_linear const& flat);
  /// Throws lanes_diverge if the elements cannot be stored as one vector.
  void store(ir::buffer const& b, lane_linear const& flat, c_value const& v);
  /// Copies one element in its memory format.
  void copy(ir::buffer const& to, lane_linear const& to_flat, ir::buffer const& from, lane_linear const& from_flat);

  /// Returns an element as a place to read or write, in its memory format.
  [[nodiscard]] std::string element(ir::buffer const& b, lane_linear const& flat);
  /// Returns a pointer to the first lane.
  [[nodiscard]] std::string pointer_to(ir::buffer const& b, lane_linear const& flat);
  /// Returns a value in the format of memory.
  [[nodiscard]] std::string to_storage(c_value const& v, dtype stored);

 private:
  static constexpr std::int64_t largest_move_bytes = 16;

  [[nodiscard]] c_value load_lanes(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] c_value from_storage(std::string const& raw, dtype stored, int lanes);
  [[nodiscard]] std::int64_t alignment(ir::buffer const& b) const;
  [[nodiscard]] std::string declaration(ir::buffer const& b, ir::memory where, std::string const& name) const;

  kernel_state& kernel_;
  buffer_names& names_;
  register_emitter& registers_;
  std::vector<std::pair<ir::buffer const*, std::string>> shared_buffers_;  ///< with their names
};

/// Returns true if `lanes` adjacent elements are aligned to their total size for all values of the variables.
[[nodiscard]] inline bool is_aligned(ir::buffer const& b, lane_linear const& flat, int lanes) {
  if (flat.lane != 1 || flat.constant % lanes != 0 || is_thread_memory(b) || !b.content.empty()) return false;
  return std::all_of(flat.terms.begin(), flat.terms.end(),
                     [&](lane_linear::term const& t) { return t.coefficient % lanes == 0; });
}

// ----------------------------------------------------------------------------------------------------- declarations

/// Returns the alignment of a buffer in shared memory in bytes: that of the largest move, or of the lines that products
/// of four warps read.
inline std::int64_t memory_emitter::alignment(ir::buffer const& b) const {
  return kernel_.publishes_shared_memory && b.swizzle != 0 ? warpgroup_product::aligned_bytes : largest_move_bytes;
}

inline std::string memory_emitter::declaration(ir::buffer const& b, ir::memory where, std::string const& name) const {
  return kernel_.dialect.array_prefix(where, alignment(b)) + kernel_.dialect.storage(b.type) + " " + name +
         (is_scalar(b) ? "" : "[" + std::to_string(b.room()) + "]") + ";";
}

inline void memory_emitter::begin_buffer(ir::buffer const& b) {
  auto const where = memory_space_of(b, kernel_);
  if (where == ir::memory::workspace) return;
  auto const name = names_.declare(b);
  if (where == ir::memory::shared) {
    shared_buffers_.emplace_back(&b, name);
    return;
  }
  kernel_.text.open("");
  if (registers_.is_split(b) && !is_scalar(b)) registers_.declare(b, name);
  else kernel_.text.line(declaration(b, where, name));
}

inline void memory_emitter::end_buffer(ir::buffer const& b) {
  auto const where = memory_space_of(b, kernel_);
  if (where == ir::memory::workspace) return;
  if (where != ir::memory::shared) kernel_.text.close();
  names_.forget(b);
}

inline std::string memory_emitter::declare_shared_memory(device_launch& launch) const {
  auto const whole = std::string("ttune_group_memory");
  std::string arrays;
  std::string parts_of_one;
  auto const in_units = [](std::int64_t bytes, std::int64_t unit) { return ceil_divide(bytes, unit) * unit; };
  std::int64_t strictest = largest_move_bytes;
  for (auto const& [b, name] : shared_buffers_) {
    auto const bytes = b->room() * static_cast<std::int64_t>(size_in_bytes(b->type));
    auto const pointer = kernel_.dialect.pointer(ir::memory::shared, kernel_.dialect.storage(b->type), false);
    arrays += "  " + declaration(*b, ir::memory::shared, name) + "\n";
    auto const aligned = alignment(*b);
    strictest = std::max(strictest, aligned);
    launch.launch_bytes = in_units(launch.launch_bytes, aligned);
    parts_of_one += "  " + pointer + " const " + name + " = (" + pointer + ")(" + whole + " + " +
                    std::to_string(launch.launch_bytes) + ");\n";
    launch.group_bytes += bytes;
    launch.launch_bytes += in_units(bytes, largest_move_bytes);
  }
  if (launch.launch_bytes <= kernel_.dialect.declared_shared_bytes()) {
    launch.launch_bytes = 0;
    return arrays;
  }
  launch.group_bytes = launch.launch_bytes;
  return "  " + kernel_.dialect.launch_array(whole, strictest) + "\n" + parts_of_one;
}

// --------------------------------------------------------------------------------------------------------- elements

inline std::string memory_emitter::element(ir::buffer const& b, lane_linear const& flat) {
  if (is_scalar(b)) return names_.array(b);
  if (registers_.is_split(b)) return registers_.element(b, flat.constant);
  return names_.array(b) + "[" + written(flat).text + "]";
}

inline std::string memory_emitter::pointer_to(ir::buffer const& b, lane_linear const& flat) {
  auto first = flat;
  first.lane = 0;
  if (first.is_constant() && first.constant == 0) return names_.array(b);
  return names_.array(b) + " + " + operand(written(first), precedence::sum);
}

inline c_value memory_emitter::from_storage(std::string const& raw, dtype stored, int lanes) {
  switch (stored) {
    case dtype::boolean:
      if (lanes > 1) return {"(convert_int" + std::to_string(lanes) + "(" + raw + ") != 0)", dtype::boolean, lanes};
      return {raw, dtype::boolean, 1};
    case dtype::f16: return kernel_.shared.call("from_half", dtype::f32, {{raw, dtype::u16, lanes}});
    case dtype::bf16: return kernel_.shared.call("from_bf16", dtype::f32, {{raw, dtype::u16, lanes}});
    default: return {raw, stored, lanes};
  }
}

inline std::string memory_emitter::to_storage(c_value const& v, dtype stored) {
  if (stored == dtype::f16) return kernel_.shared.call("to_half", dtype::u16, {v}).text;
  if (stored == dtype::bf16) return kernel_.shared.call("to_bf16", dtype::u16, {v}).text;
  if (stored == dtype::boolean && v.lanes > 1)
    return "convert_uchar" + std::to_string(v.lanes) + "(" + operand(v, precedence::prefix) + " & 1)";
  if (stored == dtype::boolean && v.binds != precedence::primary) return "(" + v.text + ") ? 1 : 0";
  return v.text;
}

inline c_value memory_emitter::load(ir::buffer const& b, lane_linear const& flat) {
  registers_.note_use(b, flat, false);
  if (flat.lane != 0) return load_lanes(b, flat);
  return from_storage(element(b, flat), b.type, 1);
}

/// Loads adjacent elements as one vector, and gathers others.
inline c_value memory_emitter::load_lanes(ir::buffer const& b, lane_linear const& flat) {
  int const lanes = kernel_.variables.lanes();
  auto const n = std::to_string(lanes);
  if (registers_.is_split(b)) return registers_.load(b, flat);
  if (flat.lane == 1) return from_storage("vload" + n + "(0, " + pointer_to(b, flat) + ")", b.type, lanes);
  std::string all;
  for (int lane = 0; lane < lanes; ++lane) {
    auto one = flat;
    one.lane = 0;
    one.constant += flat.lane * lane;
    all += (lane != 0 ? ", " : "") + element(b, one);
  }
  return from_storage("(" + kernel_.dialect.storage(b.type) + n + ")(" + all + ")", b.type, lanes);
}

inline void memory_emitter::store(ir::buffer const& b, lane_linear const& flat, c_value const& v) {
  int const lanes = kernel_.variables.lanes();
  registers_.note_use(b, flat, true);
  registers_.forget_tiles(b);
  if (lanes == 1) return kernel_.text.line(element(b, flat) + " = " + to_storage(v, b.type) + ";");
  if (flat.lane == 0) throw lanes_diverge{};
  if (registers_.is_split(b)) return registers_.store(b, flat, v);
  if (flat.lane != 1 && !registers_.may_become_vector(b, flat)) throw lanes_diverge{};
  kernel_.text.line("vstore" + std::to_string(lanes) + "(" + to_storage(kernel_.types.widened(v, lanes), b.type) +
                    ", 0, " + pointer_to(b, flat) + ");");
}

inline void memory_emitter::copy(ir::buffer const& to, lane_linear const& to_flat, ir::buffer const& from,
                                 lane_linear const& from_flat) {
  registers_.note_use(from, from_flat, false);
  registers_.note_use(to, to_flat, true);
  kernel_.text.line(element(to, to_flat) + " = " + element(from, from_flat) + ";");
}

}}}}  // namespace ttune::v0::codegen::c_family
