// SPDX-License-Identifier: Apache-2.0
// Runs commands of a shell.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "support/temporary_folder.hpp"

namespace ttune_test {

/// The end of a command, and what it wrote to both outputs.
struct shell_result {
  int status = 0;
  std::string text;
};

inline shell_result shell(std::string const& command) {
  temporary_folder const folder;
  auto const status = std::system(("(" + command + ") > " + (folder / "out") + " 2>&1").c_str());
  std::ostringstream text;
  text << std::ifstream(folder / "out").rdbuf();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
}

inline bool has_program(std::string const& name) { return shell("command -v " + name).status == 0; }

}  // namespace ttune_test
