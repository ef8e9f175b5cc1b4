// SPDX-License-Identifier: Apache-2.0
// Core placement: threads that work in parallel must not share a processor.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Moves the calling thread away from a processor that a cooperating thread occupies. Schedulers that pack threads to
/// save power, or that find no idle processor when they wake a thread, put both on the same processor.
class core_placement {
 public:
  core_placement() noexcept { known_ = pthread_getaffinity_np(pthread_self(), sizeof allowed_, &allowed_) == 0; }
  /// Moves the thread to another allowed processor if it runs on `processor`. Costs a few microseconds when the thread
  /// moves, else a few nanoseconds.
  void leave(int processor) noexcept {
    if (!known_ || processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor) return;
    auto others = allowed_;
    CPU_CLR(static_cast<std::size_t>(processor), &others);
    if (CPU_COUNT(&others) > 0) moved_ = pthread_setaffinity_np(pthread_self(), sizeof others, &others) == 0;
  }
  /// Restores the thread's original affinity mask.
  void give_up() noexcept {
    if (moved_) (void)pthread_setaffinity_np(pthread_self(), sizeof allowed_, &allowed_);
    moved_ = false;
  }

 private:
  cpu_set_t allowed_;
  bool known_ = false;
  bool moved_ = false;
};

}}}  // namespace ttune::v0::detail
