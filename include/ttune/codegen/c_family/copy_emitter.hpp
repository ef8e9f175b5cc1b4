// SPDX-License-Identifier: Apache-2.0
// Copies of elements in their memory format, asynchronous ones included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/codegen/c_family/index_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: stores. Out: true and the text of a copy, if the store is one that needs no arithmetic; false otherwise.
class copy_emitter {
 public:
  copy_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory)
      : kernel_(kernel), indices_(indices), memory_(memory) {}

  /// Copies an element in its memory format, so that 16-bit floats are not widened, or asynchronously.
  [[nodiscard]] bool emit(ir::store const& w);
  /// Copies the elements of a loop's next iterations at once. `lanes` elements are 4, 8 or 16 bytes.
  [[nodiscard]] bool emit_wide(ir::loop const& l, std::int64_t begin, int lanes);
  /// Waits for asynchronous copies before a barrier.
  void await(ir::barrier const& b);

  /// Returns the position of the first of `lanes` elements, which the loop's next iterations access; nothing if they
  /// are not contiguous or not aligned. The loop's variable stays bound to these iterations.
  [[nodiscard]] std::optional<lane_linear> wide_place(ir::loop const& l, std::int64_t begin, int lanes,
                                                      ir::buffer const& b, std::vector<ir::expr> const& indices);

 private:
  void emit_asynchronous(std::string const& to_pointer, std::string const& from_pointer, int bytes);

  kernel_state& kernel_;
  index_emitter& indices_;
  memory_emitter& memory_;
};

inline void copy_emitter::emit_asynchronous(std::string const& to_pointer, std::string const& from_pointer, int bytes) {
  auto const name = "ttune_copy_ahead_" + std::to_string(bytes);
  kernel_.shared.define(name, [&] { return kernel_.dialect.async_copy_function(name, bytes); });
  kernel_.text.line(name + "(" + to_pointer + ", " + from_pointer + ");");
}

inline bool copy_emitter::emit(ir::store const& w) {
  auto const* a = ir::as<ir::access>(w.value);
  if (!a || kernel_.variables.lanes() != 1 || w.value->type != w.to->type) return false;
  constexpr int least_async_bytes = 4;
  auto const& from = buffer_of(*a);
  auto const bytes = static_cast<int>(size_in_bytes(w.to->type));
  if (w.is_async && bytes >= least_async_bytes) {
    auto const from_pointer = memory_.pointer_to(from, indices_.flat_index(from, a->indices));
    emit_asynchronous(memory_.pointer_to(*w.to, indices_.flat_index(*w.to, w.indices)), from_pointer, bytes);
    return true;
  }
  if (w.to->type != dtype::f16 && w.to->type != dtype::bf16) return false;
  auto const from_flat = indices_.flat_index(from, a->indices);
  auto const to_flat = indices_.flat_index(*w.to, w.indices);
  memory_.copy(*w.to, to_flat, from, from_flat);
  return true;
}

inline std::optional<lane_linear> copy_emitter::wide_place(ir::loop const& l, std::int64_t begin, int lanes,
                                                           ir::buffer const& b, std::vector<ir::expr> const& indices) {
  lane_linear at;
  at.constant = begin;
  at.lane = 1;
  kernel_.variables.set_lanes(lanes);
  kernel_.variables.bind(l.variable, at, {begin, begin + lanes - 1});
  std::optional<lane_linear> made;
  try {
    auto const flat = indices_.flat_index(b, indices);
    if (is_aligned(b, flat, lanes)) made = flat;
  } catch (lanes_diverge const&) {
  }
  kernel_.variables.set_lanes(1);
  return made;
}

inline bool copy_emitter::emit_wide(ir::loop const& l, std::int64_t begin, int lanes) {
  auto const* w = ir::as<ir::store>(l.body);
  auto const* a = w ? ir::as<ir::access>(w->value) : nullptr;
  if (!a || w->value->type != w->to->type) return false;
  auto const& source = buffer_of(*a);
  auto const to = wide_place(l, begin, lanes, *w->to, w->indices);
  auto const from = wide_place(l, begin, lanes, source, a->indices);
  kernel_.variables.unbind(l.variable);
  if (!to || !from) return false;
  auto const bytes = lanes * static_cast<int>(size_in_bytes(w->to->type));
  auto const from_pointer = memory_.pointer_to(source, *from);
  auto const to_pointer = memory_.pointer_to(*w->to, *to);
  if (w->is_async) {
    emit_asynchronous(to_pointer, from_pointer, bytes);
    return true;
  }
  std::string const type = bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : "unsigned int";
  kernel_.text.line("*(" + type + "*)(" + to_pointer + ") = *(const " + type + "*)(" + from_pointer + ");");
  return true;
}

inline void copy_emitter::await(ir::barrier const& b) {
  if (b.pending < 0 || !kernel_.dialect.has_async_copies(kernel_.machine)) return;
  std::string const close = "ttune_close_copies";
  auto const await = "ttune_await_copies_" + std::to_string(b.pending);
  kernel_.shared.define(close, [&] { return kernel_.dialect.commit_copies_function(close); });
  kernel_.shared.define(await, [&] { return kernel_.dialect.wait_copies_function(await, b.pending); });
  kernel_.text.line(close + "();");
  kernel_.text.line(await + "();");
}

}}}}  // namespace ttune::v0::codegen::c_family
