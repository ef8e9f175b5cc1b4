// SPDX-License-Identifier: Apache-2.0
// Counters of calls, and what they say about the worth of a tuning.
#include "ttune/live/call_counter.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "ttune/live/call_interest.hpp"

namespace call_counter_tests {

using namespace ttune::detail;

namespace {

call_totals calls_of(std::uint64_t calls, double seconds_each) {
  return {calls, calls, static_cast<double>(calls) * seconds_each};
}

}  // namespace

TEST_CASE("call counter: counts each call of a thread, and times the first of 64") {
  call_counter counter;
  int timed = 0;
  for (int i = 0; i < 130; ++i)
    if (counter.count()) ++timed, counter.add_time(2e-3);
  CHECK(timed == 3);
  auto const totals = counter.totals();
  CHECK(totals.calls == 130);
  CHECK(totals.timed == 3);
  CHECK(totals.seconds_each() == doctest::Approx(2e-3));
}

TEST_CASE("call counter: a clock that steps back takes no time away") {
  call_counter counter;
  counter.add_time(-1);
  CHECK(counter.totals().timed_seconds == 0);
}

TEST_CASE("call interest: more calls, longer calls and fewer trials promise more") {
  call_interest few, many, slow;
  few.note(calls_of(1000, 1e-4), 1);
  many.note(calls_of(5000, 1e-4), 1);
  slow.note(calls_of(1000, 1e-3), 1);
  CHECK(few.hoped_saving(0) < many.hoped_saving(0));
  CHECK(many.hoped_saving(0) < slow.hoped_saving(0));
  CHECK(few.hoped_saving(100) < few.hoped_saving(0));
}

TEST_CASE("call interest: calls of long ago count less, and hardly any are worth nothing") {
  call_interest of;
  of.note(calls_of(1000, 1e-3), 0);
  auto const at_first = of.hoped_saving(0);
  of.note(calls_of(1000, 1e-3), 30);
  CHECK(of.hoped_saving(0) == doctest::Approx(at_first / 2));
  of.note(calls_of(1000, 1e-3), 3000);
  CHECK(of.hoped_saving(0) == 0);
  call_interest rare;
  rare.note(calls_of(1, 1e-6), 0);
  CHECK(rare.hoped_saving(0) == 0);
}

TEST_CASE("call interest: calls that were not timed take as long as earlier ones") {
  call_interest of;
  of.note({100, 2, 2e-2}, 0);
  auto const before = of.hoped_saving(0);
  of.note({200, 2, 2e-2}, 0);
  CHECK(of.hoped_saving(0) == doctest::Approx(2 * before));
}

TEST_SUITE("threads") {
  TEST_CASE("call counter: threads count without a lock, and lose few counts") {
    call_counter counter;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 10000; ++i)
            if (counter.count()) counter.add_time(1e-6);
        });
    }
    CHECK(counter.totals().calls <= 40000);
    CHECK(counter.totals().calls >= 10000);
  }
}

}  // namespace call_counter_tests
