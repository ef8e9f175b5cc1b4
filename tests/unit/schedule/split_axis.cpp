// SPDX-License-Identifier: Apache-2.0
#include "ttune/schedule/primitive/split_axis.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/derived_programs.hpp"
#include "support/random_program.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/schedule.hpp"
#include "ttune/schedule/plan.hpp"

namespace split_axis_tests {

using namespace ttune;

namespace {

auto const [y, x, k, f, c, s] = axes<"y", "x", "k", "f", "c", "s">;

handle<ir::program> split(handle<ir::program> const& p, std::string stage, std::string axis, std::int64_t period) {
  return make_plan({p,
                    {{primitive::split_axis, std::move(stage), {std::move(axis)}, {"o", "p"}, {literal(period)}}},
                    {},
                    {},
                    {}})
      .program;
}
std::string refusal(handle<ir::program> const& p, std::string axis, std::int64_t period) {
  try {
    (void)split(p, "O", std::move(axis), period);
  } catch (schedule_error const& e) {
    return e.what();
  }
  return "none";
}
bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Returns the text of the program with the axis split, after comparing the elements of its results in their order.
std::string checked(handle<ir::program> const& p, std::string stage, std::string axis, std::int64_t period) {
  auto const with = split(p, std::move(stage), std::move(axis), period);
  rng random(5);
  auto const operands = ttune_test::random_operands(*p, random);
  auto const before = ir::evaluate(*p, operands);
  auto const after = ir::evaluate(*with, operands);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i].reals == after[i].reals);
  return ir::print(*with);
}

/// Transforms blocks of rows, then blocks of columns.
auto block_transform(std::int64_t size, std::int64_t height, std::int64_t width) {
  tensor<"I", float, 2> const I{{size * height, size * width}};
  tensor<"D", float, 2> const D{{size, size}};
  auto const V = compute<"V">(y.in(size * height), x) = sum(over(k), D(y % size, k) * I(y / size * size + k, x));
  auto const O = compute<"O">(y, x.in(size * width)) = sum(over(k), V(y, x / size * size + k) * D(x % size, k));
  return op(inputs(I, D), outputs(O), "block_transform");
}

bool splits(handle<ir::program> const& p) {
  auto const space = derive_space(p, named_target("x86-64-v4"));
  return std::any_of(space.steps.begin(), space.steps.end(),
                     [](step const& one) { return one.what == primitive::split_axis; });
}

}  // namespace

TEST_CASE("split_axis: quotients and remainders become axes") {
  auto const p = block_transform(4, 3, 5).program();
  auto const text = checked(p, "O", "x", 4);
  CHECK(says(text, "V(y, o * 4 + k)"));
  CHECK(says(text, "D(p, k)"));
}

TEST_CASE("split_axis: readers find the elements") {
  auto const p = block_transform(4, 3, 5).program();
  auto const text = checked(p, "V", "y", 4);
  CHECK(says(text, "V(y / 4, y % 4, x / 4 * 4 + k)"));
  CHECK(says(checked(p, "V", "x", 4), "V(y, x / 4, k)"));
}

TEST_CASE("split_axis: refuses a period that does not divide the axis") {
  auto const p = block_transform(4, 3, 5).program();
  CHECK(says(refusal(p, "x", 3), "is not a multiple of the period"));
  CHECK(says(refusal(p, "x", 1), "takes a literal period"));
  CHECK(says(refusal(p, "k", 2), "is not a free axis"));
}

TEST_CASE("split_axis: derived spaces have it for transforms of blocks and rows of phases, not for products") {
  CHECK(splits(block_transform(4, 16, 16).program()));
  CHECK(splits(block_transform(8, 6, 7).program()));
  CHECK(splits(block_transform(16, 3, 5).program()));
  tensor<"I", float, 2> const I{{20, 5}};
  tensor<"W", float, 3> const W{{4, 5, 32}};
  auto const O = compute<"O">(x.in(40), f) =
      sum(over(s.in(2), c), zero_outside(I)((x + 1) / 2 - s, c) * W((x + 1) % 2 + 2 * s, c, f));
  CHECK(splits(op(inputs(I, W), outputs(O)).program()));
  tensor<"A", float, 2> const A{{40, 64}};
  tensor<"B", float, 2> const B{{64, 40}};
  auto const P = compute<"P">(y, x) = sum(over(k), A(y, k) * B(k, x));
  CHECK(!splits(op(inputs(A, B), outputs(P)).program()));
}

}  // namespace split_axis_tests
