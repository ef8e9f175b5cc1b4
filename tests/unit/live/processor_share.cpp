// SPDX-License-Identifier: Apache-2.0
// The share of a core: work is followed by pauses that pay for it.
#include "ttune/live/processor_share.hpp"

#include <doctest/doctest.h>

namespace processor_share_tests {

using ttune::detail::processor_share;

namespace {

struct simulated {
  double now = 0;
  double used = 0;
  double longest = 0;
  processor_share share;

  explicit simulated(double part)
      : share(
            part, [this] { return now; }, [this] { return used; },
            [this](double seconds) {
              now += seconds;
              longest = seconds;
            }) {}
  void work(double seconds) {
    now += seconds;
    used += seconds;
    share.rest();
  }
};

}  // namespace

TEST_CASE("processor share: work of one second at 5 % is followed by 19 s of rest") {
  simulated s(0.05);
  s.work(1);
  CHECK(s.now == doctest::Approx(20));
  CHECK(s.share.rested() == doctest::Approx(19));
}

TEST_CASE("processor share: over many pieces, the share is kept") {
  simulated s(0.1);
  for (int i = 0; i < 1000; ++i) s.work(i % 7 * 1e-3);
  CHECK(s.used / s.now == doctest::Approx(0.1).epsilon(0.01));
}

TEST_CASE("processor share: what is earned in an hour without work is nearly nothing") {
  simulated s(0.05);
  s.now += 3600;
  s.share.rest();
  CHECK(s.longest == 0);
  s.work(1);
  CHECK(s.longest == doctest::Approx(19));
}

TEST_CASE("processor share: a clock that steps back neither earns nor costs") {
  simulated s(0.5);
  s.now -= 100;
  s.work(1);
  CHECK(s.longest <= 2);
}

TEST_CASE("processor share: a whole core needs no rest") {
  simulated s(1);
  s.work(1);
  CHECK(s.longest == 0);
}

}  // namespace processor_share_tests
