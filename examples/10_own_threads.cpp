// SPDX-License-Identifier: Apache-2.0
// Kernels on the application's own threads: an executor implements two functions. This one passes tasks to a pool with
// a queue, as many programs have one.
#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ttune.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <iostream>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

/// The application's thread pool: threads that take jobs from a queue.
class application_pool {
 public:
  explicit application_pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this](std::stop_token const& stop) { serve(stop); });
  }
  void submit(std::function<void()> job) {
    {
      std::lock_guard const lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }
  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()); }

 private:
  void serve(std::stop_token const& stop) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return !jobs_.empty(); })) return;
      auto const job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::jthread> threads_;  // last member: the threads end before the members that they use
};

/// Executor on the application's pool. The caller is worker 0; each job is a worker with its own number while it takes
/// tasks. A call from within a task runs its tasks at once, under the number of that task, since kernels have scratch
/// memory per worker.
class pool_executor final : public ttune::executor {
 public:
  explicit pool_executor(application_pool& pool) : pool_(pool) {}
  [[nodiscard]] std::int32_t threads() const noexcept override { return pool_.size() + 1; }
  void parallel(ttune::parallel_body body, void* closure, std::int64_t tasks) override {
    if (worker_ >= 0) return take_all(body, closure, tasks, worker_);
    std::atomic<std::int64_t> next{0};
    auto const take = [&](std::int32_t worker) {
      auto const before = std::exchange(worker_, worker);
      for (auto t = next.fetch_add(1); t < tasks; t = next.fetch_add(1)) body(closure, t, worker);
      worker_ = before;
    };
    auto const helpers = static_cast<std::int32_t>(std::min<std::int64_t>(pool_.size(), tasks - 1));
    std::latch done(std::max(helpers, 0));
    for (std::int32_t w = 1; w <= helpers; ++w)
      pool_.submit([&, w] {
        take(w);
        done.count_down();
      });
    take(0);
    done.wait();
  }

 private:
  static void take_all(ttune::parallel_body body, void* closure, std::int64_t tasks, std::int32_t worker) {
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, worker);
  }
  application_pool& pool_;
  static inline thread_local std::int32_t worker_ = -1;  ///< worker number of the task that this thread runs
};

int run() {
  application_pool pool(2);
  ttune::tuner tuner{ttune::orc_backend{},
                     {.worker = ttune::worker::self{}, .executor = std::make_shared<pool_executor>(pool)}};
  auto const kernel = tuner.tune(ttune::ops::matmul(256, 256, 64), {.trials = 8});
  std::vector<float> const a(256 * 64, 0.5F), b(64 * 256, 2.0F);
  std::vector<float> c(256 * 256);
  for (int i = 0; i < 100; ++i) kernel(a, b, c);
  std::cout << kernel.report();
  return c == std::vector<float>(256 * 256, 64.0F) ? EXIT_SUCCESS : EXIT_FAILURE;  // 64 · 0.5 · 2
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    return run();
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
