// SPDX-License-Identifier: Apache-2.0
// What the programs of suite startup do: find a kernel, call it, check it, and say on standard output when that was:
// steady nanoseconds at the start of main, with a kernel at hand, and after the first correct result.
#pragma once

#include <ttune/ops/matmul.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace ttune_bench {

inline long long steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// `make_tuner(path of the database)`; exit status for main.
template <class MakeTuner>
int first_result(char const* database, MakeTuner const& make_tuner) {
  auto const at_main = steady_now();
  try {
    constexpr std::int64_t m = 512, n = 1024, k = 256;
    auto tuner = make_tuner(database);
    auto const kernel = tuner.tune(ttune::ops::matmul(m, n, k), {.trials = 1});
    auto const at_kernel = steady_now();
    std::vector<float> a(m * k, 0.5F), b(k * n, 2.0F), c(m * n, -1.0F);
    kernel(a, b, c);
    for (auto const x : c)
      if (x != static_cast<float>(k)) {  // sums of ones: exact in any order
        std::fprintf(stderr, "wrong result\n");
        return EXIT_FAILURE;
      }
    std::printf("%lld %lld %lld %s\n", at_main, at_kernel, steady_now(),
                kernel.report().source == ttune::tuning_report::origin::record ? "record" : "tuned");
    return EXIT_SUCCESS;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return EXIT_FAILURE;
  }
}

}  // namespace ttune_bench
