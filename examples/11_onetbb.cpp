// SPDX-License-Identifier: Apache-2.0
// Kernels on the threads of oneTBB, in an arena that the application may share.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ttune.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

namespace {

/// Executor on a TBB arena. A thread that waits for its loop may take a task of another one, so a call from within a
/// task runs its tasks at once: tasks of one worker must not overlap, since kernels have scratch memory per worker.
class tbb_executor final : public ttune::executor {
 public:
  [[nodiscard]] std::int32_t threads() const noexcept override { return arena_.max_concurrency(); }
  void parallel(ttune::parallel_body body, void* closure, std::int64_t tasks) override {
    if (worker_ >= 0) {
      for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, worker_);
      return;
    }
    arena_.execute([&] {
      oneapi::tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t t) {
        worker_ = oneapi::tbb::this_task_arena::current_thread_index();
        body(closure, t, worker_);
        worker_ = -1;
      });
    });
  }

 private:
  oneapi::tbb::task_arena arena_;
  static inline thread_local std::int32_t worker_ = -1;  ///< worker number of the task that this thread runs
};

int run() {
  ttune::tuner tuner{ttune::orc_backend{},
                     {.worker = ttune::worker::self{}, .executor = std::make_shared<tbb_executor>()}};
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
