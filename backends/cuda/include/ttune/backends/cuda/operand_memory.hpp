// SPDX-License-Identifier: Apache-2.0
// Device memory for the operands of kernels with the same signature.
#pragma once

#include <cstddef>
#include <vector>

#include "ttune/backends/cuda/current_context.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Allocates memory for all operands; kernels may pass it on, with the content of their inputs.
class operand_memory final : public device_operands {
 public:
  /// Throws device_failure. The context must be current.
  operand_memory(context owner, kernel_signature const& signature) : context_(owner) {
    try {
      for (auto const& o : signature.operands) {
        auto& made = buffers_.emplace_back(buffer{0, static_cast<std::size_t>(o.bytes())});
        if (made.bytes > 0) check(cuMemAlloc(&made.at, made.bytes), "cuMemAlloc");
      }
    } catch (...) {
      release();
      throw;
    }
  }
  operand_memory(operand_memory const&) = delete;
  operand_memory& operator=(operand_memory const&) = delete;
  ~operand_memory() override { release(); }

  struct buffer {
    device_pointer at = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] std::vector<buffer> const& buffers() const noexcept { return buffers_; }
  /// Returns true if kernels with this signature can use the memory in this context.
  [[nodiscard]] bool fits(context in, kernel_signature const& signature) const {
    bool same = in == context_ && signature.operands.size() == buffers_.size();
    for (std::size_t i = 0; same && i < buffers_.size(); ++i)
      same = buffers_[i].bytes == static_cast<std::size_t>(signature.operands[i].bytes());
    return same;
  }

 private:
  /// Ignores errors: after a failure of the device there is no remedy.
  void release() noexcept {
    try {
      current_context const here(context_);
      for (auto const& b : buffers_)
        if (b.at != 0) (void)cuMemFree(b.at);
    } catch (backend_error const&) {
    }
  }

  context context_;
  std::vector<buffer> buffers_;
};

}}}  // namespace ttune::v0::cuda
