// SPDX-License-Identifier: Apache-2.0
// Lowered programs: the statement tree. Every access in it reads a `buffer`.
#pragma once

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// How the iterations of a loop are executed.
enum class loop_kind : std::uint8_t {
  serial,
  parallel,
  vectorized,
  unrolled,
  tensorized,  ///< the loop is computed by one instruction that sums products; otherwise like unrolled
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

/// Statements in sequence.
struct block {
  std::vector<stmt> body;
};

/// A loop: for variable in [begin, end).
struct loop {
  std::string variable;
  expr begin;
  expr end;
  loop_kind kind = loop_kind::serial;
  stmt body;
};

/// Defines `variable` as `value`, which is known to be in [low, high).
struct let {
  std::string variable;
  expr value;
  std::int64_t low = 0;
  std::int64_t high = 0;
  stmt body;
};

/// Executes one of two statements.
struct conditional {
  expr condition;
  stmt then;
  stmt otherwise;             ///< null if there is none
  bool speculatable = false;  ///< `then` changes nothing where the condition does not hold: all lanes may run it
};

/// Allocates a buffer for the execution of `body`.
struct allocate {
  handle<buffer> storage;
  stmt body;
};

/// Stores a value in an element of a buffer.
struct store {
  handle<buffer> to;
  std::vector<expr> indices;
  expr value;
  /// Starts a copy of an element of the device's memory into a buffer that is `ahead`. It may be complete only after a
  /// barrier that waits for its batch.
  bool is_async = false;
};

/// All threads of a block arrive here before any continues.
struct barrier {
  /// If not negative: ends a batch of asynchronous stores (buffer::ahead), and waits for all batches except the last
  /// `pending`.
  std::int32_t pending = -1;
};

/// A hint that the cache line of an element will be read soon; the element need not exist.
struct prefetch {
  handle<buffer> from;
  std::vector<expr> indices;
};

/// The threads of a warp reduce values together: to[indices] = to[indices] op part, for `variable` from 0 to
/// `threads` - 1, in any order. All threads of the warp execute it together, and each stores the same result, bit by
/// bit, in its own memory. instruction.hpp has the loop that it stands for.
struct warp_reduction {
  std::string variable;
  std::int64_t threads = 0;
  binary_op op = binary_op::add;
  handle<buffer> to;
  std::vector<expr> indices;
  expr part;
};

/// Units that multiply matrices.
enum class matrix_unit : std::uint8_t {
  warp,        ///< the threads of a warp of a GPU
  four_warps,  ///< the threads of four of them
  tiles,       ///< a core of a CPU that has registers for tiles
};

/// Adds up products of matrices by instructions. Loops say what a thread does, with constant bounds on GPUs: over its
/// rows, columns and terms for a warp; over its virtual threads, repetitions, columns and terms for four warps. Tiles:
/// over repetitions, which select no sum, and unrolled groups of tiles; then over rows, columns and terms of a tile.
struct matrix_multiply {
  std::vector<loop> loops;  ///< the outermost first, without their bodies
  store sum;                ///< adds the product of `left` and `right`, converted or rounded
  expr left, right;         ///< accesses; the columns select no element of `left`, the rows none of `right`
  /// The indices of both by the parts of a thread's number (lowering/lanes.hpp), which the loops' meaning does not
  /// need.
  std::vector<expr> left_by_lanes, right_by_lanes;
  matrix_unit unit = matrix_unit::warp;
  bool from_zero = false;  ///< tiles: the sums begin at zero; what is in their memory is not read
  /// By four warps: the next iteration of the loop around it may begin before the sums are complete and the operands
  /// read; the iteration after that one and what follows the loop may not.
  bool in_flight = false;
};

/// A statement: one of the kinds above.
struct stmt_node : counted {
  std::variant<block, loop, let, conditional, allocate, store, barrier, prefetch, warp_reduction, matrix_multiply> what;
};

/// A program after scheduling: `prepare` fills the prepared buffers from constants (null if there are none), `body`
/// does the rest.
struct lowered {
  std::string name;
  std::vector<handle<buffer>> operands;  ///< the program's inputs, then its outputs, in order
  std::vector<handle<buffer>> prepared;
  stmt prepare;
  stmt body;
  /// The program fixes the order of a reduction's terms: every machine gives the same bits, so that no result may begin
  /// with an estimate of the processor.
  bool same_bits = false;
  bool keeps_extents_open = false;  ///< calls give extents (capture/keep_open.hpp)
};

}}}  // namespace ttune::v0::ir
