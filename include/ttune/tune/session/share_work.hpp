// SPDX-License-Identifier: Apache-2.0
// Divides the items of a stage among threads: each takes the next item until none is left.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "ttune/tune/session/deadline.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Calls `work(thread, item)` for the items [0, n) and returns n: `count`, or fewer if the deadline passed. Threads are
/// numbered from 0 on; the caller is thread 0, and only it looks at the deadline. Rethrows the first exception.
template <class Work>
std::size_t share_work(std::size_t count, std::size_t threads, deadline const& until, Work const& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> over{false};
  std::mutex guard;
  std::exception_ptr failure;
  auto const work_as = [&](std::size_t thread) noexcept {
    try {
      while (!over && !(thread == 0 && until.passed())) {
        auto const item = next++;
        if (item >= count) return;
        work(thread, item);
      }
    } catch (...) {
      std::scoped_lock const lock(guard);
      if (!failure) failure = std::current_exception();
    }
    over = true;
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back([&work_as, t] { work_as(t); });
    work_as(0);
  }
  if (failure) std::rethrow_exception(failure);
  return std::min(next.load(), count);  // a thread finishes the item that it took
}

}}}  // namespace ttune::v0::detail
