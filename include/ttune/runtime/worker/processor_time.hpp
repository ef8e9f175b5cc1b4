// SPDX-License-Identifier: Apache-2.0
// The processor time of worker processes, while they run and after they ended.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace worker {

/// Adds up the processor time of the workers that a thread starts while a `counting_workers` object lives there.
/// Thread-safe.
class processor_time {
 public:
  void started(pid_t id);
  /// `seconds` is the processor time of the ended process, as `wait4` tells it.
  void ended(pid_t id, double seconds) noexcept;
  /// Returns the seconds of all workers so far, those that run included; it never decreases.
  [[nodiscard]] double seconds();

 private:
  std::mutex guard_;
  std::map<pid_t, double> running_;  ///< with the seconds that were known last
  double ended_ = 0;
};

/// While it lives, workers that this thread starts are counted.
class counting_workers {
 public:
  explicit counting_workers(std::shared_ptr<processor_time> in) noexcept;
  counting_workers(counting_workers const&) = delete;
  counting_workers& operator=(counting_workers const&) = delete;
  ~counting_workers();
  /// Returns where workers of this thread are counted; null if they are not.
  [[nodiscard]] static std::shared_ptr<processor_time> current();

 private:
  std::shared_ptr<processor_time> in_;
  counting_workers* outer_;
};

}}}  // namespace ttune::v0::worker

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/worker/processor_time.inl.hpp"
#endif
