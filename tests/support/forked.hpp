// SPDX-License-Identifier: Apache-2.0
// Runs a function in a forked process; reports if it crashes or hangs there.
#pragma once

#include <csignal>
#include <exception>
#include <string>

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ttune_test {

/// Must be called first in a child: a fault ends it without a report of the test program and without a core file.
inline void begin_child() {
  for (int const s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGALRM, SIGPROF}) std::signal(s, SIG_DFL);
  rlimit const none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

/// Ends this process after `seconds` of processor time, or after ten times as many seconds of the clock, since a
/// process that hangs may wait. On a busy machine, correct work may take longer by the clock than the limit.
inline void limit_time(unsigned seconds) {
  itimerval const limit{{}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(10 * seconds);
}

[[nodiscard]] inline std::string ending_of(int status) {
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF)) return "it took too long";
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "ended with status " + std::to_string(WEXITSTATUS(status));
}

/// Returns the text that `work` returns in a child, or a description of the child's end.
template <class Work>
[[nodiscard]] std::string said_by_child(Work const& work, unsigned seconds = 30) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  auto const child = fork();
  if (child == 0) {
    begin_child();
    close(ends[0]);
    limit_time(seconds);
    std::string text;
    try {
      text = work();
    } catch (std::exception const& failure) {
      text = std::string("throws: ") + failure.what();
    }
    text.resize(std::min<std::size_t>(text.size(), 60'000));  // the capacity of a pipe
    auto const written = write(ends[1], text.data(), text.size());
    _exit(written < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  auto const ending = ending_of(status);
  return ending.empty() ? text : ending;
}

}  // namespace ttune_test
