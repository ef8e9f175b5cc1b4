// SPDX-License-Identifier: Apache-2.0
// The lock that tunings of one tuner take.
#include "ttune/tune/one_at_a_time.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace one_at_a_time_tests {

using ttune::detail::one_at_a_time;

TEST_SUITE("threads") {
  TEST_CASE("one at a time: threads exclude each other, and one may give back what another one took") {
    one_at_a_time lock;
    int count = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 1000; ++i) {
            std::scoped_lock const own(lock);
            ++count;
          }
        });
    }
    CHECK(count == 3000);
    lock.lock();
    std::jthread([&] { lock.unlock(); }).join();
    std::scoped_lock const again(lock);
  }
}

}  // namespace one_at_a_time_tests
