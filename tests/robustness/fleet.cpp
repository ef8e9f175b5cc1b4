// SPDX-License-Identifier: Apache-2.0
// A tuning with two workers, one of which is killed at random moments: the results of all trials are as without kills,
// and the records name the worker that made them.
#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "robustness/tuning.hpp"
#include "support/main.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "support/worker_command.hpp"
#include "ttune/records/memory_store.hpp"

namespace fleet_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

}  // namespace

TEST_CASE("robustness: a fleet with a repeatedly killed worker loses no trial") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const id = folder / "id";
  INFO("TTUNE_SEED=", seed());
  std::atomic<int> kills = 0;
  std::jthread const killer([&](std::stop_token const& end) {
    std::mt19937 random(static_cast<unsigned>(seed()));
    while (!end.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::microseconds(1000 + random() % 40'000));
      if (send_signal(id, SIGKILL)) ++kills;
    }
  });
  auto const records = std::make_shared<memory_store>();
  auto options = one_thread_options(worker::fleet{{own_worker("a"), own_worker_with_id(id, "b")}});
  options.records = records;
  options.device = "nobody";
  std::int64_t const trials = long_run() ? 2000 : 40;
  std::set<std::string> devices;
  std::int64_t made = 0;
  // copies have few configurations each: use enough lengths for all trials
  for (std::int64_t elements = 4096; made < trials && elements < 4096 + 64 * 400; elements += 64) {
    auto const found = tuner(std::make_shared<scripted_backend>(std::vector{slow(elements), right(elements)}), options)
                           .tune(copy_program("copy", elements), {.trials = 8});
    made += found.report.trials;
    CHECK(found.report.trials_by_status[static_cast<std::size_t>(trial_status::ok)] +
              found.report.trials_by_status[static_cast<std::size_t>(trial_status::cut_off)] ==
          found.report.trials);
  }
  records->for_each([&](record const& r) {
    devices.insert(r.device);
    return true;
  });
  CHECK(made >= trials);
  CHECK(kills > 0);
  CHECK(devices.contains("a"));
  CHECK_FALSE(devices.contains("nobody"));
  CHECK_FALSE(devices.contains(""));
  MESSAGE(made, " trials, ", kills.load(), " kills");
}

}  // namespace fleet_tests
