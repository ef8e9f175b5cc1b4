// SPDX-License-Identifier: Apache-2.0
// Buffers: the storage of lowered programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/core/operand_strides.hpp"
#include "ttune/support/handle.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// The memory space of a buffer.
enum class memory : std::uint8_t {
  operand,    ///< passed by the caller; `slot` is its position among the kernel's arguments
  prepared,   ///< filled by the kernel's `prepare` entry from constants, owned by the prepared kernel
  workspace,  ///< scratch of the whole call (on a GPU: in global memory)
  local,      ///< workspace of one thread; small buffers are on its stack
  registers,  ///< all indices are constant after unrolling
  shared      ///< of the threads of a block (OpenCL: local memory)
};

/// Row-major storage of `extents` elements.
struct buffer : counted {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;
  memory where = memory::local;
  int slot = -1;                ///< for memory::operand and memory::prepared
  std::vector<double> content;  ///< a table: values known at compile time (memory::workspace, never written)
  /// memory::shared: stores are asynchronous; they are complete only after a barrier that waits for their batch.
  bool ahead = false;
  /// `ahead`: the number of iterations for which the part of an iteration stays unchanged after it.
  std::int32_t held = 0;
  /// memory::shared: chunk c of 16 bytes, in the order of elements, is stored at c ^ (c / swizzle) % 8; a multiple
  /// of 8. 0: no swizzle. Indices always refer to elements in order.
  std::int64_t swizzle = 0;
  operand_strides strides = operand_strides::dense;  ///< memory::operand: others than dense are in `strides_from`
  handle<buffer> strides_from;
  int first_stride = 0;  ///< the place of the outermost dimension's stride there
  /// memory::operand with extents that calls give: `extents` are the largest that a call may give, these the smallest.
  /// Empty: all are constant.
  std::vector<std::int64_t> least_extents = {};

  static constexpr std::int64_t chunk_bytes = 16;
  static constexpr std::int64_t chunks_of_banks = 8;  ///< this number of chunks covers all banks

  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t n = 1;
    for (auto const e : extents) n *= e;
    return n;
  }
  /// Returns the number of indices of a dimension that are inside in every call.
  [[nodiscard]] std::int64_t sure_extent(std::size_t dimension) const noexcept {
    return least_extents.empty() ? extents[dimension] : least_extents[dimension];
  }
  /// Returns the number of elements to allocate: with a swizzle, rounded up to whole groups of chunks that cover all
  /// banks.
  [[nodiscard]] std::int64_t room() const noexcept {
    auto const line = swizzle == 0 ? 1 : chunks_of_banks * chunk_bytes / static_cast<std::int64_t>(size_in_bytes(type));
    return (elements() + line - 1) / line * line;
  }
};

}}}  // namespace ttune::v0::ir
