// SPDX-License-Identifier: Apache-2.0
// A kernel that is replaced while threads use it.
#include "ttune/live/current_kernel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace current_kernel_tests {

using ttune::detail::current_kernel;

TEST_CASE("current kernel: what was read stays as it was") {
  current_kernel<int> of(1);
  auto const& before = of.get();
  of.replace(2);
  CHECK(before == 1);
  CHECK(of.get() == 2);
}

TEST_SUITE("threads") {
  TEST_CASE("current kernel: threads see each kernel whole, and never an older one again") {
    current_kernel<std::vector<int>> of(std::vector<int>(16, 0));
    std::atomic<bool> right{true};
    {
      std::vector<std::jthread> readers;
      for (int t = 0; t < 3; ++t)
        readers.emplace_back([&] {
          for (int last = 0; last < 200;) {
            auto const& now = of.get();
            if (now.front() < last || now.front() != now.back()) right = false;
            last = now.front();
          }
        });
      for (int i = 1; i <= 200; ++i) of.replace(std::vector<int>(16, i));
    }
    CHECK(right);
  }
}

}  // namespace current_kernel_tests
