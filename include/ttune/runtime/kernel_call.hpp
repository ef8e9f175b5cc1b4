// SPDX-License-Identifier: Apache-2.0
// A kernel without types: code, executor, prepared constants. Typed kernels check their arguments and end here.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/load.hpp"

namespace ttune::inline v0 {

/// Memory for one call, from the calling thread's arena, which grows to the largest ever wanted. A call within a call
/// on one thread (an executor that runs other work while it waits) gets memory of its own.
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

/// Shares ownership of its code, outlives the tuner, copies cheaply, may be called from many threads at once.
class kernel_call {
 public:
  kernel_call() = default;
  /// Throws argument_error for a kernel of more than 64 operands and prepared buffers.
  explicit kernel_call(std::shared_ptr<loaded_image const> code, std::shared_ptr<executor> on = default_executor());

  [[nodiscard]] kernel_signature const& signature() const noexcept { return code_->signature(); }
  explicit operator bool() const noexcept { return code_ != nullptr; }
  /// Of a call: scratch memory, and the laid-out constants unless they are `prepared`.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }

  /// `operands`: inputs, then outputs, as in signature(). Not null, aligned for their element types; nothing else is
  /// checked here. Costs a few nanoseconds over the code's own entry. Throws argument_error for a wrong number,
  /// memory_error where scratch memory cannot be had, and what the executor throws; outputs are undefined then.
  void operator()(std::span<void* const> operands) const {
    if (is_direct_ && operands.size() == operand_count_) return run_directly(operands.data());
    if (workspace_bytes_ == 0) return run(operands, nullptr);
    workspace_lease const lease(workspace_bytes_);
    run(operands, lease.data());
  }
  /// The same with the caller's workspace: workspace_bytes(), aligned to 64 bytes.
  void operator()(std::span<void* const> operands, void* workspace) const { run(operands, workspace); }

  /// A kernel that owns what its code makes of the constants among `operands`; the others may be null. A call of it
  /// takes all operands again: code may also read constants where they are.
  [[nodiscard]] kernel_call prepare(std::span<void* const> operands) const;
  [[nodiscard]] bool is_prepared() const noexcept { return prepared_ != nullptr; }
  /// Bytes of the constants that it owns, or would.
  [[nodiscard]] std::size_t prepared_bytes() const noexcept;

 private:
  static constexpr std::size_t most_pointers = 64;
  struct buffers;  ///< laid-out constants

  /// Code of the processor that wants nothing but its operands.
  TTUNE_CALLS_MACHINE_CODE void run_directly(void* const* operands) const {
    detail::executor_failures const failures;
    main_(operands, &table_, nullptr);
    failures.rethrow();
  }
  void run(std::span<void* const> operands, void* workspace) const;
  void run_entries(std::span<void* const> operands, void* workspace) const;
  void check_count(std::span<void* const> operands) const;

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

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/kernel_call.inl.hpp"
#endif
