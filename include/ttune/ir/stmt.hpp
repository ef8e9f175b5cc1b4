// SPDX-License-Identifier: Apache-2.0
// How it is computed: the statement tree of a lowered program. In it every access reads a `buffer`.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune::inline v0::ir {

/// Where a buffer lives.
enum class memory : std::uint8_t {
  operand,    ///< passed by the caller; `slot` is its place among the kernel's arguments
  prepared,   ///< filled by the kernel's `prepare` entry from constants, owned by the prepared kernel
  shared,     ///< scratch, one for the whole call (on a GPU: of the device)
  local,      ///< scratch of one thread; small ones on its stack
  registers,  ///< all indices are constant once loops are unrolled
  group       ///< shared by the threads of a block
};

/// Row-major storage of `extents` elements.
struct buffer : counted {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;
  memory where = memory::local;
  int slot = -1;                ///< memory::operand and memory::prepared
  std::vector<double> content;  ///< a table: values known now (memory::shared, never written)
  /// memory::group: what is stored need not be there before a barrier that awaits it.
  bool ahead = false;
  /// memory::group: chunk c of 16 bytes, in the order of elements, lies at c ^ (c / swizzle) % 8; a multiple of 8. 0:
  /// in order. Indices are those of elements all the same.
  std::int64_t swizzle = 0;

  static constexpr std::int64_t chunk_bytes = 16;
  static constexpr std::int64_t chunks_of_banks = 8;  ///< so many hold all banks

  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t n = 1;
    for (auto const e : extents) n *= e;
    return n;
  }
  /// Elements that there is room for: if chunks change places, all of those that hold all banks.
  [[nodiscard]] std::int64_t room() const noexcept {
    auto const line = swizzle == 0 ? 1 : chunks_of_banks * chunk_bytes / static_cast<std::int64_t>(size_in_bytes(type));
    return (elements() + line - 1) / line * line;
  }
};

enum class loop_kind : std::uint8_t {
  serial,
  parallel,
  vectorized,
  unrolled,
  tensorized,  ///< of one instruction of the machine: products that are summed; else as unrolled
  block_x,
  block_y,
  block_z,
  thread_x,
  thread_y,
  thread_z,
  virtual_thread
};

struct stmt_node;
using stmt = handle<stmt_node>;

struct block {
  std::vector<stmt> body;
};

/// for variable in [begin, end)
struct loop {
  std::string variable;
  expr begin;
  expr end;
  loop_kind kind = loop_kind::serial;
  stmt body;
};

/// `variable` is `value`, known to lie in [low, high).
struct let {
  std::string variable;
  expr value;
  std::int64_t low = 0;
  std::int64_t high = 0;
  stmt body;
};

struct conditional {
  expr condition;
  stmt then;
  stmt otherwise;  ///< may be null
};

struct allocate {
  handle<buffer> storage;
  stmt body;
};

struct store {
  handle<buffer> to;
  std::vector<expr> indices;
  expr value;
};

/// All threads of a block have come here before any goes on.
struct barrier {
  /// Not negative: ends a batch of what is stored into buffers `ahead`, and awaits all batches but so many last ones.
  std::int32_t pending = -1;
};

/// The cache line of an element will be read soon. A hint: the element need not exist.
struct prefetch {
  handle<buffer> from;
  std::vector<expr> indices;
};

struct stmt_node : counted {
  std::variant<block, loop, let, conditional, allocate, store, barrier, prefetch> what;
};

/// A program after scheduling: `prepare` fills the prepared buffers from constants (null if there are none),
/// `body` does the rest.
struct lowered {
  std::string name;
  std::vector<handle<buffer>> operands;  ///< the program's inputs, then its outputs, in order
  std::vector<handle<buffer>> prepared;
  stmt prepare;
  stmt body;
};

}  // namespace ttune::inline v0::ir
