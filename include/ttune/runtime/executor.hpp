// SPDX-License-Identifier: Apache-2.0
// Executors run the tasks of parallel loops. An application may bring its own; the default thread pool forks and joins
// in well under a microsecond when called back to back.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "ttune/runtime/abi.hpp"

namespace ttune { inline namespace v0 {

/// Interface of executors. An executor is thread-safe. A user-defined one must support a call made from within a task;
/// that call must pass on the worker number of the task (tasks of one worker never overlap, and the worker number
/// selects the scratch memory).
class executor {
 public:
  executor() = default;
  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;
  virtual ~executor() = default;
  /// Returns the upper bound of the workers that `parallel` uses; worker numbers are below it.
  [[nodiscard]] virtual std::int32_t threads() const noexcept = 0;
  /// Runs each task once and returns when all are done. Tasks are machine code and do not throw. An exception thrown by
  /// this function leaves the kernel call, provided that no task is running any more and that it is thrown on the
  /// thread that called the kernel. On another thread, from within a task, it ends the program.
  virtual void parallel(parallel_body body, void* closure, std::int64_t tasks) = 0;
};

/// Executor that runs all tasks on the calling thread.
class serial_executor final : public executor {
 public:
  [[nodiscard]] std::int32_t threads() const noexcept override { return 1; }
  TTUNE_CALLS_MACHINE_CODE void parallel(parallel_body body, void* closure, std::int64_t tasks) override {
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, 0);
  }
};

/// A pool of threads that take chunks of tasks from either end of the remaining range; the caller takes part. After a
/// parallel region the other threads spin for 50 us, yield for another 50 us, then sleep; waking them takes about 20
/// us. A thread that finds itself on the caller's processor moves to another one. A nested call from within a task runs
/// on the calling thread, and so does a call while another thread uses the pool; for each such caller, a thread of
/// the pool pauses and leaves its core to it. In a forked child, all tasks run on the calling thread.
class thread_pool final : public executor {
 public:
  /// Starts a pool of `threads` threads, the caller included; 0 means as many as this process may use (`usable_cpus`).
  /// The pool has fewer threads if the system grants no more.
  explicit thread_pool(std::int32_t threads = 0);
  ~thread_pool() override;
  [[nodiscard]] std::int32_t threads() const noexcept override;
  void parallel(parallel_body body, void* closure, std::int64_t tasks) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::int32_t granted_ = 1;
};

/// The pool that kernels use by default. It is created at the first request and never destroyed, since kernels may run
/// while the program ends. It is the only mutable global of the library.
[[nodiscard]] std::shared_ptr<executor> default_executor();

namespace detail {

/// Stores the exceptions that executors throw on this thread, for `rethrow`: exceptions cannot pass through machine
/// code.
class executor_failures {
 public:
  executor_failures() noexcept : outer_(std::exchange(innermost_, this)) {}
  executor_failures(executor_failures const&) = delete;
  executor_failures& operator=(executor_failures const&) = delete;
  ~executor_failures() { innermost_ = outer_; }
  /// Throws the first stored exception, if there is one.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }
  /// Stores the exception that is being handled; ends the program if no executor_failures object exists on this thread.
  static void keep() noexcept;

 private:
  static inline thread_local executor_failures* innermost_ = nullptr;  ///< innermost object on this thread
  executor_failures* const outer_;
  std::exception_ptr first_;
};

}  // namespace detail

/// Builds the table that a kernel is called with. `on` must outlive the table.
[[nodiscard]] runtime_table make_runtime_table(executor& on);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/executor.inl.hpp"
#endif
