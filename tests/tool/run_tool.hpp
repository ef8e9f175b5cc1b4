// SPDX-License-Identifier: Apache-2.0
// Runs the program `ttune`, as a shell does.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ttune_test {

struct outcome {
  int status = -1;
  std::string out;  ///< both streams

  [[nodiscard]] bool says(std::string_view text) const { return out.find(text) != std::string::npos; }
};

/// Runs it. Arguments are quoted for the shell, except those that begin with '<', '>' or '|'.
inline outcome run(std::vector<std::string> const& arguments) {
  auto const* const program = std::getenv("TTUNE_TOOL_PROGRAM");
  REQUIRE_MESSAGE(program, "TTUNE_TOOL_PROGRAM must name the program");
  std::string line = std::string("'") + program + "'";
  for (auto const& a : arguments)
    line += a.starts_with('<') || a.starts_with('>') || a.starts_with('|') ? " " + a : " '" + a + "'";
  outcome made;
  auto* const pipe = ::popen((line + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  char part[4096];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) made.out.append(part, n);
  auto const status = ::pclose(pipe);
  made.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  INFO(line, "\n", made.out);
  CHECK(made.status >= 0);
  return made;
}

}  // namespace ttune_test
