// SPDX-License-Identifier: Apache-2.0
#include "ttune/support/function_ref.hpp"

#include <doctest/doctest.h>

#include <string>

namespace function_ref_tests {

using namespace ttune;

namespace {

int twice(int x) { return 2 * x; }
int called_with_three(function_ref<int(int)> f) { return f(3); }

}  // namespace

TEST_CASE("function_ref: calls functions, lambdas and constant callables where they are") {
  CHECK(called_with_three(twice) == 6);
  CHECK(called_with_three(&twice) == 6);
  int calls = 0;
  auto count = [calls]() mutable { return ++calls; };
  function_ref<int()> const counted = count;
  CHECK(counted() == 1);
  CHECK(counted() == 2);
  CHECK(count() == 3);  // the same object, not a copy
  auto const add = [&calls](int x) { return calls + x; };
  CHECK(called_with_three(add) == 3);
}

TEST_CASE("function_ref: converts results, passes references, and is a copy of what it is made from") {
  std::string text = "a";
  auto append = [](std::string& to, char const* what) -> std::string& { return to += what; };
  function_ref<std::string(std::string&, char const*)> const first = append;
  function_ref<std::string(std::string&, char const*)> const second = first;
  CHECK(second(text, "b") == "ab");
  CHECK(text == "ab");
  function_ref<void(std::string&, char const*)> const ignoring = append;
  ignoring(text, "c");
  CHECK(text == "abc");
  static_assert(!std::is_constructible_v<function_ref<int(int)>, std::string>);
}

}  // namespace function_ref_tests
