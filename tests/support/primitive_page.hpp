// SPDX-License-Identifier: Apache-2.0
// The page of a primitive is the comment on top of its header. It shows a program or a loop nest before and after the
// step; check_page compares that with what the library prints. TTUNE_PRINT_PAGES=1 prints the right texts.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune_test {

[[nodiscard]] inline std::string program_text(ttune::space const& s) {
  return ttune::ir::print(*ttune::make_plan(s).program);
}

[[nodiscard]] inline std::string loop_text(ttune::space const& s) {
  ttune::loop_nest n;
  auto const p = ttune::make_plan(s);
  ttune::instantiate(p, {}, n);
  auto const made = ttune::lowering::build_statements(p, n);
  auto const prepare = made.prepare ? "prepare:\n" + ttune::ir::print(made.prepare) + "body:\n" : std::string();
  return prepare + ttune::ir::print(made.body);
}

/// Returns the text as the lines of a comment.
[[nodiscard]] inline std::string as_comment(std::string const& text) {
  std::istringstream lines(text);
  std::string made;
  for (std::string line; std::getline(lines, line);) made += line.empty() ? "//\n" : "//   " + line + "\n";
  return made;
}

[[nodiscard]] inline std::string header_text(std::string const& primitive) {
  auto const path = TTUNE_TESTS_DIR "/../include/ttune/schedule/primitive/" + primitive + ".hpp";
  std::ifstream in(path);
  REQUIRE_MESSAGE(in.good(), path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

inline void check_page(std::string const& primitive, std::string const& before, std::string const& after) {
  auto const wanted = as_comment(before) + "// →\n" + as_comment(after);
  if (std::getenv("TTUNE_PRINT_PAGES")) std::printf("%s\n%s\n", primitive.c_str(), wanted.c_str());
  CHECK_MESSAGE(header_text(primitive).find(wanted) != std::string::npos, primitive, " prints\n", wanted);
}

}  // namespace ttune_test
