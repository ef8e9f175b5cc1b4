// SPDX-License-Identifier: Apache-2.0
// Lists of the largest elements: their program, and what elements that are equal, missing or no numbers give.
#include "ttune/expr/largest.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"

namespace largest_tests {

using namespace ttune;

namespace {

/// Shape: X (n) -> V (count), P (count)
auto three_of(std::int64_t n, int count = 3) {
  auto const [j, r] = axes<"j", "r">;
  tensor<"X", float, 1> const X{{n}};
  auto const top = largest<"top">(over(j), X(j), count);
  auto const V = compute<"V">(r.in(count)) = top.value(r);
  auto const P = compute<"P">(r.in(count)) = top.place(r);
  return op(inputs(X), outputs(V, P), "three_of");
}

std::vector<ir::ndarray> run(handle<ir::program> const& p, std::vector<double> const& values) {
  ir::ndarray x(dtype::f32, {std::ssize(values)});
  x.reals = values;
  return ir::evaluate(*p, std::vector{x});
}

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr auto none = std::numeric_limits<std::int32_t>::max();

}  // namespace

TEST_CASE("largest: one stage has the values and the places of all outputs") {
  auto const p = three_of(9).program();
  REQUIRE(p->stages.size() == 3);
  CHECK(p->stages[0]->name == "V.top");
  CHECK(p->stages[0]->components.size() == 6);
}

TEST_CASE("largest: equal elements are in the order of their places") {
  auto const made = run(three_of(6).program(), {1, 5, 7, 5, 7, 0});
  CHECK(made[0].reals == std::vector<double>{7, 7, 5});
  CHECK(made[1].integers == std::vector<std::int64_t>{2, 4, 1});
}

TEST_CASE("largest: elements that are not a number are left out, and missing ones are the least") {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  auto const made = run(three_of(4).program(), {nan, 2, nan, 3});
  CHECK(made[0].reals == std::vector<double>{3, 2, -infinity});
  CHECK(made[1].integers == std::vector<std::int64_t>{3, 1, none});
}

TEST_CASE("largest: the number of elements is 1 to 32") {
  for (int const count : {0, -1, 33})
    CHECK_THROWS_WITH_AS((void)three_of(40, count),
                         ("top: " + std::to_string(count) + " elements are no list: take 1 to 32").c_str(),
                         program_error);
  CHECK(three_of(40, 32).program()->stages[0]->components.size() == 64);
}

}  // namespace largest_tests
