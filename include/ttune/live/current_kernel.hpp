// SPDX-License-Identifier: Apache-2.0
// A kernel that another one may replace while threads call it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A call reads one pointer. Kernels that were replaced stay until this object ends, since calls may still run in them
/// and nothing tells when those return; there are few, because each is faster than the one before by a margin.
template <class Kernel>
class current_kernel {
 public:
  explicit current_kernel(Kernel first) { replace(std::move(first)); }

  [[nodiscard]] Kernel const& get() const noexcept { return *now_.load(std::memory_order_acquire); }
  /// Calls that begin after the return use the new kernel; no call waits.
  void replace(Kernel by) {
    std::scoped_lock const lock(guard_);
    now_.store(all_.emplace_back(std::make_unique<Kernel const>(std::move(by))).get(), std::memory_order_release);
  }

 private:
  std::atomic<Kernel const*> now_{nullptr};
  std::mutex guard_;
  std::vector<std::unique_ptr<Kernel const>> all_;
};

}}}  // namespace ttune::v0::detail
