// SPDX-License-Identifier: Apache-2.0
// A lock that one thread may take and another one give back: tunings of a tuner exclude each other, and may move.
#pragma once

#include <condition_variable>
#include <mutex>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// For std::scoped_lock, as a mutex that no thread owns.
class one_at_a_time {
 public:
  void lock() {
    std::unique_lock waiting(guard_);
    free_.wait(waiting, [this] { return !taken_; });
    taken_ = true;
  }
  void unlock() noexcept {
    {
      std::scoped_lock const lock(guard_);
      taken_ = false;
    }
    free_.notify_one();
  }

 private:
  std::mutex guard_;
  std::condition_variable free_;
  bool taken_ = false;
};

}}}  // namespace ttune::v0::detail
