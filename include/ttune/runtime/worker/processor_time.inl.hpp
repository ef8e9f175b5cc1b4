// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <utility>

#include "ttune/runtime/worker/processor_time.hpp"

namespace ttune { inline namespace v0 { namespace worker {

namespace detail {

/// Returns the innermost object of this thread; null if there is none.
inline counting_workers*& innermost_counting() noexcept {
  static thread_local counting_workers* innermost = nullptr;
  return innermost;
}

/// Returns the processor time of a running process of ours; 0 if the system does not tell.
inline double processor_seconds_of(pid_t id) noexcept {
  clockid_t clock{};
  timespec t{};
  if (::clock_getcpuclockid(id, &clock) != 0 || ::clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace detail

void processor_time::started(pid_t id) {
  std::scoped_lock const lock(guard_);
  running_[id] = 0;
}

void processor_time::ended(pid_t id, double seconds) noexcept {
  std::scoped_lock const lock(guard_);
  auto const at = running_.find(id);
  if (at == running_.end()) return;
  ended_ += std::max(at->second, seconds);
  running_.erase(at);
}

double processor_time::seconds() {
  std::scoped_lock const lock(guard_);
  auto sum = ended_;
  for (auto& [id, known] : running_) sum += known = std::max(known, detail::processor_seconds_of(id));
  return sum;
}

counting_workers::counting_workers(std::shared_ptr<processor_time> in) noexcept
    : in_(std::move(in)), outer_(std::exchange(detail::innermost_counting(), this)) {}

counting_workers::~counting_workers() { detail::innermost_counting() = outer_; }

std::shared_ptr<processor_time> counting_workers::current() {
  auto const* const innermost = detail::innermost_counting();
  return innermost ? innermost->in_ : nullptr;
}

}}}  // namespace ttune::v0::worker
