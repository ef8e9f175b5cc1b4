// SPDX-License-Identifier: Apache-2.0
// Threads that work beside each other need a processor each.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>

#include "ttune/support/config.hpp"

namespace ttune::inline v0::detail {

/// Keeps the calling thread off a processor that it would have to share with a thread it works beside. Schedulers that
/// pack threads to save power, or that find no idle processor when they wake one, put both on the same.
class elbow_room {
 public:
  elbow_room() noexcept { known_ = pthread_getaffinity_np(pthread_self(), sizeof allowed_, &allowed_) == 0; }
  /// If the thread is on that processor, it moves to another one that it may use. A few microseconds then, else a few
  /// nanoseconds.
  void leave(int processor) noexcept {
    if (!known_ || processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor) return;
    auto others = allowed_;
    CPU_CLR(static_cast<std::size_t>(processor), &others);
    if (CPU_COUNT(&others) > 0) moved_ = pthread_setaffinity_np(pthread_self(), sizeof others, &others) == 0;
  }
  /// The thread may go where it likes again.
  void give_up() noexcept {
    if (moved_) (void)pthread_setaffinity_np(pthread_self(), sizeof allowed_, &allowed_);
    moved_ = false;
  }

 private:
  cpu_set_t allowed_;
  bool known_ = false;
  bool moved_ = false;
};

}  // namespace ttune::inline v0::detail
