// SPDX-License-Identifier: Apache-2.0
// An untyped callable kernel: code, executor, prepared constants. Typed kernels check their arguments and call it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/load.hpp"

namespace ttune { inline namespace v0 {

/// Memory for one call, taken from the calling thread's arena, which grows to the largest size requested so far. A
/// nested call on the same thread (an executor that runs other work while it waits) gets separate memory.
class workspace_lease {
 public:
  explicit workspace_lease(std::size_t bytes);
  workspace_lease(workspace_lease const&) = delete;
  workspace_lease& operator=(workspace_lease const&) = delete;
  ~workspace_lease();
  [[nodiscard]] void* data() const noexcept { return data_; }  ///< aligned to 64 bytes

 private:
  void* data_ = nullptr;
  bool own_ = false;
};

/// Memory for what kernels need only while they lay out constants. Several kernels may use it one after the other: new
/// memory costs more than its use, since the system fills it with zeros.
class layout_memory {
 public:
  layout_memory() = default;
  layout_memory(layout_memory const&) = delete;
  layout_memory& operator=(layout_memory const&) = delete;
  ~layout_memory();
  /// Returns at least `bytes` bytes, aligned to 64; what was returned before is gone if they are more.
  [[nodiscard]] void* take(std::size_t bytes);

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A callable kernel. It shares ownership of its code, outlives the tuner, is cheap to copy, and is thread-safe.
class kernel_call {
 public:
  kernel_call() = default;
  /// Throws argument_error for a kernel of more than 64 operands and prepared buffers.
  explicit kernel_call(std::shared_ptr<loaded_image const> code, std::shared_ptr<executor> on = default_executor());

  [[nodiscard]] kernel_signature const& signature() const noexcept { return code_->signature(); }
  explicit operator bool() const noexcept { return code_ != nullptr; }
  /// Returns the bytes that one call needs: scratch memory, and the laid-out constants unless the kernel is prepared.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }

  /// Calls the kernel. `operands` holds the inputs, then the outputs, as in signature(); pointers are not null and
  /// aligned for their element types; nothing else is checked here. Costs a few nanoseconds more than the raw entry.
  /// Throws argument_error for a wrong number of operands, memory_error if scratch memory cannot be allocated, and the
  /// exceptions of the executor; the outputs are undefined then.
  void operator()(std::span<void* const> operands) const {
    if (is_direct_ && operands.size() == operand_count_) return run_directly(operands.data());
    if (workspace_bytes_ == 0) return run(operands, nullptr);
    workspace_lease const lease(workspace_bytes_);
    run(operands, lease.data());
  }
  /// Overload that uses the caller's workspace: workspace_bytes() bytes, aligned to 64 bytes.
  void operator()(std::span<void* const> operands, void* workspace) const { run(operands, workspace); }

  /// Returns a kernel that owns the laid-out constants of `operands`; the pointers of other operands may be null. A
  /// call of that kernel takes all operands again, since its code may also read constants in place.
  [[nodiscard]] kernel_call prepare(std::span<void* const> operands) const;
  /// Overload that uses the caller's memory for what is needed only meanwhile.
  [[nodiscard]] kernel_call prepare(std::span<void* const> operands, layout_memory& meanwhile) const;
  [[nodiscard]] bool is_prepared() const noexcept { return prepared_ != nullptr; }
  /// Returns the bytes of the laid-out constants that the kernel owns, or would own after `prepare`: without what only
  /// `prepare` itself reads.
  [[nodiscard]] std::size_t prepared_bytes() const noexcept;

 private:
  static constexpr std::size_t most_pointers = 64;
  struct buffers;  ///< the laid-out constants

  /// Fast path: CPU code that needs nothing but its operands.
  TTUNE_CALLS_MACHINE_CODE void run_directly(void* const* operands) const {
    detail::executor_failures const failures;
    main_(operands, &table_, nullptr);
    failures.rethrow();
  }
  void run(std::span<void* const> operands, void* workspace) const;
  void run_entries(std::span<void* const> operands, void* workspace) const;
  void check_count(std::span<void* const> operands) const;
  [[nodiscard]] std::size_t laid_out_bytes(bool read_by_calls) const noexcept;
  [[nodiscard]] bool keeps(std::size_t buffer) const noexcept { return code_->reads(operand_count_ + buffer); }

  std::shared_ptr<loaded_image const> code_;
  std::shared_ptr<executor> executor_;
  std::shared_ptr<buffers const> prepared_;
  std::size_t scratch_bytes_ = 0;
  std::size_t workspace_bytes_ = 0;
  std::size_t operand_count_ = 0;
  kernel_function main_ = nullptr;
  bool is_direct_ = false;
  runtime_table table_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/kernel_call.inl.hpp"
#endif
