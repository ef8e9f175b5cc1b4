// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/core_placement.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "support/require.hpp"
#include "ttune/runtime/machine.hpp"

namespace core_placement_tests {

TEST_CASE("core_placement: a thread leaves the processor it is told to, and may come back when it gives up its room") {
  TTUNE_SKIP_UNLESS("two processors", ttune::usable_cpus() > 1, "this process may use one processor only");
  std::thread([] {
    auto const may_use = [](int processor) {
      cpu_set_t now;
      REQUIRE(pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0);
      return CPU_ISSET(static_cast<std::size_t>(processor), &now) != 0;
    };
    ttune::detail::core_placement room;
    auto here = sched_getcpu();
    while (may_use(here)) room.leave(here = sched_getcpu());  // the thread may also move by itself
    CHECK(sched_getcpu() != here);
    room.give_up();
    CHECK(may_use(here));
    room.leave(-1);
    CHECK(may_use(here));
  }).join();
}

}  // namespace core_placement_tests
