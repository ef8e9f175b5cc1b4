// SPDX-License-Identifier: Apache-2.0
#include "ttune/schedule/primitive/separate.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/derived_programs.hpp"
#include "support/random_program.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/schedule.hpp"
#include "ttune/schedule/plan.hpp"

namespace separate_tests {

using namespace ttune;

namespace {

auto const [i, j, k, l] = axes<"i", "j", "k", "l">;
tensor<"A", float, 2> const A{{26, 50}};
tensor<"U", std::uint8_t, 2> const U{{26, 50}};
tensor<"W", float, 1> const W{{5}};

handle<ir::program> separated(handle<ir::program> const& p, std::string axis) {
  return make_plan({p, {{primitive::separate, "S", {std::move(axis)}, {"V"}, {}}}, {}, {}, {}}).program;
}
std::string refusal(handle<ir::program> const& p, std::string axis) {
  try {
    (void)separated(p, std::move(axis));
  } catch (schedule_error const& e) {
    return e.what();
  }
  return "none";
}
bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Checks that the partial results have `size` elements along the axis of the windows, and that nothing else changes.
void check_separated(handle<ir::program> const& p, std::string axis, std::size_t free, std::int64_t size) {
  auto const with = separated(p, std::move(axis));
  REQUIRE(with->stages.size() == p->stages.size() + 1);
  CHECK(with->stages[0]->axes[free].size() == size);
  rng random(3);
  auto const operands = ttune_test::random_operands(*p, random);
  CHECK(ttune_test::difference(ir::evaluate(*p, operands), ir::evaluate(*with, operands)) == "");
}

std::size_t times_separated(handle<ir::program> const& p) {
  auto const space = derive_space(p, named_target("x86-64-v3"));
  return static_cast<std::size_t>(std::count_if(space.steps.begin(), space.steps.end(),
                                                [](step const& s) { return s.what == primitive::separate; }));
}

}  // namespace

TEST_CASE("separate: windows along either axis, from any first term on") {
  auto const S = compute<"S">(i.in(20), j.in(40)) = sum(over(k.in(3), l.in(2, 7)), A(i + k, j + l) * A(i + k, j + l));
  auto const p = op(inputs(A), outputs(S)).program();
  check_separated(p, "l", 1, 44);
  check_separated(p, "k", 0, 22);
}

TEST_CASE("separate: windows of a stride, dilated and mirrored ones") {
  auto const stride = compute<"S">(i.in(10), j.in(20)) = max(over(k.in(3), l.in(4)), U(i + k, 2 * j + l));
  check_separated(op(inputs(U), outputs(stride)).program(), "l", 1, 42);
  auto const dilated = compute<"S">(i.in(10), j.in(20)) = sum(over(k.in(3), l.in(4)), A(i + k, j + 3 * l));
  check_separated(op(inputs(A), outputs(dilated)).program(), "l", 1, 29);
  auto const mirrored = compute<"S">(i.in(10), j.in(20)) = sum(over(k.in(3), l.in(4)), A(i + k, j - l + 3));
  check_separated(op(inputs(A), outputs(mirrored)).program(), "l", 1, 23);
}

TEST_CASE("separate: windows beyond the ends, and terms that a condition excludes") {
  auto const clamped = compute<"S">(i.in(26), j.in(50)) =
      sum(over(k.in(5), l.in(5)), clamp_outside(A)(i + k - 2, j + l - 2) * zero_outside(A)(i + k - 2, j + l));
  check_separated(op(inputs(A), outputs(clamped)).program(), "l", 1, 54);
  auto const some = compute<"S">(i.in(10), j.in(20)) =
      sum(over(k.in(3), l.in(4)), select(k <= i && j + l > 3, A(i + k, j + l), 0.0F));
  check_separated(op(inputs(A), outputs(some)).program(), "l", 1, 23);
}

TEST_CASE("separate: refuses terms that depend on more than their place") {
  auto const weighted = compute<"S">(i.in(10), j.in(20)) = sum(over(k.in(3), l.in(5)), A(i + k, j + l) * W(l));
  CHECK(says(refusal(op(inputs(A, W), outputs(weighted)).program(), "l"), "moves no window of S"));
  auto const by_two = compute<"S">(i.in(10), j.in(5)) =
      sum(over(k.in(3), l.in(5)), A(i + k, j + l) * A(i + k, j * 2 + l));
  CHECK(says(refusal(op(inputs(A), outputs(by_two)).program(), "l"), "moves no window of S"));
  auto const apart = compute<"S">(i.in(10), j.in(5)) = sum(over(k.in(3), l.in(5)), A(i + k, 9 * j + l));
  CHECK(says(refusal(op(inputs(A), outputs(apart)).program(), "l"), "moves no window of S"));
  auto const value = compute<"S">(i.in(10), j.in(20)) = sum(over(k.in(3), l.in(5)), A(i + k, j + l) * cast<float>(l));
  CHECK(says(refusal(op(inputs(A), outputs(value)).program(), "l"), "moves no window of S"));
  auto const row = compute<"S">(i.in(10), j.in(20)) = sum(over(l.in(5)), A(i, j + l));
  CHECK(says(refusal(op(inputs(A), outputs(row)).program(), "l"), "has no two reduced axes"));
  auto const box = compute<"S">(i.in(10), j.in(20)) = sum(over(k.in(3), l.in(5)), A(i + k, j + l));
  CHECK(says(refusal(op(inputs(A), outputs(box)).in_order().program(), "l"), "in their order"));
}

TEST_CASE("derived: large windows without weights are separated, small and weighted ones are not") {
  auto const box = compute<"B">(i.in(20), j.in(40)) = sum(over(k.in(6), l.in(7)), A(i + k, j + l));
  auto const largest = compute<"M">(i.in(20), j.in(40)) = max(over(k.in(5), l.in(5)), U(i + k, j + l));
  auto const small = compute<"P">(i.in(12), j.in(24)) = max(over(k.in(2), l.in(2)), A(2 * i + k, 2 * j + l));
  auto const weighted = compute<"F">(i.in(20), j.in(40)) = sum(over(k.in(5), l.in(5)), A(i + k, j + l) * W(k) * W(l));
  CHECK(times_separated(op(inputs(A), outputs(box)).program()) == 1);
  CHECK(times_separated(op(inputs(U), outputs(largest)).program()) == 1);
  CHECK(times_separated(op(inputs(A), outputs(small)).program()) == 0);
  CHECK(times_separated(op(inputs(A, W), outputs(weighted)).program()) == 0);
  ttune_test::check_derived(op(inputs(A), outputs(box), "box"));
  ttune_test::check_derived(op(inputs(U), outputs(largest), "largest"));
}

}  // namespace separate_tests
