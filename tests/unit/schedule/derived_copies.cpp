// SPDX-License-Identifier: Apache-2.0
// Copies of operands whose indices are an axis only after simplification.
#include <doctest/doctest.h>

#include "derived_programs.hpp"
#include "ttune/expr.hpp"
#include "ttune/schedule.hpp"

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("copies: an index that is an axis after simplification names the axis of the copy") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"B", float, 2> const B{{8, 9}};
  auto const C = compute<"C">(i.in(6), j.in(9)) = sum(over(k.in(8)), A(i, k) * B(k, j + 1 - 1));
  auto const made = make_plan(space(schedule(op(inputs(A, B), outputs(C), "product"), C).cache_read(B, "Bp")));
  REQUIRE(made.stages[0].definition->name == "Bp");
  CHECK(made.stages[0].axis_name(0) == "k");
  CHECK(made.stages[0].axis_name(1) == "j");
}

TEST_CASE("copies: panels of operands whose indices are an axis after simplification") {
  auto const [i, j, k, r, s] = axes<"i", "j", "k", "r", "s">;
  tensor<"A", float, 2> const A{{33, 18}};
  tensor<"B", float, 2> const B{{18, 21}};
  constant<"W", float, 2> const W{{18, 21}};
  tensor<"T", float, 1> const T{{13}};
  auto const C = compute<"C">(i.in(33), j.in(21)) = sum(over(k.in(18)), A(i, k) * B(k, j + 1 - 1));
  check_derived(op(inputs(A, B), outputs(C), "product"), 8);
  auto const D = compute<"D">(i.in(33), j.in(21)) = sum(over(k.in(18)), A(i, k) * W(2 + k - 2, j + 1 - 1));
  check_derived(op(inputs(A, W), outputs(D), "with_constant"), 8);
  auto const E = compute<"E">(i.in(8), j.in(13)) = max(over(r.in(1), s.in(1)), A(i, r) * T(s + j - 1 + 1));
  check_derived(op(inputs(A, T), outputs(E), "merged"), 8);
}
