// SPDX-License-Identifier: Apache-2.0
#include "ttune/space/factors.hpp"

#include <doctest/doctest.h>

#include <set>

#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace factors_tests {

using namespace ttune;

namespace {

/// Counts tuples whose parts multiply to n.
int brute_force(int n, int parts) {
  if (parts == 1) return 1;
  int count = 0;
  for (int d = 1; d <= n; ++d)
    if (n % d == 0) count += brute_force(n / d, parts - 1);
  return count;
}

}  // namespace

TEST_CASE("exact factors are the ordered factorisations") {
  CHECK(factors_knob("t", 512, 2).choices() == 10);
  CHECK(factors_knob("t", 512, 4).choices() == 220);  // tile_f in AutoTVM's C12
  CHECK(factors_knob("t", 512, 3).choices() == 55);
  CHECK(factors_knob("t", 128, 4).choices() == 120);  // in AutoTVM's C7
  CHECK(factors_knob("t", 7, 4).choices() == 4);
  CHECK(factors_knob("t", 3, 3).choices() == 3);
  CHECK(factors_knob("t", 1, 3).choices() == 1);
  for (int n : {1, 2, 12, 60, 97, 360})
    for (int parts : {1, 2, 3, 4}) {
      auto const k = factors_knob("t", n, parts);
      CHECK(k.choices() == brute_force(n, parts));
      std::set<std::vector<std::int32_t>> distinct;
      for (int c = 0; c < k.choices(); ++c) {
        int product = 1;
        for (auto const part : k.choice(c)) product *= part;
        CHECK(product == n);
        distinct.insert({k.choice(c).begin(), k.choice(c).end()});
      }
      CHECK(static_cast<int>(distinct.size()) == k.choices());
    }
}

TEST_CASE("the first choice leaves everything to the outermost loop") {
  CHECK(factor_tuples(6, 2) == std::vector<std::int32_t>{6, 1, 3, 2, 2, 3, 1, 6});
  CHECK(factor_tuples(5, 2, factor_policy::powers_of_two, {.max_waste = 1}) ==
        std::vector<std::int32_t>{5, 1, 3, 2, 2, 4});
}

TEST_CASE("inner parts may leave a tail, but not waste more than allowed") {
  for (auto const policy : {factor_policy::powers_of_two, factor_policy::any})
    for (int const n : {1, 7, 28, 100, 513, 1000}) {
      auto const k = factors_knob("t", n, 3, policy, {.max_waste = 0.2});
      REQUIRE(k.choices() > 0);
      for (int c = 0; c < k.choices(); ++c) {
        auto const t = k.choice(c);
        auto const inner = std::int64_t{t[1]} * t[2];
        CHECK(inner <= n);
        CHECK(t[0] == ceil_divide(n, inner));
        CHECK(static_cast<double>(t[0] * inner - n) <= 0.2 * static_cast<double>(t[0] * inner) + 1e-9);
      }
    }
  CHECK(factors_knob("t", 31, 2, factor_policy::any, {.max_waste = 0}).choices() == 2);
}

TEST_CASE("limits hold") {
  auto const k =
      factors_knob("t", 1024, 3, factor_policy::exact, {.max_inner = 64, .max_innermost = 16, .multiple_of = 8});
  for (int c = 0; c < k.choices(); ++c) {
    CHECK(k.choice(c)[1] <= 64);
    CHECK((k.choice(c)[2] == 8 || k.choice(c)[2] == 16));
  }
  CHECK(k.choices() == 14);
  // no multiple of 8 divides 7: the limit is ignored, the knob stays
  CHECK(factors_knob("t", 7, 2, factor_policy::exact, {.multiple_of = 8}).choices() == 2);
  auto const few = factors_knob("t", 1000, 3, factor_policy::any, {.max_choices = 100});
  CHECK(few.choices() == 100);
  for (int c = 0; c < few.choices(); ++c) CHECK(few.choice(c)[0] * few.choice(c)[1] * few.choice(c)[2] == 1000);
}

TEST_CASE("impossible splits are refused") {
  CHECK_THROWS_AS((void)factor_tuples(0, 2), argument_error);
  CHECK_THROWS_AS((void)factor_tuples(-4, 2), argument_error);
  CHECK_THROWS_AS((void)factor_tuples(4, 0), argument_error);
  CHECK_THROWS_AS((void)factor_tuples(std::int64_t{1} << 40, 2), argument_error);
  CHECK_THROWS_AS((void)permutation_knob("order", 9), argument_error);
  CHECK_THROWS_AS((void)one_of_knob("none", {}), argument_error);
}

TEST_CASE("the other kinds of knob") {
  CHECK(permutation_knob("order", 3).choices() == 6);
  CHECK(permutation_knob("order", 3).choice(0)[0] == 0);
  CHECK(boolean_knob("pack").values == std::vector<std::int32_t>{0, 1});
  CHECK(location_knob("at", 3).choices() == 3);
  CHECK(one_of_knob("unroll", {0, 512, 1500}).choice(2)[0] == 1500);
}

}  // namespace factors_tests
