// SPDX-License-Identifier: Apache-2.0
// A kernel without types: code, executor, prepared constants. Typed kernels (kernel.hpp) check their arguments and
// end here.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/load.hpp"

namespace ttune::inline v0 {

/// Memory of the calling thread for workspaces: grows to the largest wanted, aligned to 64 bytes.
[[nodiscard]] void* thread_workspace(std::size_t bytes);

/// Shares ownership of its code, outlives the tuner, copies cheaply, may be called from many threads at once.
class kernel_call {
 public:
  kernel_call() = default;
  kernel_call(std::shared_ptr<loaded_image const> code, std::shared_ptr<executor> on);

  [[nodiscard]] kernel_signature const& signature() const noexcept { return code_->signature(); }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return code_->workspace_bytes(table_.threads); }
  explicit operator bool() const noexcept { return code_ != nullptr; }

  /// `operands`: inputs, then outputs, as in signature(). Constants are laid out anew unless `prepared`.
  void operator()(std::span<void* const> operands) const;
  /// The same with the caller's workspace of workspace_bytes(), aligned to 64 bytes.
  void operator()(std::span<void* const> operands, void* workspace) const;

  /// A kernel that owns what is made of the constants among `operands`; other operands may be null.
  [[nodiscard]] kernel_call prepare(std::span<void* const> operands) const;
  [[nodiscard]] bool is_prepared() const noexcept { return prepared_ != nullptr; }

 private:
  static constexpr std::size_t max_operands = 64;
  struct constants {
    std::vector<std::unique_ptr<std::uint8_t[]>> owned;
    std::vector<void*> pointers;  ///< aligned to 64 bytes
  };
  [[nodiscard]] std::shared_ptr<constants const> make_constants(std::span<void* const> operands, void* workspace) const;

  std::shared_ptr<loaded_image const> code_;
  std::shared_ptr<executor> executor_;
  std::shared_ptr<constants const> prepared_;
  runtime_table table_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/kernel_call.inl.hpp"
#endif
