// SPDX-License-Identifier: Apache-2.0
// LLVM IR of a lowered program in which every access to memory is checked: the text of llvm_ir.hpp, with a comparison
// before each load and store. For finding faults of schedules and of code generation, in tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// A load or a store of the text.
struct access_site {
  std::string buffer;
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents;
  bool dense = true;  ///< false for an operand whose strides calls give
  bool writes = false;
  std::string statement;  ///< the innermost statement, in the notation of ir/print.hpp

  /// Returns which element the access touches outside of its buffer, for people. `offset` is the distance of its first
  /// running lane from the buffer, `size` the size of the buffer, both in bytes.
  [[nodiscard]] std::string fault(std::int64_t offset, std::int64_t size) const;
};

/// A scratch buffer in the workspace of a checked kernel.
struct scratch_buffer {
  std::string name;
  std::int64_t offset = 0;  ///< in bytes, from the start of its workspace
  std::int64_t bytes = 0;
  bool per_thread = false;  ///< each thread has one, in a workspace of its own
};

/// The first access of a run that left its buffer: a place in the code and an offset in one number, which threads may
/// write at once.
struct access_fault {
  static constexpr int site_bits = 20;
  std::int64_t note = 0;  ///< 0 if there was none

  [[nodiscard]] explicit operator bool() const noexcept { return note != 0; }
  [[nodiscard]] std::size_t site() const noexcept {
    return static_cast<std::size_t>(note & ((1 << site_bits) - 1)) - 1;
  }
  [[nodiscard]] std::int64_t offset() const noexcept { return note >> site_bits; }
};

/// The runtime table of a checked kernel, with the data that its checks need.
struct checked_runtime {
  runtime_table table;  ///< must be the first member: kernels find its functions by their offsets
  /// Sizes in bytes of the operands, then of the prepared buffers.
  std::int64_t const* sizes = nullptr;
  access_fault* fault = nullptr;
  void* spare = nullptr;  ///< `spare_bytes` that accesses outside of their buffers touch instead, aligned to 64
  static constexpr std::size_t spare_bytes = 4096;
};

/// The text of a checked kernel. Its functions expect a `checked_runtime`. An access outside of its buffer is noted
/// there, if it is the first one, and touches the spare memory instead: the kernel runs to its end, and harms nothing.
struct checked_text {
  std::string text;
  std::vector<access_site> sites;
  std::vector<scratch_buffer> scratch;
};

/// Emits a module as `llvm_ir` does, with checks. All scratch buffers lie in the workspace, none on the stack.
/// Constants inside of the code of mathematical functions are not checked.
[[nodiscard]] checked_text checked_llvm_ir(ir::lowered const& program, target const& machine,
                                           kernel_signature& signature);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/checked_llvm_ir.inl.hpp"
#endif
