// SPDX-License-Identifier: Apache-2.0
// A tuner is killed with -9 after a certain trial: the next start has its kernel at once, and goes on.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "robustness/tuning.hpp"
#include "support/child.hpp"
#include "support/main.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/sqlite.hpp"

namespace continued_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

constexpr std::int64_t trials = 8;

bool is_lines(std::string const& path) { return path.ends_with(".jsonl"); }

shared_store records_in(std::string const& path) {
  if (is_lines(path)) return json_lines(path);
  return sqlite(path);
}

tuning_report tune_into(std::string const& path, tuning_budget const& budget, std::int64_t killed_after = 0) {
  auto options = one_thread_options();
  options.records = records_in(path);
  options.on_progress = [=](progress const& p) {
    if (p.trials_done == killed_after) ::kill(::getpid(), SIGKILL);
  };
  return tune_copy({slow(), slow(), right(), slow(), code::null_write(), right()}, options, budget).report;
}

/// PROGRAM --tune-until TRIAL FILE
at_start const as_tuner{[](int argc, char** argv) {
  if (argc != 4 || std::string(argv[1]) != "--tune-until") return -1;
  (void)tune_into(argv[3], {.trials = trials}, std::stoll(argv[2]));
  return 0;
}};

}  // namespace

TEST_CASE("robustness: a tuning that was killed with -9 is used at once, and goes on at the next start") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  for (auto const* const ending : {".db", ".jsonl"})
    for (std::int64_t const killed : {1, 2, 5, 8}) {
      auto const path = folder / ("records" + std::to_string(killed) + ending);
      CAPTURE(path);
      child dying({"--tune-until", std::to_string(killed), path});
      REQUIRE(dying.started());
      CHECK(dying.wait() == -SIGKILL);
      CHECK(records_in(path)->count() == killed);
      auto const at_once = tune_into(path, effort::estimate);
      CHECK(at_once.source == tuning_report::origin::record);
      CHECK(at_once.trials == 0);
      REQUIRE(at_once.effort);
      CHECK(at_once.effort.ended == recorded_effort::ending::cut_short);
      CHECK(at_once.effort.trials == killed);
      auto const next = tune_into(path, {.trials = trials});
      CHECK(next.continued);
      CHECK(next.trials == std::max<std::int64_t>(4, trials - killed));
      CHECK(next.effort.trials == killed + next.trials);
      auto const last = tune_into(path, {.trials = trials});
      CHECK(last.source == tuning_report::origin::record);
      CHECK(last.trials == 0);
      CHECK(last.effort == next.effort);
    }
}

TEST_CASE("robustness: a tuning that is killed at each start comes to its end") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const path = folder / "records.db";
  std::int64_t before = 0;
  int starts = 0;
  for (; starts < 6; ++starts) {
    child dying({"--tune-until", "3", path});
    if (dying.wait() == 0) break;
    auto const so_far = tune_into(path, effort::estimate).effort.trials;
    CHECK(so_far > before);
    before = so_far;
    if (so_far >= trials) break;
  }
  CHECK(starts < 6);
  CHECK(tune_into(path, {.trials = trials}).effort.ended == recorded_effort::ending::at_limit);
}

}  // namespace continued_tests
