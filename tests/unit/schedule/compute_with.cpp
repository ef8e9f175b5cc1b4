// SPDX-License-Identifier: Apache-2.0
#include "ttune/schedule/primitive/compute_with.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/random_program.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule.hpp"
#include "ttune/schedule/plan.hpp"

namespace compute_with_tests {

using namespace ttune;

namespace {

auto const [i, j, k, l] = axes<"i", "j", "k", "l">;

handle<ir::program> after(handle<ir::program> const& p, std::vector<step> steps) {
  return make_plan({p, std::move(steps), {}, {}, {}}).program;
}
handle<ir::program> joined(handle<ir::program> const& p, std::string stays, std::string joins) {
  return after(p, {{primitive::compute_with, std::move(stays), {std::move(joins)}, {}, {}}});
}
std::string refusal(handle<ir::program> const& p, std::string stays, std::string joins) {
  try {
    (void)joined(p, std::move(stays), std::move(joins));
  } catch (schedule_error const& e) {
    return e.what();
  }
  return "none";
}
bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Checks that both compute the same results.
void check_same(handle<ir::program> const& a, handle<ir::program> const& b) {
  rng random(3);
  auto const operands = ttune_test::random_operands(*a, random);
  CHECK(ttune_test::difference(ir::evaluate(*a, operands), ir::evaluate(*b, operands)) == "");
}

tensor<"A", float, 2> const A{{6, 8}};

}  // namespace

TEST_CASE("compute_with: reductions of one domain are one stage, whatever they reduce by and call their axes") {
  auto const S = compute<"S">(i) = sum(over(k), A(i, k));
  auto const M = compute<"M">(j.in(6)) = max(over(l), A(j, l) * 2.0F);
  auto const p = op(inputs(A), outputs(S, M)).program();
  auto const with = joined(p, "S", "M");
  REQUIRE(with->stages.size() == 1);
  CHECK(with->stages[0]->components.size() == 2);
  check_same(p, with);
  check_same(p, joined(p, "M", "S"));  // outputs stay in order
}

TEST_CASE("compute_with: readers of the first stage move behind both") {
  auto const S = compute<"S">(i) = sum(over(k), A(i, k));
  auto const H = compute<"H">(i) = S(i) * 0.5F;
  auto const Q = compute<"Q">(i) = sum(over(k), A(i, k) * A(i, k));
  auto const Y = compute<"Y">(i) = Q(i) - H(i) * S(i);
  auto const p = op(inputs(A), outputs(Y)).program();
  check_same(p, joined(p, "S", "Q"));
}

TEST_CASE("compute_with: an output that reads the other one in place computes it itself") {
  auto const P = compute<"P">(i, k) = A(i, k) + 1.0F;
  auto const Q = compute<"Q">(j.in(6), l.in(8)) = P(j, l) * A(j, l);
  auto const p = op(inputs(A), outputs(P, Q)).program();
  auto const with = joined(p, "P", "Q");
  CHECK(with->stages.size() == 1);
  check_same(p, with);
}

TEST_CASE("compute_with: says why stages stay apart") {
  auto const S = compute<"S">(i) = sum(over(k), A(i, k));
  auto const D = compute<"D">(i) = sum(over(k), (A(i, k) - S(i)) * A(i, k));
  auto const T = compute<"T">(i) = sum(over(k.in(7)), A(i, k));
  auto const G = compute<"G">(i) = sum(over(k), select(k < i, A(i, k), 0.0F));
  auto const Y = compute<"Y">(i) = S(i) + D(i) + T(i) + G(i);
  auto const p = op(inputs(A), outputs(Y)).program();
  CHECK(says(refusal(p, "S", "S"), "is one stage"));
  CHECK(says(refusal(p, "S", "D"), "reads the results of the other"));
  CHECK(says(refusal(p, "S", "T"), "another iteration space"));
  CHECK(says(refusal(p, "S", "G"), "leaves out other terms"));
  CHECK(says(refusal(p, "S", "Y"), "another iteration space"));
  auto const E = compute<"E">(i, k) = A(i, k) + 1.0F;
  auto const F = compute<"F">(i.in(6), k.in(8)) = E(i, 7 - k);
  auto const q = op(inputs(A), outputs(E, F)).program();
  CHECK(says(refusal(q, "E", "F"), "elsewhere"));
}

TEST_CASE("fuse_axes: stages that run over the same dimensions are merged with reduced axes") {
  tensor<"X", float, 3> const X{{3, 4, 5}};
  auto const m = compute<"m">(i) = sum(over(j, k), X(i, j, k));
  auto const Y = compute<"Y">(i, j, k) = X(i, j, k) - m(i);
  auto const p = op(inputs(X), outputs(Y)).program();
  auto const with = after(p, {{primitive::fuse_axes, "m", {"j", "k"}, {"jk"}, {}}});
  CHECK(with->inputs[0]->shape.size() == 2);
  CHECK(says(ir::print(*with), "sum(jk < 20) X(i, jk)"));
  CHECK(says(ir::print(*with), "Y(i, jk) = X(i, jk) - m(i)"));
}

}  // namespace compute_with_tests
