// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "ttune/runtime/worker/process.hpp"
#include "ttune/support/error.hpp"

extern char** environ;

namespace ttune { inline namespace v0 { namespace worker {

namespace detail {

/// Arguments of posix_spawn, freed by the destructor.
struct spawn_options {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  spawn_options(int socket, int error) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
    if (error >= 0) posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
    else posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // The worker does not inherit signals that the application ignores or blocks.
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  spawn_options(spawn_options const&) = delete;
  spawn_options& operator=(spawn_options const&) = delete;
  ~spawn_options() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

/// Returns the environment with TTUNE_WORKER=1 added.
inline std::vector<char*> worker_environment() {
  static char mark[] = "TTUNE_WORKER=1";
  std::vector<char*> variables;
  for (char** e = environ; e && *e; ++e)
    if (std::strncmp(*e, "TTUNE_WORKER=", 13) != 0) variables.push_back(*e);
  variables.push_back(mark);
  variables.push_back(nullptr);
  return variables;
}

inline bool is_executable(std::string const& path) {
  return path.find('/') != std::string::npos && access(path.c_str(), X_OK) == 0;
}

inline double seconds_of(rusage const& used) noexcept {
  auto const seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

inline void close_descriptor(int& fd) noexcept {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace detail

child_process::child_process(std::vector<std::string> const& words) : counted_(counting_workers::current()) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw backend_error(std::string("no worker: no socket can be made: ") + std::strerror(errno));
  socket_ = ends[0];
  error_ = memfd_create("ttune-worker-stderr", MFD_CLOEXEC);
  detail::spawn_options const options(ends[1], error_);
  std::vector<char*> arguments;
  for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  auto const variables = detail::worker_environment();
  auto const status =
      posix_spawnp(&id_, arguments[0], &options.actions, &options.attributes, arguments.data(), variables.data());
  ::close(ends[1]);
  if (status == 0) {
    if (counted_) counted_->started(id_);
    return;
  }
  id_ = -1;
  detail::close_descriptor(socket_);
  detail::close_descriptor(error_);
  throw backend_error("no worker: " + words[0] + " cannot be started: " + std::strerror(status));
}

child_process& child_process::operator=(child_process&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(socket_, other.socket_);
  std::swap(error_, other.error_);
  std::swap(counted_, other.counted_);
  return *this;
}

child_process::~child_process() {
  end();
  detail::close_descriptor(error_);
}

ending child_process::end(bool patiently) noexcept {
  ending how;
  if (id_ > 0) {
    int status = 0;
    rusage used{};
    pid_t gone = 0;
    auto const patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(patiently ? 500 : 0);
    while ((gone = wait4(id_, &status, WNOHANG, &used)) == 0 && std::chrono::steady_clock::now() < patience)
      usleep(100);
    if (gone == 0) {
      kill(id_, SIGKILL);
      while ((gone = wait4(id_, &status, 0, &used)) < 0 && errno == EINTR) {
      }
    }
    if (counted_) counted_->ended(id_, detail::seconds_of(used));
    how.known = gone == id_;
    how.by_signal = WIFSIGNALED(status);
    how.number = how.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  id_ = -1;
  detail::close_descriptor(socket_);
  return how;
}

std::string child_process::stderr_text() const {
  std::string text(2000, '\0');
  auto const n = error_ >= 0 ? pread(error_, text.data(), text.size(), 0) : 0;
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string executable_path() {
  std::string path(4096, '\0');
  auto const n = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return path;
}

std::string find_program(std::string& tried) {
  auto const take = [&](std::string const& c) {
    if (detail::is_executable(c)) return true;
    tried += (tried.empty() ? "" : ", ") + c;
    return false;
  };
  if (auto const* named = std::getenv("TTUNE_WORKER_PROGRAM"); named && *named && take(named)) return named;
  if (auto const own = executable_path(); !own.empty()) {
    auto const folder = own.substr(0, own.rfind('/') + 1);
    for (auto const* place : {"ttune-worker", "../libexec/ttune/ttune-worker", "../bin/ttune-worker"})
      if (take(folder + place)) return folder + place;
  }
  auto const* const listed = std::getenv("PATH");
  std::string const path = listed ? listed : "";
  for (std::size_t from = 0; from < path.size();) {
    auto const to = std::min(path.find(':', from), path.size());
    auto const c = path.substr(from, to - from) + "/ttune-worker";
    if (to > from && detail::is_executable(c)) return c;
    from = to + 1;
  }
  tried += (tried.empty() ? "" : ", ") + std::string("the folders of PATH");
  return {};
}

std::string signal_name(int number) {
  auto const* const name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : "signal " + std::to_string(number);
}

}}}  // namespace ttune::v0::worker
