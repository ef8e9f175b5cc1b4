// SPDX-License-Identifier: Apache-2.0
#include "ttune/support/shared_library.hpp"

#include <doctest/doctest.h>

#include "ttune/support/error.hpp"

namespace shared_library_tests {

using namespace ttune;

TEST_CASE("shared_library: the first name that can be opened is") {
  shared_library const c({"", "libno-such-library.so.7", "libc.so.6"});
  CHECK(c.failure().empty());
  CHECK(c.find("strlen") != nullptr);
  CHECK(c.find("no_such_function") == nullptr);
  CHECK_THROWS_WITH_AS((void)c.symbol("no_such_function"), "the library that was opened has no no_such_function",
                       backend_error);
}

TEST_CASE("shared_library: the tried names are reported") {
  shared_library const none({"libno-such-library.so.7", "/nowhere/libno.so"});
  CHECK(none.failure().find("libno-such-library.so.7: cannot open shared object file") != std::string::npos);
  CHECK(none.failure().find("; /nowhere/libno.so: cannot open") != std::string::npos);
  CHECK(none.find("strlen") == nullptr);
  CHECK_THROWS_AS((void)none.symbol("strlen"), backend_error);
}

}  // namespace shared_library_tests
