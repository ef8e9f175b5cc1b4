// SPDX-License-Identifier: Apache-2.0
// Vectorised loops as values of vector types, for languages that have them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/loop_emitter.hpp"
#include "ttune/codegen/c_family/register_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: a vectorised loop with known bounds, outside of other ones. Out: its body for each chunk of iterations, as wide
/// as the target's vectors, then half as wide. If lanes would branch differently, the loop is emitted element by
/// element.
class vector_emitter {
 public:
  vector_emitter(kernel_state& kernel, register_emitter& registers, loop_emitter& loops, body_emitter& bodies)
      : kernel_(kernel), registers_(registers), loops_(loops), bodies_(bodies) {}

  void emit(ir::loop const& l, std::int64_t begin, std::int64_t end);

 private:
  void emit_chunks(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_elements(ir::loop const& l, std::int64_t begin, std::int64_t end);

  kernel_state& kernel_;
  register_emitter& registers_;
  loop_emitter& loops_;
  body_emitter& bodies_;
};

inline void vector_emitter::emit(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  auto const before = kernel_.text.mark();
  try {
    emit_chunks(l, begin, end);
  } catch (lanes_diverge const&) {
    kernel_.variables.set_lanes(1);
    kernel_.text.return_to(before);
    registers_.forget_tiles();
    emit_elements(l, begin, end);
  }
}

inline void vector_emitter::emit_chunks(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  constexpr int most_lanes = 16;
  auto const width = std::min(most_lanes, kernel_.machine.lanes(widest_stored_type(l.body)));
  while (begin < end) {
    int lanes = 1;
    while (2 * lanes <= width && 2 * lanes <= end - begin) lanes *= 2;
    kernel_.variables.set_lanes(lanes);
    kernel_.variables.bind(l.variable, consecutive_indices(begin, lanes), {begin, begin + lanes - 1});
    bodies_.emit(l.body);
    kernel_.variables.set_lanes(1);
    begin += lanes;
  }
  kernel_.variables.unbind(l.variable);
}

inline void vector_emitter::emit_elements(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t most_unrolled = 64;
  if (end - begin <= most_unrolled) loops_.emit_unrolled(l, begin, end);
  else loops_.emit_rolled(l);
}

}}}}  // namespace ttune::v0::codegen::c_family
