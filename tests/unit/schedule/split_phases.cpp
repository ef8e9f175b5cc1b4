// SPDX-License-Identifier: Apache-2.0
#include "ttune/schedule/primitive/split_phases.hpp"

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

namespace split_phases_tests {

using namespace ttune;

namespace {

auto const [c, f, x, s] = axes<"c", "f", "x", "s">;

handle<ir::program> split(handle<ir::program> const& p, std::int64_t period, std::int64_t shift) {
  return make_plan({p,
                    {{primitive::split_phases, "O", {"x"}, {"P", "p", "o"}, {literal(period), literal(shift)}}},
                    {},
                    {},
                    {}})
      .program;
}
std::string refusal(handle<ir::program> const& p, std::int64_t period, std::int64_t shift) {
  try {
    (void)split(p, period, shift);
  } catch (schedule_error const& e) {
    return e.what();
  }
  return "none";
}
bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Returns the text of the program in phases, after comparing its results.
std::string checked(handle<ir::program> const& p, std::int64_t period, std::int64_t shift) {
  auto const with = split(p, period, shift);
  rng random(5);
  auto const operands = ttune_test::random_operands(*p, random);
  CHECK(ttune_test::difference(ir::evaluate(*p, operands), ir::evaluate(*with, operands)) == "");
  return ir::print(*with);
}

/// A transposed convolution in one dimension.
auto transposed(std::int64_t size, std::int64_t stride, std::int64_t kernel, std::int64_t lost) {
  tensor<"I", float, 2> const I{{5, size}};
  tensor<"W", float, 3> const W{{5, 3, kernel}};
  auto const at = x + lost;
  auto const O = compute<"O">(f, x.in((size - 1) * stride + kernel - 2 * lost)) =
      sum(over(c, s.in(kernel / stride)), zero_outside(I)(c, at / stride - s) * W(c, f, at % stride + stride * s));
  return op(inputs(I, W), outputs(O), "transposed");
}

}  // namespace

TEST_CASE("split_phases: quotients and remainders become affine") {
  auto const p = transposed(7, 2, 4, 1).program();
  auto const text = checked(p, 2, 0);
  CHECK(says(text, "I(c, o + p - s)"));
  CHECK(says(text, "W(c, f, s * 2 - p + 1)"));
  CHECK(!says(text, "p + o * 2 < "));
}

TEST_CASE("split_phases: periods may begin before the axis") {
  auto const p = transposed(7, 3, 6, 1).program();
  CHECK(says(checked(p, 3, 0), "(p + 1) / 3"));
  CHECK(says(checked(p, 3, 1), "W(c, f, s * 3 + p)"));
}

TEST_CASE("split_phases: elements beyond the axis have no terms where a read would lie outside") {
  tensor<"A", float, 1> const A{{11}};
  tensor<"B", float, 2> const B{{2, 3}};
  auto const O = compute<"O">(x.in(9)) = sum(over(s), A(x + s) * B(x % 2, s));
  auto const p = op(inputs(A, B), outputs(O)).program();
  CHECK(says(checked(p, 2, 0), "where"));
  CHECK(says(checked(p, 2, 1), "where"));
  auto const M = compute<"O">(x.in(9)) = A(x + 2) * B(x % 2, 1);
  CHECK(says(refusal(op(inputs(A, B), outputs(M)).program(), 2, 0), "partly filled"));
  auto conditional = *p->stages[0];  // a condition that reads data
  auto const last = ir::make_access(ir::source(p->inputs[0]), {ir::make_variable("x") + 2});
  conditional.predicate = ir::make_binary(ir::binary_op::less, last, ir::make_number(dtype::f32, 1));
  auto with = *p;
  with.stages = with.outputs = {share(std::move(conditional))};
  CHECK(says(refusal(share(std::move(with)), 2, 0), "has a condition that reads outside"));
  auto const E = compute<"O">(x.in(8)) = A(x) * B(x % 2, 1);
  CHECK(says(checked(op(inputs(A, B), outputs(E)).program(), 2, 0), "P(p < 2, o < 4)"));
}

TEST_CASE("split_phases: refuses what has no phases") {
  auto const p = transposed(7, 2, 4, 1).program();
  CHECK(says(refusal(p, 1, 0), "period of at least 2"));
  CHECK(says(refusal(p, 2, 2), "shift below it"));
  tensor<"A", float, 1> const A{{11}};
  auto const O = compute<"O">(f.in(3)) = sum(over(x.in(11)), A(x));
  CHECK(says(refusal(op(inputs(A), outputs(O)).program(), 2, 0), "is not a free axis"));
}

TEST_CASE("split_phases: derived spaces have it for sums with phases, whatever their first element is") {
  auto const has = [](auto const& made) {
    auto const space = derive_space(made.program(), named_target("x86-64-v4"));
    return std::any_of(space.steps.begin(), space.steps.end(),
                       [](step const& one) { return one.what == primitive::split_phases; });
  };
  CHECK(has(transposed(20, 2, 8, 1)));
  CHECK(has(transposed(20, 3, 12, 0)));
  CHECK(has(transposed(20, 3, 12, 2)));
  tensor<"A", float, 2> const A{{40, 60}};
  tensor<"B", float, 2> const B{{60, 40}};
  auto const O = compute<"O">(f, x) = sum(over(c), A(f, c) * B(c, x));
  CHECK(!has(op(inputs(A, B), outputs(O))));
}

}  // namespace split_phases_tests
