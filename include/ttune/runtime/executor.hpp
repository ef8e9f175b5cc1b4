// SPDX-License-Identifier: Apache-2.0
// Who runs the tasks of parallel loops. Applications may bring their own; the default forks and joins in well under a
// microsecond when called back to back.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "ttune/runtime/abi.hpp"

namespace ttune::inline v0 {

/// Safe to use from many threads at once. An own one must run a call made from within a task, and pass it the worker
/// number of that task (tasks of one worker never overlap, and scratch memory is indexed by it).
class executor {
 public:
  executor() = default;
  executor(executor const&) = delete;
  executor& operator=(executor const&) = delete;
  virtual ~executor() = default;
  /// The most workers that `parallel` uses; their numbers are below it.
  [[nodiscard]] virtual std::int32_t threads() const noexcept = 0;
  /// Runs each task once and returns when all are done. Tasks are machine code and do not throw. What this throws, when
  /// none of its tasks runs any more, comes out of the kernel's call, if it is thrown on the thread that made that; on
  /// another thread, from within a task, it ends the program.
  virtual void parallel(parallel_body body, void* closure, std::int64_t tasks) = 0;
};

/// Everything on the calling thread.
class serial_executor final : public executor {
 public:
  [[nodiscard]] std::int32_t threads() const noexcept override { return 1; }
  TTUNE_CALLS_MACHINE_CODE void parallel(parallel_body body, void* closure, std::int64_t tasks) override {
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, 0);
  }
};

/// A pool of threads that take chunks of tasks from either end of what is left; the caller takes part. After a region
/// the others spin for 50 us, yield for as long again, then sleep; waking them takes some 20 us. One that finds itself
/// on the caller's processor moves to another. A call from within a task runs on the calling thread, and so does a call
/// while another thread has the pool. After a fork the child computes alone.
class thread_pool final : public executor {
 public:
  /// 0: as many as this process may use (`usable_cpus`). Has fewer if the system grants no more.
  explicit thread_pool(std::int32_t threads = 0);
  ~thread_pool() override;
  [[nodiscard]] std::int32_t threads() const noexcept override;
  void parallel(parallel_body body, void* closure, std::int64_t tasks) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::int32_t granted_ = 1;
};

/// The pool that kernels use unless told otherwise: made when first asked for, never destroyed, since kernels may run
/// while the program ends. The only mutable global of the library.
[[nodiscard]] std::shared_ptr<executor> default_executor();

namespace detail {

/// While it lives, what an executor throws on this thread is kept for `rethrow`: exceptions cannot pass machine code.
class executor_failures {
 public:
  executor_failures() noexcept : outer_(std::exchange(innermost_, this)) {}
  executor_failures(executor_failures const&) = delete;
  executor_failures& operator=(executor_failures const&) = delete;
  ~executor_failures() { innermost_ = outer_; }
  /// Throws the first that was kept, if any.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }
  /// Keeps the exception that is being handled; ends the program if no such object lives on this thread.
  static void keep() noexcept;

 private:
  static inline thread_local executor_failures* innermost_ = nullptr;  ///< on this thread
  executor_failures* const outer_;
  std::exception_ptr first_;
};

}  // namespace detail

/// The table that a kernel is called with. `on` must outlive it.
[[nodiscard]] runtime_table make_runtime_table(executor& on);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/executor.inl.hpp"
#endif
