// SPDX-License-Identifier: Apache-2.0
// Starts this test program again with arguments, for tests with several processes. Its work then is registered with
// ttune_test::at_start (support/main.hpp). There is never a fork without exec, because tests have threads.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace ttune_test {

/// A child whose standard output is a pipe. The destructor kills it and waits for it.
class child {
 public:
  explicit child(std::vector<std::string> arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    output_ = ends[0];
    arguments.insert(arguments.begin(), "/proc/self/exe");
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (::posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ) != 0) process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  child(child const&) = delete;
  child& operator=(child const&) = delete;
  ~child() {
    if (process_ > 0) kill_now();
    if (output_ >= 0) ::close(output_);
  }

  [[nodiscard]] bool started() const noexcept { return process_ > 0; }
  /// Waits for its next output; empty after its end.
  [[nodiscard]] std::string read_some() const {
    char part[4096];
    auto const n = ::read(output_, part, sizeof part);
    return std::string(part, n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  /// Returns everything that it has written or will write until it ends.
  [[nodiscard]] std::string read_all() const {
    std::string all;
    char part[4096];
    for (ssize_t n = 0; (n = ::read(output_, part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(n));
    return all;
  }
  void send(int signal) const { ::kill(process_, signal); }
  /// Sends kill -9; returns after its end.
  void kill_now() {
    send(SIGKILL);
    wait();
  }
  /// Returns the exit status, or minus the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace ttune_test
