// SPDX-License-Identifier: Apache-2.0
// Databases that are read-only, full, truncated, foreign or newer during a tuning: there is a clear error or, if the
// user chose so, the tuning continues without the file.
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "robustness/tuning.hpp"
#include "support/child.hpp"
#include "support/main.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/error.hpp"

namespace files_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

constexpr int no_such_disk = 70;  // exit status of a child that cannot make a small disk

tuning_result tune_with(sqlite store) {
  auto options = one_thread_options();
  options.records = std::move(store);
  return tune_copy({slow(), right()}, options, {.trials = 5});
}

/// Returns the error of a tuning with an unusable file; a tuning that continues without it reports the same reason.
std::string refusal(std::string const& path) {
  std::string message;
  try {
    (void)tune_with(sqlite(path));
  } catch (record_error const& e) {
    message = e.what();
  }
  CHECK(message.find(path) != std::string::npos);
  auto const spare = std::make_shared<sqlite>(path, record_mode::best_effort);
  auto options = one_thread_options();
  options.records = spare;
  auto const result = tune_copy({slow(), right()}, options, {.trials = 5});
  CHECK(result.report.trials == 5);
  CHECK(result.report.source == tuning_report::origin::tuned);
  CHECK(!spare->reason().empty());
  CHECK(spare->count() >= 5);  // in memory, where a second tuning of the same program finds them
  CHECK(tune_copy({right()}, options, {}).report.source == tuning_report::origin::record);
  return message;
}

void execute(std::string const& path, char const* sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  CHECK(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

/// Writes until the file system is full.
void fill(std::string const& folder) {
  for (std::size_t size = 1 << 16; size > 0; size /= 2) {
    std::ofstream filler(folder + "/filler" + std::to_string(size));
    std::string const some(size, 'x');
    while (filler.write(some.data(), static_cast<std::streamsize>(size)).flush()) {
    }
  }
}

/// Tests both kinds of store, opened before the disk is full: the strict one throws out of the tuning and names its
/// file, the other one continues. Returns 0 on success.
int tune_on_full_disk(std::string const& folder, std::function<void()> const& make_full) {
  auto const strict_path = folder + "/strict.db";
  auto const willing = std::make_shared<sqlite>(folder + "/willing.db", record_mode::best_effort);
  auto strict = one_thread_options();
  strict.records = sqlite(strict_path);
  auto lenient = one_thread_options();
  lenient.records = willing;
  make_full();
  std::string message;
  try {
    (void)tune_copy({slow(), right()}, strict, {.trials = 12});
  } catch (record_error const& e) {
    message = e.what();
  }
  std::fprintf(stderr, "strict: %s\n", message.c_str());
  if (message.find(strict_path) == std::string::npos) return 1;
  auto const result = tune_copy({slow(), right()}, lenient, {.trials = 12});
  std::fprintf(stderr, "best_effort: %s\n", willing->reason().c_str());
  if (result.report.trials != 12 || result.report.source != tuning_report::origin::tuned) return 2;
  if (willing->reason().empty() || willing->count() < 12) return 3;
  return 0;
}

/// PROGRAM --tune-on-small-disk FOLDER: runs in a mount namespace of its own, where FOLDER is a disk of 512 KiB.
at_start const on_small_disk{[](int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--tune-on-small-disk") return -1;
  std::string const folder = argv[2];
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("ttune", folder.c_str(), "tmpfs", 0, "size=512k") != 0)
    return no_such_disk;
  ::chmod(folder.c_str(), 0700);
  return tune_on_full_disk(folder, [&] { fill(folder); });
}};

/// PROGRAM --tune-with-short-files FOLDER: no file of this process or of its workers may exceed 8 KiB.
at_start const with_short_files{[](int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--tune-with-short-files") return -1;
  ::signal(SIGXFSZ, SIG_IGN);
  return tune_on_full_disk(argv[2], [] {
    rlimit const little{8192, 8192};
    ::setrlimit(RLIMIT_FSIZE, &little);
  });
}};

/// PROGRAM --tune-as-nobody FOLDER: the file belongs to another user.
at_start const as_nobody{[](int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--tune-as-nobody") return -1;
  auto const path = std::string(argv[2]) + "/records.db";
  if (::setuid(65534) != 0) return no_such_disk;
  try {
    (void)tune_with(sqlite(path));
    return 1;
  } catch (record_error const& e) {
    if (std::string(e.what()).find(path) == std::string::npos) return 2;
  }
  auto const reading = std::make_shared<sqlite>(path, record_mode::read_only);
  auto options = one_thread_options();
  options.records = reading;  // workloads that are not in the file are tuned, but not stored
  auto const before = reading->count();
  auto result = tune_copy({slow(), right()}, options, {.trials = 5});
  if (result.report.source != tuning_report::origin::tuned || reading->count() != before) return 3;
  auto const willing = std::make_shared<sqlite>(path, record_mode::best_effort);
  options.records = willing;
  result = tune_copy({slow(), right()}, options, {.trials = 5});
  if (result.report.trials != 5 || willing->count() < before + 5) return 4;
  return willing->reason().empty() ? 5 : 0;
}};

}  // namespace

TEST_CASE("robustness: a foreign, newer or truncated file is an error, or the tuning continues without it") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const text = folder / "notes.txt";
  std::ofstream(text) << std::string(5000, 'x');
  CHECK(refusal(text).find("no ttune database") != std::string::npos);
  auto const foreign = folder / "foreign.db";
  execute(foreign, "create table bookmarks(url text)");
  CHECK(refusal(foreign).find("another program") != std::string::npos);
  auto const newer = folder / "newer.db";
  (void)tune_with(sqlite(newer));
  execute(newer, "pragma user_version = 99");
  CHECK(refusal(newer).find("newer ttune") != std::string::npos);
  auto const cut = folder / "cut.db";
  (void)tune_with(sqlite(cut));
  std::filesystem::resize_file(cut, 5000);
  CHECK(!refusal(cut).empty());
}

TEST_CASE("robustness: a disk that becomes full while a program tunes") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  child limited({"--tune-with-short-files", folder.path()});
  CHECK(limited.wait() == 0);
  child full({"--tune-on-small-disk", folder.path()});
  auto const status = full.wait();
  TTUNE_SKIP_UNLESS("mount", status != no_such_disk, "no small disk may be mounted here");
  CHECK(status == 0);
}

TEST_CASE("robustness: no write access") {
  TTUNE_SKIP_UNLESS_X86();
  TTUNE_SKIP_UNLESS("root", ::geteuid() == 0, "needs root to be somebody else");
  temporary_folder const folder;
  // an image of another program than the tuned one
  auto options = one_thread_options();
  options.records = sqlite(folder / "records.db");
  (void)tuner(std::make_shared<scripted_backend>(std::vector<code>{right(1024)}), options)
      .tune(copy_program("copy", 1024), {.trials = 3});
  options.records = {};
  ::chmod(folder.path().c_str(), 0755);
  child nobody({"--tune-as-nobody", folder.path()});
  CHECK(nobody.wait() == 0);
}

TEST_CASE("robustness: a file that is removed while a program tunes costs the records, not the tuning") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const path = folder / "records.db";
  auto options = one_thread_options();
  options.records = sqlite(path);
  options.on_progress = [&](progress const& p) {
    if (p.trials_done == 2)
      for (auto const* journal : {"", "-wal", "-shm"}) std::filesystem::remove(path + journal);
  };
  CHECK(tune_copy({slow(), right()}, options, {.trials = 6}).report.source == tuning_report::origin::tuned);
  CHECK(tune_with(sqlite(path)).report.source == tuning_report::origin::tuned);  // a new file
}

}  // namespace files_tests
