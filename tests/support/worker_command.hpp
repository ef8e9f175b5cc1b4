// SPDX-License-Identifier: Apache-2.0
// Commands that start a worker: this test program, whose main can be one, and files that pretend to be one.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/worker/choice.hpp"

namespace ttune_test {

/// Returns the path of this executable.
inline std::string own_path() {
  std::string found(4096, '\0');
  auto const length = ::readlink("/proc/self/exe", found.data(), found.size());
  found.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return found;
}

inline ttune::worker::command own_worker(std::string device = {}) {
  return {{own_path(), "--ttune-worker"}, std::move(device)};
}

/// Returns a command whose worker writes the id of its process to a file.
inline ttune::worker::command own_worker_with_id(std::string const& id_file, std::string device = {}) {
  return {
      {"/bin/sh", "-c", "echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; exec \"$1\" --ttune-worker", id_file, own_path()},
      std::move(device)};
}

inline bool send_signal(std::string const& id_file, int number) {
  pid_t id = 0;
  std::ifstream(id_file) >> id;
  return id > 0 && ::kill(id, number) == 0;
}

/// Returns true if a program of this name is in a folder of PATH and prints its version.
inline bool has_program(std::string const& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1 && " + name + " --version >/dev/null 2>&1").c_str()) ==
         0;
}

}  // namespace ttune_test
