// SPDX-License-Identifier: Apache-2.0
// Two processes tune into one SQLite file and are killed with -9 at random moments: no trial whose callback has run is
// lost, none is stored twice, the file can be opened, and no worker outlives its tuner.
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "robustness/tuning.hpp"
#include "support/child.hpp"
#include "support/main.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/sqlite.hpp"

namespace killed_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

/// A tuner's message about one workload: the number of its trials in the file.
struct said {
  std::int64_t elements;
  std::int64_t trials;
};

constexpr std::int64_t first_elements = 1024;
constexpr std::int64_t last_elements = first_elements + 16 * 200;

/// PROGRAM --tune-into FILE NAME: copies of many lengths, in an order that all tuners share, so that they meet.
at_start const as_tuner{[](int argc, char** argv) {
  if (argc != 4 || std::string(argv[1]) != "--tune-into") return -1;
  auto options = one_thread_options();
  options.records = sqlite(argv[2]);
  options.device = argv[3];
  for (auto elements = first_elements; elements < last_elements; elements += 16) {
    options.on_progress = [=](progress const& p) {
      said const line{elements, p.trials_done};
      if (::write(STDOUT_FILENO, &line, sizeof line) != sizeof line) std::_Exit(3);
    };
    std::vector<code> const script{slow(elements), right(elements), code::null_write(), right(elements)};
    (void)tuner(std::make_shared<scripted_backend>(script), options)
        .tune(copy_program("copy", elements), {.trials = 6});
  }
  return 0;
}};

std::map<std::int64_t, std::int64_t> trials_said(std::string const& output) {
  std::map<std::int64_t, std::int64_t> trials;
  for (std::size_t at = 0; at + sizeof(said) <= output.size(); at += sizeof(said)) {
    said line{};
    std::memcpy(&line, output.data() + at, sizeof line);
    trials[line.elements] = std::max(trials[line.elements], line.trials);
  }
  return trials;
}

/// While such an object exists, orphaned children of killed children become children of this process.
struct adoption {
  adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  adoption(adoption const&) = delete;
  adoption& operator=(adoption const&) = delete;
  ~adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
  /// Waits until all of them end by themselves.
  [[nodiscard]] static bool all_gone(std::chrono::seconds patience) {
    auto const until = std::chrono::steady_clock::now() + patience;
    for (;;) {
      auto const gone = ::waitpid(-1, nullptr, WNOHANG);
      if (gone < 0 && errno == ECHILD) return true;
      if (gone == 0 && std::chrono::steady_clock::now() > until) return false;
      if (gone == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

using trials_by_length = std::map<std::int64_t, std::int64_t>;

/// Returns records by tuner and length; fails for a record that is stored twice.
std::map<std::string, trials_by_length> trials_in(sqlite const& store) {
  std::map<std::string, trials_by_length> found;
  std::set<std::uint64_t> seen;
  store.for_each([&](record const& r) {
    CHECK(seen.insert(hash_of(r)).second);
    ++found[r.device][r.key.extents.at(0)];
    return true;
  });
  return found;
}

}  // namespace

TEST_CASE("robustness: killed tuners lose no reported trial") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const path = folder / "records.db";
  std::mt19937 random(static_cast<unsigned>(seed()));
  INFO("TTUNE_SEED=", seed());
  adoption const adopted;
  int const rounds = long_run() ? 50 : 10;
  std::int64_t told = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::pair<std::string, trials_by_length>> outcome;
    {
      // the lengths of earlier rounds are known: tuners find some of them in the file and go on with the next
      std::string const names[] = {"a" + std::to_string(round), "b" + std::to_string(round)};
      child a({"--tune-into", path, names[0]}), b({"--tune-into", path, names[1]});
      REQUIRE((a.started() && b.started()));
      std::this_thread::sleep_for(std::chrono::microseconds(20'000 + random() % 280'000));
      a.kill_now();
      outcome.emplace_back(names[0], trials_said(a.read_all()));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
      b.kill_now();
      outcome.emplace_back(names[1], trials_said(b.read_all()));
    }
    CHECK(adoption::all_gone(std::chrono::seconds(20)));
    auto const found = trials_in(sqlite(path));
    for (auto const& [name, lengths] : outcome)
      for (auto const& [elements, trials] : lengths) {
        INFO(name, ", ", elements, " elements");
        auto const there = found.contains(name) && found.at(name).contains(elements) ? found.at(name).at(elements) : 0;
        CHECK(there >= trials);
        CHECK(there <= trials + 2);  // at most one unreported trial, and the winner, timed once more
        told += trials;
      }
  }
  CHECK(told > 0);
  MESSAGE(told, " trials told of before ", 2 * rounds, " kills");

  // afterwards a start finds its kernel in the file
  auto options = one_thread_options();
  options.records = sqlite(path, record_mode::must_hit);
  std::vector<code> const script{right(first_elements)};
  auto const served =
      tuner(std::make_shared<scripted_backend>(script), options).tune(copy_program("copy", first_elements));
  CHECK(served.report.source == tuning_report::origin::record);
  CHECK(served.report.trials == 0);
}

}  // namespace killed_tests
