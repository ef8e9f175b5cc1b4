// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "ttune/records/export/build_archive.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/on_exit.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the words of a text between spaces.
inline std::vector<std::string> words_of(std::string const& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Returns the option, else the variable of the environment, else a default, as words.
inline std::vector<std::string> setting(std::string const& option, char const* variable, char const* otherwise) {
  if (!option.empty()) return words_of(option);
  auto const* const value = std::getenv(variable);
  auto words = words_of(value ? value : "");
  return words.empty() ? words_of(otherwise) : words;
}

/// Returns true if a program is an executable file, here or in a folder of PATH.
inline bool is_program(std::string const& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  auto const* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access(((folder.empty() ? "." : folder) + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

std::string run_program(std::vector<std::string> const& command, std::string const& folder) {
  std::vector<char*> words;
  for (auto const& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  auto const output = folder + "/output";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  on_exit const release([&] { posix_spawn_file_actions_destroy(&actions); });
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  if (auto const fault = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ); fault != 0)
    throw backend_error(command[0] + " cannot be started: " + std::strerror(fault));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  return text.str().empty() ? "it said nothing and ended with status " + std::to_string(status) : text.str();
}

/// Runs a program; throws with its message if it fails.
inline void demand(std::vector<std::string> command, std::vector<std::string> const& more, std::string const& folder) {
  command.insert(command.end(), more.begin(), more.end());
  auto const said = run_program(command, folder);
  if (!said.empty()) throw backend_error(command[0] + " failed on the files of an export: " + said);
}

std::string build_archive(std::string const& folder, export_options const& options) {
  auto const compiler = setting(options.compiler, "CC", "cc");
  auto const archiver = setting(options.archiver, "AR", "ar");
  auto const flags = setting(options.compiler_flags, "CFLAGS", "-O2");
  if (!is_program(compiler[0])) return compiler[0] + " is no program here: CC names the C compiler";
  if (!is_program(archiver[0])) return archiver[0] + " is no program here: AR names the archiver";
  auto const file = folder + "/" + options.name;
  auto compile = compiler;
  compile.insert(compile.end(), flags.begin(), flags.end());
  demand(compile, {"-fPIC", "-c", file + ".c", "-o", file + ".o"}, folder);
  demand(compile, {"-c", file + "_code.S", "-o", file + "_code.o"}, folder);
  demand(archiver, {"rcs", folder + "/lib" + options.name + ".a", file + ".o", file + "_code.o"}, folder);
  return {};
}

}}}  // namespace ttune::v0::detail
