// SPDX-License-Identifier: Apache-2.0
#include "ttune/codegen/llvm/known_ranges.hpp"

#include <doctest/doctest.h>

#include "ttune/codegen/lane_decisions.hpp"
#include "ttune/codegen/llvm/index_arithmetic.hpp"
#include "ttune/ir/make.hpp"

namespace known_ranges_tests {

using namespace ttune;
using namespace ttune::codegen;
using namespace ttune::codegen::llvm;

namespace {

lane_linear form(std::int64_t x, std::int64_t w, std::int64_t constant) {
  return linear_of("%x", 1).scaled(x) + linear_of("%w", 0).scaled(w) + linear_of(constant);
}

}  // namespace

TEST_CASE("known ranges: variables and conditions bound the terms of forms") {
  std::unordered_map<std::string, lane_linear> const variables{{"x", linear_of("%x", 1)}, {"w", linear_of("%w", 0)}};
  known_ranges known;
  CHECK(!known.range_of(form(1, 0, 0), variables).low);
  known.add_variable("x", 2, 11);
  known.add_variable("w", 1, known_ranges::unlimited);
  auto const both = known.range_of(form(-3, 2, 100), variables);  // without the constant
  CHECK(both.low == -28);
  CHECK(!both.high);
  known.add_not_negative(form(-7, 1, -7));  // x * 7 + 6 < w
  CHECK(known.range_of(form(-7, 1, 0), variables).low == 7);
  CHECK(known.range_of(form(7, -1, 0), variables).high == -7);
  CHECK(!known.range_of(form(-8, 1, 0), variables).high);
  known.enter_function();
  CHECK(known.range_of(form(-7, 1, 0), variables).low == -69);
}

TEST_CASE("known ranges: comparisons are decided if all differences agree") {
  using enum ir::binary_op;
  CHECK(decide_difference(less, {-9, -1}) == true);
  CHECK(decide_difference(less, {0, 5}) == false);
  CHECK(!decide_difference(less, {-1, 0}));
  CHECK(decide_difference(less_equal, {{}, 0}) == true);
  CHECK(decide_difference(less_equal, {1, {}}) == false);
  CHECK(!decide_difference(less_equal, {0, 1}));
  CHECK(decide_difference(equal, {3, 3}) == false);
  CHECK(decide_difference(equal, {0, 0}) == true);
  CHECK(decide_difference(not_equal, {0, 0}) == false);
  CHECK(decide_difference(not_equal, {1, {}}) == true);
  CHECK(!decide_difference(equal, {0, 1}));
  CHECK(!decide_difference(not_equal, {}));
}

TEST_CASE("known ranges: lanes are decided one by one") {
  auto const x = ir::make_variable("x");
  auto const condition = ir::make_binary(ir::binary_op::less_equal, x, ir::make_index(12));
  auto difference = form(1, 0, -12);
  difference.lane = 1;
  auto const decide = [&](form_range const& of_x) {
    return decide_lanes(
        condition, 4, [&](ir::binary const&) { return std::optional(difference); },
        [&](lane_linear const&) { return of_x; });
  };
  CHECK(decide({0, 9}) == lane_mask{true, true, true, true});
  CHECK(!decide({0, 10}));
  CHECK(decide({10, 10}) == lane_mask{true, true, true, false});
  CHECK(decide({13, {}}) == lane_mask{false, false, false, false});
}

}  // namespace known_ranges_tests
