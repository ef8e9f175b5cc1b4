// SPDX-License-Identifier: Apache-2.0
#include "ttune/codegen/c_family/kernel_text.hpp"

#include <doctest/doctest.h>

namespace kernel_text_tests {

using namespace ttune;
using codegen::c_family::kernel_text;

TEST_CASE("kernel_text: a scope without lines leaves no text") {
  kernel_text text;
  text.open("if (a)");
  text.open("");
  text.close();
  text.close();
  CHECK(text.body().empty());
  text.open("if (b)");
  text.line("x = 1;");
  text.close();
  CHECK(text.body() == "  if (b) {\n    x = 1;\n  }\n");
}

TEST_CASE("kernel_text: each branch of a condition is a scope of its own") {
  kernel_text text;
  auto const kernel = text.innermost_scope();
  text.open("if (a)");
  auto const first = text.innermost_scope();
  CHECK(text.is_open(first));
  text.turn_to_else();
  CHECK_FALSE(text.is_open(first));
  CHECK(text.is_open(kernel));
  auto const second = text.innermost_scope();
  text.close();
  CHECK_FALSE(text.is_open(second));
  CHECK(text.is_open(kernel));
}

TEST_CASE("kernel_text: a return to a checkpoint removes lines, and names if it has them") {
  kernel_text text;
  text.line("a;");
  auto const lines = text.mark();
  auto const lines_and_names = text.mark_with_names();
  text.open("for (;;)");
  CHECK(text.fresh("v") == "v");
  text.line("b;");
  text.return_to(lines);
  CHECK(text.body() == "  a;\n");
  CHECK(text.fresh("v") == "v_1");
  text.return_to(lines_and_names);
  CHECK(text.fresh("v") == "v");
}

TEST_CASE("kernel_text: captured lines are indented like those around them and added once") {
  kernel_text text;
  text.open("");
  auto const lines = text.captured([&] { text.line("b;"); });
  text.line("a;");
  text.append(lines);
  text.close();
  CHECK(text.body() == "  {\n    a;\n    b;\n  }\n");
}

}  // namespace kernel_text_tests
