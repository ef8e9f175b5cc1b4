// SPDX-License-Identifier: Apache-2.0
// Suite startup: the time from the start of a process to its first correct result, with an empty database and with one
// that has the kernel.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../figures.hpp"
#include "../own_folder.hpp"
#include "../suite.hpp"

extern char** environ;

namespace {

using namespace ttune_bench;
namespace fs = std::filesystem;

/// Seconds since the start of the process.
struct start_times {
  double main = 0;    ///< after the dynamic linker
  double kernel = 0;  ///< after tune()
  double result = 0;  ///< after a call with a right result
  double least = 0;   ///< minimum of all starts, to the result
  double busy = 0;    ///< processor time of the whole process, without other processes
  bool from_record = false;
  std::string failure;
};

/// Runs a program and returns its standard output; -1 if it cannot be started.
int run_program(std::vector<std::string> words, std::string& output) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return -1;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  ::posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> arguments;
  for (auto& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  auto const failed = ::posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::array<char, 256> part;
  for (ssize_t n = 0; failed == 0 && (n = ::read(ends[0], part.data(), part.size())) > 0;)
    output.append(part.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Returns the processor time of child processes that have ended.
double children_processor_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_CHILDREN, &use);
  auto const seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

start_times start(std::vector<std::string> const& words) {
  start_times t;
  if (!fs::exists(words.front())) {
    t.failure = words.front() + " was not built";
    return t;
  }
  auto const began =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  std::string output;
  long long at_main = 0, at_kernel = 0, at_result = 0;
  char origin[16] = "";
  auto const busy_before = children_processor_seconds();
  auto const status = run_program(words, output);
  t.busy = children_processor_seconds() - busy_before;
  if (status != 0 ||
      std::sscanf(output.c_str(), "%lld %lld %lld %15s", &at_main, &at_kernel, &at_result, origin) != 4) {
    t.failure = fs::path(words.front()).filename().string() + " ended with status " + std::to_string(status);
    return t;
  }
  auto const since = [&](long long at) { return static_cast<double>(at - began) * 1e-9; };
  t.main = since(at_main);
  t.kernel = since(at_kernel);
  t.result = since(at_result);
  t.from_record = std::string(origin) == "record";
  return t;
}

/// Returns the start with the median time to its result.
template <class Start>
start_times median_start(options const& chosen, bool from_record, Start const& next) {
  std::vector<start_times> all;
  for (int i = 0; i < chosen.samples; ++i) {
    auto t = next();
    if (t.failure.empty() && t.from_record != from_record)
      t.failure = from_record ? "the kernel was not found in the database" : "the database was not empty";
    if (!t.failure.empty()) return t;
    all.push_back(std::move(t));
  }
  auto const middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  auto const least = std::ranges::min(all, {}, &start_times::result).result;
  std::ranges::nth_element(all, middle, {}, &start_times::result);
  middle->least = least;
  return *middle;
}

void report(figure_table& table, std::string const& name, std::string const& system, start_times const& t) {
  result r{"", name, system};
  r.seconds = t.result;
  r.status = t.failure.empty() ? "ok" : t.failure;
  table.add(r, time_text(t.result) + ": " + time_text(t.main) + " to main, " + time_text(t.kernel - t.main) +
                   " to the kernel, " + time_text(t.result - t.kernel) + " to the result; least " + time_text(t.least) +
                   "; " + time_text(t.busy) + " of processor time");
}

int run(options const& chosen) {
  figure_table table("startup", chosen, "process start to first correct result, matmul 512x1024x256, the median");
  auto const program = (fs::read_symlink("/proc/self/exe").parent_path() / "startup").string();
  own_folder const databases;
  int next = 0;
  if (chosen.wants_case("cold"))
    report(table, "cold", "ttune", median_start(chosen, false, [&] {
             return start({program, databases.file("cold" + std::to_string(next++) + ".db")});
           }));
  if (chosen.wants_case("database")) {
    auto const database = databases.file("kernel.db");
    (void)start({program, database});
    report(table, "database", "ttune", median_start(chosen, true, [&] { return start({program, database}); }));
  }
  return table.status();
}

add_suite const startup_suite{{"startup", "process start to first result: cold, and from the database", run}};

}  // namespace
