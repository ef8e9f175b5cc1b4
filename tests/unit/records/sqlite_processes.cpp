// SPDX-License-Identifier: Apache-2.0
// Processes that share a file of records, are killed, or run out of space.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>

#include "samples.hpp"
#include "sqlite_file.hpp"
#include "support/child.hpp"
#include "support/main.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/error.hpp"

namespace sqlite_processes_tests {

using namespace ttune;
using ttune_test::numbered_record;
using ttune_test::sample_key;
using ttune_test::sample_record;

namespace {

/// PROGRAM --sqlite-writer FILE WRITER COUNT: prints the number of each record after append has returned.
ttune_test::at_start const writer{[](int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "--sqlite-writer") return -1;
  try {
    sqlite store(argv[2]);
    for (std::int32_t i = 0; i < std::stoi(argv[4]); ++i) {
      if (i % 10 == 3) store.put_image(numbered_record(std::stoi(argv[3]), i), std::vector<std::uint8_t>(5000, 1));
      else store.append(numbered_record(std::stoi(argv[3]), i));
      if (::write(STDOUT_FILENO, &i, sizeof i) != sizeof i) return 3;
    }
  } catch (std::exception const& e) {
    std::fprintf(stderr, "writer: %s\n", e.what());
    return 2;
  }
  return 0;
}};

/// PROGRAM --sqlite-limited FILE: simulates a disk that becomes full.
ttune_test::at_start const limited{[](int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--sqlite-limited") return -1;
  sqlite strict(argv[2]), willing(argv[2], record_mode::best_effort);
  strict.append(sample_record(1));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit const little{4096, 4096};
  ::setrlimit(RLIMIT_FSIZE, &little);
  auto huge = sample_record(2);
  huge.result.message.assign(1'000'000, 'x');
  bool thrown = false;
  try {
    strict.append(huge);
  } catch (record_error const& e) {
    thrown = std::string(e.what()).find(argv[2]) != std::string::npos;
  }
  willing.append(huge);
  return thrown && strict.count() == 1 && !willing.reason().empty() && willing.count() == 2 ? 0 : 1;
}};

/// Returns the last number that a writer has printed, or -1.
std::int32_t last_said(std::string const& output) {
  std::int32_t last = -1;
  if (auto const whole = output.size() / sizeof last; whole > 0)
    std::memcpy(&last, output.data() + (whole - 1) * sizeof last, sizeof last);
  return last;
}

}  // namespace

TEST_CASE("sqlite: a full disk throws, or best_effort goes on in memory") {
  ttune_test::temporary_folder const folder;
  ttune_test::child child({"--sqlite-limited", folder / "records.db"});
  CHECK(child.wait() == 0);
}

TEST_CASE("sqlite: processes create one file and append to it at once") {
  ttune_test::temporary_folder const folder;
  for (int round = 0; round < (ttune_test::long_run() ? 50 : 5); ++round) {
    auto const path = folder / ("records" + std::to_string(round) + ".db");
    {
      std::vector<std::unique_ptr<ttune_test::child>> writers;
      for (int w = 0; w < 4; ++w)
        writers.push_back(std::make_unique<ttune_test::child>(
            std::vector<std::string>{"--sqlite-writer", path, std::to_string(w), "100"}));
      for (auto& w : writers) CHECK(w->wait() == 0);
    }
    sqlite const store(path);
    CHECK(store.count() == 400);
    CHECK(store.keys().size() == 7);
  }
}

TEST_CASE("sqlite: kill -9 loses nothing that append has returned for") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  std::mt19937 random(static_cast<unsigned>(ttune_test::seed()));
  INFO("TTUNE_SEED=", ttune_test::seed());
  int const rounds = ttune_test::long_run() ? 200 : 12;
  std::int64_t least = 0;
  for (int round = 0; round < rounds; ++round) {
    std::array<std::int32_t, 2> said{};
    {
      ttune_test::child a({"--sqlite-writer", path, std::to_string(2 * round), "30000"}),
          b({"--sqlite-writer", path, std::to_string(2 * round + 1), "30000"});
      auto of_a = a.read_some(), of_b = b.read_some();  // both are writing now
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
      a.kill_now();
      said[0] = last_said(of_a + a.read_all());
      b.kill_now();
      said[1] = last_said(of_b + b.read_all());
    }
    sqlite const store(path);
    std::array<std::int32_t, 2> found{};
    store.for_each([&](record const& r) {
      auto const number = static_cast<std::int32_t>(r.result.seconds) - 1;
      for (int w = 0; w < 2; ++w) {
        if (number / 100'000 != 2 * round + w) continue;
        CHECK(number % 100'000 == found[static_cast<std::size_t>(w)]++);  // no record is missing or stored twice
      }
      return true;
    });
    for (std::size_t w = 0; w < 2; ++w) CHECK(found[w] > said[w]);
    least += said[0] + said[1] + 2;
  }
  CHECK(ttune_test::integrity(path) == "ok");
  CHECK(least >= 2 * rounds);
  CHECK(sqlite(path).count() >= least);
  MESSAGE(least, " records acknowledged before ", rounds, " kills of two writers");
}

}  // namespace sqlite_processes_tests
