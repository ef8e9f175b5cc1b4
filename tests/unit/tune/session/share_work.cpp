// SPDX-License-Identifier: Apache-2.0
#include "ttune/tune/session/share_work.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <stop_token>
#include <vector>

using namespace ttune::detail;

TEST_SUITE("threads") {
  TEST_CASE("share_work: every item is done once, whatever the number of threads") {
    for (std::size_t const threads : {1, 2, 7}) {
      std::vector<int> done(100);
      CHECK(share_work(done.size(), threads, {}, [&](std::size_t, std::size_t i) { ++done[i]; }) == 100);
      CHECK(done == std::vector<int>(100, 1));
    }
    CHECK(share_work(0, 4, {}, [](std::size_t, std::size_t) {}) == 0);
  }

  TEST_CASE("share_work: after a stop the items that are done are the first ones") {
    std::stop_source stop;
    std::function<double()> const clock = [] { return 0.0; };
    session_clock const now(clock);
    std::vector<int> done(1000);
    auto const n = share_work(done.size(), 3, deadline(now, 1, stop.get_token()), [&](std::size_t, std::size_t i) {
      ++done[i];
      if (i == 20) stop.request_stop();
    });
    for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i] == (i < n ? 1 : 0));
    CHECK(share_work(5, 1, deadline(now, 1, stop.get_token()), [](std::size_t, std::size_t) {}) == 0);
  }

  TEST_CASE("share_work: the first exception is rethrown") {
    CHECK_THROWS_AS(share_work(50, 3, {},
                               [](std::size_t, std::size_t i) {
                                 if (i == 7) throw std::runtime_error("seven");
                               }),
                    std::runtime_error);
  }
}

TEST_CASE("deadline: passes at its moment of the session's clock; by default never") {
  double at = 100;
  std::function<double()> const source = [&at] { return at; };
  session_clock const clock(source);
  deadline const until(clock, 2, {});
  CHECK_FALSE(until.passed());
  at = 101.9;
  CHECK_FALSE(until.passed());
  at = 102;
  CHECK(until.passed());
  CHECK_FALSE(deadline().passed());
}
