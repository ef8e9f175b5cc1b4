// SPDX-License-Identifier: Apache-2.0
// Stages that are computed ahead, and which part of their buffer an iteration reads (primitive/double_buffer.hpp).
#pragma once

#include <algorithm>

#include "ttune/lowering/statements/scope.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns true if a stage is computed ahead: a loop that runs once has no next iteration.
[[nodiscard]] inline bool is_doubled(scope const& in, std::size_t st) {
  auto const& s = in.n.stages[st];
  return s.buffers > 1 && in.loop(static_cast<std::size_t>(s.attached_to), s.depth).extent > 1;
}

/// Returns how many parts the buffer of a doubled stage has: no more than there are iterations.
[[nodiscard]] inline std::int32_t buffers_of(scope const& in, std::size_t st) {
  auto const& s = in.n.stages[st];
  return std::min<std::int32_t>(s.buffers, in.loop(static_cast<std::size_t>(s.attached_to), s.depth).extent);
}

/// Returns for how many iterations a part stays unchanged after its own: none if there are no buffers for that.
[[nodiscard]] inline std::int32_t held_by(scope const& in, std::size_t st) {
  return std::clamp<std::int32_t>(in.n.stages[st].held, 0, std::max(0, buffers_of(in, st) - 2));
}

/// Returns the number of iterations by which a doubled stage is computed ahead.
[[nodiscard]] inline std::int32_t iterations_ahead(scope const& in, std::size_t st) {
  return buffers_of(in, st) - 1 - held_by(in, st);
}

/// Returns the part that an iteration of the loop around reads.
[[nodiscard]] inline ir::expr part_of_buffer(scope const& in, std::size_t st) {
  auto const& s = in.n.stages[st];
  return ir::make_binary(ir::binary_op::floor_modulo, in.position(static_cast<std::size_t>(s.attached_to), s.depth),
                         ir::make_index(buffers_of(in, st)));
}

}}}  // namespace ttune::v0::lowering
