// SPDX-License-Identifier: Apache-2.0
// The executor of a tuner in the background: it leaves the application's threads alone.
#pragma once

#include <cstdint>

#include "ttune/runtime/executor.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Has as many threads as another executor, so that kernels are made and measured for that, and runs all tasks on the
/// calling thread: scores of candidates are computed at the priority and at the expense of the tuning.
class background_executor final : public executor {
 public:
  explicit background_executor(std::int32_t threads) noexcept : threads_(threads) {}
  [[nodiscard]] std::int32_t threads() const noexcept override { return threads_; }
  TTUNE_CALLS_MACHINE_CODE void parallel(parallel_body body, void* closure, std::int64_t tasks) override {
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, 0);
  }

 private:
  std::int32_t threads_;
};

}}}  // namespace ttune::v0::detail
