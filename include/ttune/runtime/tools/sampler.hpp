// SPDX-License-Identifier: Apache-2.0
// A profiler inside of the process, for TTUNE_TOOLS=samples: a timer interrupts each thread at each millisecond of its
// processor time (or each tick of the system, if that is longer), and the line of a kernel that it interrupts is
// counted. It needs no privileges, and no counters.
#pragma once

#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/tools/sampled_kernel.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// The profiler of this process. It uses the signal SIGPROF. Children that are forked have no timers: they are not
/// sampled.
class sampler {
 public:
  /// There is one, which stays until the process ends: a handler may run at any time.
  [[nodiscard]] static sampler& of_process();

  /// Begins to sample all threads; does nothing if it has begun. Throws backend_error if the program has a handler for
  /// SIGPROF, or if there are no timers.
  void start();
  /// Counts samples of a kernel's code from now on. The addresses must not be used again.
  void add(kernel_image const& image, std::uintptr_t code);
  /// Ends sampling; signals that are under way are ignored.
  void stop() noexcept;
  /// Returns how many samples there are, and the texts of the kernels that have some, the most first.
  [[nodiscard]] std::string text();
  /// Writes that text to `ttune-PID.samples` when the process ends.
  void write_at_exit();

 private:
  /// Addresses of a kernel. Ranges are added only, so that a handler can go through them.
  struct range {
    std::uintptr_t begin;
    std::uintptr_t end;
    sampled_kernel* kernel;
    range const* next;
  };

  sampler() = default;
  static void on_signal(int number, siginfo_t* info, void* context) noexcept;
  void count(std::uintptr_t instruction) noexcept;
  void watch_threads();
  void find_threads();
  void write() noexcept;

  std::mutex one_at_a_time_;
  std::deque<sampled_kernel> kernels_;
  std::deque<range> ranges_;
  std::atomic<range const*> newest_ = nullptr;
  std::atomic<std::uint64_t> samples_ = 0;
  std::map<int, timer_t> timers_;  ///< by thread
  std::thread watcher_;            ///< finds new threads
  std::condition_variable wakes_;
  bool running_ = false;
  int writes_in_ = -1;  ///< the process that writes the file
};

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/sampler.inl.hpp"
#endif
