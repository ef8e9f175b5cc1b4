// SPDX-License-Identifier: Apache-2.0
// Test cases that need something the machine may not have: they are skipped with a reason, but fail if TTUNE_REQUIRE
// (such as "orc,xgboost,sqlite,eigen") demands it.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace ttune_test {

/// Returns true if the environment demands this part.
[[nodiscard]] bool required(std::string_view part);
/// Returns true in the long run of `./dev test --long`.
[[nodiscard]] bool long_run();
/// Counts the running test case as skipped.
void note_skip(std::string_view reason);

}  // namespace ttune_test

/// Must be the first statement of a test case: `TTUNE_SKIP_UNLESS("orc", probe.ok, probe.reason);`
#define TTUNE_SKIP_UNLESS(part, condition, reason)                                                             \
  do {                                                                                                         \
    if (!(condition)) {                                                                                        \
      if (ttune_test::required(part)) FAIL((std::string(part) + " is required here: " + std::string(reason))); \
      ttune_test::note_skip(reason);                                                                           \
      return;                                                                                                  \
    }                                                                                                          \
  } while (false)
