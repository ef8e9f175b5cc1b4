// SPDX-License-Identifier: Apache-2.0
#include "ttune/space/constraint.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/seed.hpp"
#include "ttune/space/solver/value_interval.hpp"
#include "ttune/support/rng.hpp"

namespace constraint_tests {

using namespace ttune;

namespace {

std::vector<knob> const knobs{{"tile_y", knob::sort::factors, 2, {512, 1, 64, 8, 1, 512}},
                              {"step", knob::sort::one_of, 1, {-7, 0, 7}}};
knob_value const yo{0, 0}, yi{0, 1}, step{1, 0};

std::int64_t value(knob_expression const& e, std::int32_t y, std::int32_t s) { return e.evaluate(knobs, {{y, s}}); }

}  // namespace

TEST_CASE("expressions read as they are written") {
  CHECK(value(yo * yi, 1, 0) == 512);
  CHECK(value(yo + yi * 2, 1, 0) == 80);
  CHECK(value(yo - 4 * yi, 1, 0) == 32);
  CHECK(value(yi <= 8, 1, 0) == 1);
  CHECK(value(yi < 8, 1, 0) == 0);
  CHECK(value(yi > 8, 2, 0) == 1);
  CHECK(value(yi >= 8 && yo >= 64, 1, 0) == 1);
  CHECK(value(yi == 1 || yo == 1, 1, 0) == 0);
  CHECK(value(!(yi == 8), 1, 0) == 0);
  CHECK(value(yi != yo, 1, 0) == 1);
  CHECK(value(min(yo, yi) + max(yo, 100), 1, 0) == 108);
  CHECK(value(ceil_divide(yo, 10), 1, 0) == 7);
  CHECK(value(divides(8, yo), 1, 0) == 1);
  CHECK(value(select(yi == 8, yo, step), 1, 0) == 64);
  CHECK(value(select(yi == 8, yo, step), 0, 2) == 7);
}

TEST_CASE("division rounds down, and by zero gives zero") {
  CHECK(value(step / 2, 0, 0) == -4);
  CHECK(value(step % 4, 0, 0) == 1);
  CHECK(value(ceil_divide(step, 2), 0, 0) == -3);
  CHECK(value(yo / step, 0, 1) == 0);
  CHECK(value(yo % step, 0, 1) == 0);
}

TEST_CASE("results beyond 64 bits saturate") {
  auto const most = std::numeric_limits<std::int64_t>::max();
  CHECK(value(knob_expression(most) + 1, 0, 0) == most);
  CHECK(value(knob_expression(most) * yo, 0, 0) == most);
  CHECK(value(knob_expression(most) * step, 0, 0) == std::numeric_limits<std::int64_t>::min());
  CHECK(value(step - knob_expression(most) - 100, 0, 0) == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("an expression knows its knobs") {
  CHECK((yo * yi + step).depends_on() == std::vector<std::int32_t>{0, 1});
  CHECK((step * 2 <= step).depends_on() == std::vector<std::int32_t>{1});
  CHECK(knob_expression(3).depends_on().empty());
}

TEST_CASE("intervals hold every value") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  rng random(seed);
  auto const number = [&] { return static_cast<std::int64_t>(random.below(13)) - 6; };
  for (int round = 0; round < 20000; ++round) {
    auto const what = static_cast<knob_expression::op>(1 + random.below(15));
    auto a = detail::value_interval{number(), number()};
    auto b = detail::value_interval{number(), number()};
    if (a.low > a.high) std::swap(a.low, a.high);
    if (b.low > b.high) std::swap(b.low, b.high);
    auto const both = detail::apply(what, a, b);
    bool inside = true;
    for (auto x = a.low; x <= a.high; ++x)
      for (auto y = b.low; y <= b.high; ++y) {
        auto const v = detail::apply(what, x, y);
        inside = inside && both.low <= v && v <= both.high;
      }
    CAPTURE(static_cast<int>(what));
    REQUIRE(inside);
  }
}

}  // namespace constraint_tests
