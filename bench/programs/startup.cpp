// SPDX-License-Identifier: Apache-2.0
// startup DATABASE: an application as users write it. It finds a kernel, calls it, checks the result, and prints steady
// nanoseconds at the start of main, after it has a kernel, and after the right result.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace {

long long steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int run(char const* database, long long at_main) {
  constexpr std::int64_t m = 512, n = 1024, k = 256;
  ttune::tuner tuner{ttune::orc_backend{},
                     {.model = ttune::xgboost{}, .records = ttune::sqlite{database}, .worker = ttune::worker::self{}}};
  auto const kernel = tuner.tune(ttune::ops::matmul(m, n, k), {.trials = 1});
  auto const at_kernel = steady_now();
  std::vector<float> a(m * k, 0.5F), b(k * n, 2.0F), c(m * n, -1.0F);
  kernel(a, b, c);
  for (auto const x : c)
    if (x != static_cast<float>(k)) {  // sums of ones: exact in any order
      std::fprintf(stderr, "wrong result\n");
      return EXIT_FAILURE;
    }
  bool const stored = kernel.report().source == ttune::tuning_report::origin::record;
  std::printf("%lld %lld %lld %s\n", at_main, at_kernel, steady_now(), stored ? "record" : "tuned");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  auto const at_main = steady_now();
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  if (argc != 2) return EXIT_FAILURE;
  try {
    return run(argv[1], at_main);
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return EXIT_FAILURE;
  }
}
