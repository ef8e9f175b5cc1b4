// SPDX-License-Identifier: Apache-2.0
// A wall clock that jumps by hours at each read must not affect budgets and measurements.
#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "robustness/tuning.hpp"
#include "support/main.hpp"
#include "support/sanitized.hpp"
#include "ttune/records/memory_store.hpp"

namespace clock_tests {

using namespace ttune;
using namespace ttune_test;

#if !TTUNE_TEST_SANITIZED  // their runtimes define clock_gettime, too

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

std::atomic<bool> jumping{false};
std::atomic<int> jumps{0};

}  // namespace

/// Replaces the C library's function: the time of day jumps by up to twelve hours in both directions.
extern "C" int clock_gettime(clockid_t which, struct timespec* now) noexcept {
  auto const status = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
  if (which == CLOCK_REALTIME && jumping) now->tv_sec += (++jumps * 7919 % 25 - 12) * 3600;
  return status;
}

TEST_CASE("robustness: a clock that jumps changes no budget and no measurement") {
  TTUNE_SKIP_UNLESS_X86();
  jumping = true;
  auto const there = std::chrono::system_clock::now();
  auto const then = std::chrono::system_clock::now();
  bool const jumped = then - there > std::chrono::hours(1) || there - then > std::chrono::hours(1);
  jumps = 0;
  auto const store = std::make_shared<memory_store>();
  auto options = one_thread_options();
  options.records = store;
  auto const all = tune_copy({slow(), right()}, options, {.trials = 8, .time = std::chrono::minutes(30)});
  auto const asked = jumps.load();
  auto const brief =
      tune_copy({slow(), right()}, one_thread_options(), {.trials = 100'000, .time = std::chrono::milliseconds(0)});
  jumping = false;

  REQUIRE(jumped);
  CHECK(asked >= 8);  // this clock is read for the date of each record, and for nothing else
  CHECK(all.report.trials == 8);
  CHECK(all.report.stopped_because == "all trials were made");
  CHECK(all.report.source == tuning_report::origin::tuned);
  CHECK(all.report.tuning_seconds > 0);
  CHECK(all.report.tuning_seconds < 1800);
  CHECK(all.report.seed_seconds > 0);
  CHECK(all.report.seed_seconds < 1);
  CHECK(brief.report.trials == 1);
  store->for_each([](record const& r) {
    CHECK(r.result.measure_seconds >= 0);
    CHECK(r.result.measure_seconds < 1800);
    return true;
  });
}

#endif

}  // namespace clock_tests
