// SPDX-License-Identifier: Apache-2.0
// Kernels on the threads of OpenMP: no second set of threads in a program that has its own parallel loops.
#include <omp.h>
#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ttune.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

namespace {

/// Executor on OpenMP. A call from within a task, or from a parallel loop of the application, runs its tasks at once.
class openmp_executor final : public ttune::executor {
 public:
  [[nodiscard]] std::int32_t threads() const noexcept override { return omp_get_max_threads(); }
  void parallel(ttune::parallel_body body, void* closure, std::int64_t tasks) override {
    if (omp_in_parallel() != 0) {
      for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, omp_get_thread_num());
      return;
    }
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, omp_get_thread_num());
  }
};

int run() {
  ttune::tuner tuner{ttune::orc_backend{},
                     {.worker = ttune::worker::self{}, .executor = std::make_shared<openmp_executor>()}};
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
