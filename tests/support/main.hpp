// SPDX-License-Identifier: Apache-2.0
// Work of a test program before doctest starts, for example as a worker.
#pragma once

#include <vector>

namespace ttune_test {

/// Returns the exit status if that was all, or a negative number to continue with the tests.
using before_main_function = int (*)(int argc, char** argv);

inline std::vector<before_main_function>& before_main() {
  static std::vector<before_main_function> functions;
  return functions;
}

/// Registers such work: `static ttune_test::at_start const worker{[](int argc, char** argv) { return is_worker(argc,
/// argv) ? run_worker() : -1; }};`
struct at_start {
  explicit at_start(before_main_function function) { before_main().push_back(function); }
};

}  // namespace ttune_test
