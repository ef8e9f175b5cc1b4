// SPDX-License-Identifier: Apache-2.0
// The limits of a block on a GPU as constraints of a space: threads, registers, shared memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ttune/autoschedule/gpu/tiles.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

inline void gpu_tiles::limit_block(std::vector<access_plan const*> const& fetched) {
  knob_expression threads = 1;
  knob_expression own = 1;  // accumulators of a thread
  bool any = false;
  for (std::size_t x = 0; x < free_axes(); ++x) {
    if (cuts_[x].knob < 0) continue;
    threads = any ? threads * knob_expression(cuts_[x].part(thread)) : knob_expression(cuts_[x].part(thread));
    auto const mine = knob_expression(cuts_[x].part(vthread)) * knob_expression(cuts_[x].part(inner));
    own = any ? own * mine : mine;
    any = true;
  }
  if (!any) return;
  out_.require(threads <= knob_expression(out_.machine().block_threads), "threads of a block");
  if (has_group_memory())  // threads that are missing in a warp would be idle
    out_.require(knob_expression(std::min<std::int64_t>(out_.machine().warp_threads, seed_threads_)) <= threads,
                 "threads of a warp");
  out_.require(own <= knob_expression(128), "accumulators of a thread");
  limit_registers(threads, own, 24);
  limit_group_memory(fetched);
}

/// Returns true if several axes move one index.
inline bool gpu_tiles::is_window(access_plan const& a) {
  return std::any_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) {
    return std::count_if(i.coefficient.begin(), i.coefficient.end(), [](std::int64_t c) { return c != 0; }) > 1;
  });
}

/// Limits registers, which all threads of a block have at the same time; otherwise accumulators would be in memory.
/// `beside`: registers for addresses and loaded values.
inline void gpu_tiles::limit_registers(knob_expression const& threads, knob_expression const& own,
                                       std::int64_t beside) {
  constexpr std::int64_t of_processor = 65536;  // registers of a processor, in all architectures of NVIDIA so far
  if (nvidia_architecture(out_.machine()) > 0)
    out_.require(threads * (own + knob_expression(beside)) <= knob_expression(of_processor), "registers of a block");
}

inline void gpu_tiles::limit_group_memory(std::vector<access_plan const*> const& fetched) {
  if (fetched.empty()) return;
  knob_expression bytes = 0;
  for (auto const* a : fetched) {
    auto const shape = shape_of(p_, r_, *a);
    knob_expression elements = element_bytes(*a);
    for (std::size_t d = 0; d < a->indices.size(); ++d) {
      auto const& i = a->indices[d];
      knob_expression extent = 1;
      for (std::size_t x = 0; x < i.coefficient.size(); ++x)
        if (auto const c = std::abs(i.coefficient[x]); c != 0 && r_.axis_size(x) > 1)
          extent = extent + (tile(x) - knob_expression(1)) * knob_expression(c);
      extent = min(extent, knob_expression(shape[d]));
      if (d + 1 == a->indices.size()) extent = extent + knob_expression(padding_of(*a));
      elements = elements * extent;
    }
    bytes = bytes + elements;
  }
  if (buffers_.knob >= 0) bytes = bytes * knob_expression(buffers_);
  for (auto const& [a, apart] : swizzles_)  // matrices have whole lines of banks, but windows may end within one
    if (is_window(*a)) bytes = bytes + knob_expression(ir::buffer::chunks_of_banks * ir::buffer::chunk_bytes);
  out_.require(bytes <= knob_expression(out_.machine().block_bytes), "shared memory of a block");
}

}}}  // namespace ttune::v0::autoschedule
