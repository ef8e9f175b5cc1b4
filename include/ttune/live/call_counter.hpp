// SPDX-License-Identifier: Apache-2.0
// Counts the calls of a kernel, and times some of them, without any lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Calls so far, by a counter.
struct call_totals {
  std::uint64_t calls = 0;
  std::uint64_t timed = 0;  ///< calls that were timed
  double timed_seconds = 0;

  /// Returns the mean of the timed calls; 0 if there were none.
  [[nodiscard]] double seconds_each() const noexcept {
    return timed > 0 ? timed_seconds / static_cast<double>(timed) : 0;
  }
  /// Returns what came after an earlier moment.
  [[nodiscard]] call_totals since(call_totals const& earlier) const noexcept {
    return {calls - earlier.calls, timed - earlier.timed, timed_seconds - earlier.timed_seconds};
  }
};

/// Threads count in lines of memory of their own, as far as there are enough: two threads that share a line may lose
/// counts, which are statistics. A call costs one or two nanoseconds; one call of 64 is timed.
class call_counter {
 public:
  static constexpr std::uint64_t timed_each = 64;

  /// Counts a call of this thread; returns true if it is to be timed. The first call is.
  [[nodiscard]] bool count() noexcept {
    auto& calls = mine().calls;
    auto const before = calls.load(std::memory_order_relaxed);
    calls.store(before + 1, std::memory_order_relaxed);
    return before % timed_each == 0;
  }
  void add_time(double seconds) noexcept {
    auto& own = mine();
    own.timed.fetch_add(1, std::memory_order_relaxed);
    if (seconds > 0) own.nanoseconds.fetch_add(static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
  }
  [[nodiscard]] call_totals totals() const noexcept {
    call_totals made;
    for (auto const& l : lines_) {
      made.calls += l.calls.load(std::memory_order_relaxed);
      made.timed += l.timed.load(std::memory_order_relaxed);
      made.timed_seconds += 1e-9 * static_cast<double>(l.nanoseconds.load(std::memory_order_relaxed));
    }
    return made;
  }

 private:
  struct alignas(64) line {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> timed{0};
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  static constexpr int log2_lines = 4;

  /// Returns the line of this thread: the address of something that each thread has tells threads apart.
  [[nodiscard]] line& mine() noexcept {
    static thread_local char here = 0;
    auto const mixed = reinterpret_cast<std::uintptr_t>(&here) * std::uint64_t{0x9E3779B97F4A7C15};
    return lines_[static_cast<std::size_t>(mixed >> (64 - log2_lines))];
  }

  std::array<line, std::size_t{1} << log2_lines> lines_;
};

}}}  // namespace ttune::v0::detail
