// SPDX-License-Identifier: Apache-2.0
// Programs that answer requests, over two pipes.
#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace ttune_bench {

namespace {

/// Both ends of a pipe, which other programs do not inherit.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("a pipe cannot be made");
  return ends;
}

}  // namespace

child_process::child_process(std::vector<std::string> words) : name_(words.front()) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that has ended is noticed when its answer is missing
  auto const to = make_pipe();
  auto const from = make_pipe();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  auto const failed = ::posix_spawn(&id_, name_.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]);
  ::close(from[1]);
  input_ = ::fdopen(to[1], "w");
  output_ = ::fdopen(from[0], "r");
  if (failed == 0) return;
  std::fclose(input_);
  std::fclose(output_);
  throw std::runtime_error(name_ + " cannot be started");
}

child_process::~child_process() {
  std::fclose(input_);
  std::fclose(output_);
  ::waitpid(id_, nullptr, 0);
}

std::string child_process::read_line() {
  std::string line;
  for (int c = std::fgetc(output_); c != '\n'; c = std::fgetc(output_)) {
    if (c == EOF) throw std::runtime_error(name_ + " has ended without an answer");
    line += static_cast<char>(c);
  }
  return line;
}

std::string child_process::ask(std::string const& request) {
  std::fputs((request + "\n").c_str(), input_);
  std::fflush(input_);
  return read_line();
}

std::vector<double> numbers_of(std::string const& line) {
  std::istringstream words(line);
  std::vector<double> made;
  for (double number = 0; words >> number;) made.push_back(number);
  return made;
}

}  // namespace ttune_bench
