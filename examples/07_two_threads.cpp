// SPDX-License-Identifier: Apache-2.0
// One tuner, two threads: each requests the operators it needs, while finished kernels are in use. A tuner tunes one
// workload at a time, so the second thread waits, and finds the first thread's result in the records.
#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/memory_store.hpp>
#include <ttune/ttune.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace ttune::literals;

struct answer {
  ttune::tuning_report report;
  bool right = false;
  std::string failure;
};

/// The work of a thread: C = A B with (rows, 64) · (64, 48), called from this thread.
void work(ttune::tuner& tuner, int rows, answer& to) try {
  auto const kernel = tuner.tune(ttune::ops::matmul(rows, 48, 64), {.trials = 16, .time = 5s});
  auto const size = static_cast<std::size_t>(rows);
  std::vector<float> const a(size * 64, 0.5F), b(64 * 48, 2.0F);
  std::vector<float> c(size * 48);
  for (int i = 0; i < 1000; ++i) kernel(a, b, c);
  to.right = c == std::vector<float>(size * 48, 64.0F);  // 64 · 0.5 · 2
  to.report = kernel.report();
} catch (std::exception const& failure) {  // exceptions must not leave a thread
  to.failure = failure.what();
}

int run() {
  ttune::tuner tuner{ttune::orc_backend{}, {.records = ttune::memory_store{}, .worker = ttune::worker::self{}}};
  std::vector<answer> answers(3);
  {
    std::jthread const first(work, std::ref(tuner), 100, std::ref(answers[0]));
    std::jthread const second(work, std::ref(tuner), 100, std::ref(answers[1]));  // the same operator
    work(tuner, 7, answers[2]);                                                   // another shape
  }
  int tuned_here = 0;
  for (auto const& a : answers) {
    if (!a.failure.empty()) throw std::runtime_error(a.failure);
    std::cout << a.report;
    if (!a.right) return EXIT_FAILURE;
    tuned_here += a.report.source == ttune::tuning_report::origin::record ? 0 : 1;
  }
  return tuned_here == 2 ? EXIT_SUCCESS : EXIT_FAILURE;  // two operators, three threads
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
