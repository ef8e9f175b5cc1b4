// SPDX-License-Identifier: Apache-2.0
// A tuning in which the n-th system call on its file of records fails, for every n: the disk is full, broken, or a
// signal interrupts the call. No measured result that was reported is lost, nothing but a record_error leaves the
// tuner, and the file can be opened afterwards.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "robustness/tuning.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/error.hpp"

#if !TTUNE_TEST_SANITIZED  // sanitizers have functions of their own in these places

namespace failing_calls_tests {

/// One system call on a file below `folder` fails: number `failing` from now on.
struct call_failure {
  std::string folder;  ///< empty: none is counted
  std::atomic<std::int64_t> counted{0};
  std::int64_t failing = 0;
  int error = 0;

  /// Returns true if a call on a path must fail, with errno set.
  bool fails(std::string_view path) {
    if (folder.empty() || !path.starts_with(folder) || counted.fetch_add(1) + 1 != failing) return false;
    errno = error;
    return true;
  }
  bool fails(int file) {
    if (folder.empty()) return false;
    std::array<char, 4096> path{};
    std::array<char, 64> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
    auto const length = ::syscall(SYS_readlink, link.data(), path.data(), path.size());
    return length > 0 && fails(std::string_view(path.data(), static_cast<std::size_t>(length)));
  }
};
inline call_failure failure;

}  // namespace failing_calls_tests

// These stand before the functions of the C library, for this program and for SQLite's library.
extern "C" {
int open(char const* path, int flags, ...) {  // NOLINT
  va_list rest;
  va_start(rest, flags);
  auto const mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0U;
  va_end(rest);
  if (failing_calls_tests::failure.fails(path)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t write(int file, void const* bytes, size_t count) {
  return failing_calls_tests::failure.fails(file) ? -1 : ::syscall(SYS_write, file, bytes, count);
}
ssize_t pwrite(int file, void const* bytes, size_t count, off_t at) {
  return failing_calls_tests::failure.fails(file) ? -1 : ::syscall(SYS_pwrite64, file, bytes, count, at);
}
ssize_t pread(int file, void* bytes, size_t count, off_t at) {
  return failing_calls_tests::failure.fails(file) ? -1 : ::syscall(SYS_pread64, file, bytes, count, at);
}
int fsync(int file) {
  return failing_calls_tests::failure.fails(file) ? -1 : static_cast<int>(::syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  return failing_calls_tests::failure.fails(file) ? -1 : static_cast<int>(::syscall(SYS_fdatasync, file));
}
int ftruncate(int file, off_t length) noexcept {
  return failing_calls_tests::failure.fails(file) ? -1 : static_cast<int>(::syscall(SYS_ftruncate, file, length));
}
int counted_flock(int file, int operation) __asm__("flock");  // a struct has this name, too
int counted_flock(int file, int operation) {
  return failing_calls_tests::failure.fails(file) ? -1 : static_cast<int>(::syscall(SYS_flock, file, operation));
}
int unlink(char const* path) noexcept {
  return failing_calls_tests::failure.fails(path) ? -1 : static_cast<int>(::syscall(SYS_unlink, path));
}
}

namespace failing_calls_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// The end of a tuning with one failing call.
struct outcome {
  std::int64_t calls = 0;     ///< system calls on files of records
  std::int64_t reported = 0;  ///< trials whose callback has run
  std::string fault;          ///< what is wrong; empty: nothing
  bool refused = false;       ///< a record_error came out
};

/// Tunes with a new file, of which the n-th call fails. `open_again(path, store)` returns the store that must have what
/// was reported; `store` is the one of the tuning, or null if it could not be opened.
template <class Open, class Again>
outcome tune_with_failure(std::string const& folder, std::int64_t n, int error, Open const& open_store,
                          Again const& open_again) {
  outcome made;
  decltype(open_store(folder)) store;
  auto const path = folder + "/records";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  failure.counted = 0;
  failure.failing = n;
  failure.error = error;
  failure.folder = folder;
  try {
    auto options = one_thread_options(worker::in_process{});
    options.records = store = open_store(path);
    options.on_progress = [&](progress const& p) { made.reported = p.trials_done; };
    (void)tune_copy({right(), right()}, options, {.trials = 6});
  } catch (record_error const&) {
    made.refused = true;
  } catch (std::exception const& other) {
    made.fault = std::string("the tuner throws: ") + other.what();
  }
  failure.folder.clear();
  made.calls = failure.counted;
  if (made.fault.empty()) try {
      auto const found = open_again(path, std::move(store))->count();
      if (found < made.reported)
        made.fault = std::to_string(made.reported) + " trials were reported, " + std::to_string(found) + " are there";
    } catch (std::exception const& other) {
      made.fault = std::string("the file cannot be opened again: ") + other.what();
    }
  return made;
}

/// Runs a tuning for every n; in long runs, for every n and every error. Returns the number of tunings that ended with
/// a record_error, by the error.
template <class Open, class Again>
std::map<int, int> fail_each_call(Open const& open_store, Again const& open_again) {
  temporary_folder const above;
  constexpr std::array errors = {ENOSPC, EIO, EINTR};
  std::int64_t tried = 0;
  std::map<int, int> refused;
  for (std::size_t first = 0; first < (long_run() ? errors.size() : 1); ++first)
    for (std::int64_t n = 1, calls = 0; calls >= n - 1; ++n) {
      auto const error = errors[(first + static_cast<std::size_t>(n)) % errors.size()];
      auto const made = tune_with_failure(above / "records", n, error, open_store, open_again);
      INFO("call ", n, " fails with errno ", error);
      CHECK(made.fault == "");
      refused[error] += made.refused ? 1 : 0;
      calls = made.calls;
      ++tried;
      REQUIRE(n < 2000);
    }
  for (auto const& [error, count] : refused)
    MESSAGE(tried, " failing calls, ", count, " ended the tuning by errno ", error);
  CHECK(tried > 20);
  return refused;
}

}  // namespace

TEST_CASE("robustness: every system call on a SQLite file fails once") {
  TTUNE_SKIP_UNLESS_X86();
  auto const open_file = [](std::string const& path) { return std::make_shared<sqlite>(path); };
  fail_each_call(open_file, [&](std::string const& path, auto store) {
    store.reset();
    return open_file(path);
  });
}

TEST_CASE("robustness: no failing system call ends a tuning that goes on without its file") {
  TTUNE_SKIP_UNLESS_X86();
  auto const open_file = [](std::string const& path) {
    return std::make_shared<sqlite>(path, record_mode::best_effort);
  };
  for (auto const& [error, count] : fail_each_call(open_file, [](std::string const&, auto store) { return store; })) {
    INFO("errno ", error);
    CHECK(count == 0);
  }
}

TEST_CASE("robustness: every system call on a file of JSON lines fails once") {
  TTUNE_SKIP_UNLESS_X86();
  auto const open_file = [](std::string const& path) { return std::make_shared<json_lines>(path); };
  auto const refused = fail_each_call(open_file, [&](std::string const& path, auto store) {
    store.reset();
    return open_file(path);
  });
  CHECK(refused.at(ENOSPC) > 0);
  CHECK(refused.at(EINTR) == 0);  // a signal is no fault of the file
}

}  // namespace failing_calls_tests

#endif
