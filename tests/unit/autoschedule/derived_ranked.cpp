// SPDX-License-Identifier: Apache-2.0
// Derived spaces of lists of largest elements: reductions whose components depend on each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/derived_programs.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/top_k.hpp"

namespace derived_ranked_tests {

using namespace ttune;

namespace {

/// The largest elements of each column. Shape: X (rows, columns) -> V (columns, count)
auto largest_of_columns(std::int64_t rows, std::int64_t columns, int count) {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"X", float, 2> const X{{rows, columns}};
  auto const V = compute<"V">(j, r.in(count)) = largest<"top">(over(i), X(i, j), count).value(r);
  return op(inputs(X), outputs(V), "largest_of_columns");
}

}  // namespace

TEST_CASE("derived: lists of the largest elements of rows and of columns") {
  ttune_test::check_derived(ops::top_k(3, 50, 2));
  ttune_test::check_derived(ops::top_k(1, 9, 3, true));
  ttune_test::check_derived(largest_of_columns(7, 19, 3));
}

TEST_CASE("derived: a list that is longer than the registers has a seed") {
  for (auto const& machine : ttune_test::machines()) {
    CAPTURE(machine.name);
    CHECK_NOTHROW((void)derive_space(largest_of_columns(7, 40, 32).program(), machine));
    CHECK_NOTHROW((void)derive_space(ops::top_k(40, 100, 32).program(), machine));
  }
}

TEST_CASE("derived: the terms of one long row are shared by the cores, each with a list in every lane") {
  auto machine = ttune_test::machines().back();
  machine.cores = 2;
  auto const space = derive_space(ops::top_k(1, 100'000, 4).program(), machine);
  auto const makes = [&](std::string const& stage) {
    return std::any_of(space.steps.begin(), space.steps.end(),
                       [&](step const& s) { return s.what == primitive::rfactor && s.results[0] == stage; });
  };
  CHECK(makes("V.top.shares"));
  CHECK(makes("V.top.shares.acc.lanes"));
}

TEST_CASE("derived: vectors of a long row in which no lane has a larger element are passed over") {
  auto const machine = ttune_test::machines().back();
  auto const text_of = [&](std::int64_t columns) {
    auto const space = derive_space(ops::top_k(4, columns, 2).program(), machine);
    return ir::print(lower(space, space.seed));
  };
  CHECK(text_of(100'000).find("if any lane has V.top") != std::string::npos);
  CHECK(text_of(500).find("if any lane has") == std::string::npos);  // most vectors change a list
}

}  // namespace derived_ranked_tests
