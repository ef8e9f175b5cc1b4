// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/affine.hpp"

#include <doctest/doctest.h>

#include "support/random_index.hpp"
#include "support/seed.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"

namespace affine_tests {

using namespace ttune;

namespace {
ir::expr const x = ir::make_variable("x");
ir::expr const y = ir::make_variable("y");

ir::expr divided(ir::expr const& e, std::int64_t by) {
  return ir::make_binary(ir::binary_op::floor_divide, e, ir::make_index(by));
}
}  // namespace

TEST_CASE("affine: terms are collected, and those that cancel disappear") {
  auto const form = arith::to_affine((x + y) * 3 - x + 7 - y * 3);
  REQUIRE(form);
  CHECK(form->constant == 7);
  CHECK(form->terms == std::vector<std::pair<std::string, std::int64_t>>{{"x", 2}});
  CHECK(form->coefficient_of("y") == 0);
}

TEST_CASE("affine: a division or a product of variables is none, but it is an atom of a linear form") {
  CHECK(!arith::to_affine(x * y));
  CHECK(!arith::to_affine(divided(x, 4) + 1));
  auto const form = arith::to_linear(divided(x, 4) * 3 + divided(x, 4) + x);
  REQUIRE(form.terms.size() == 2);
  CHECK(form.terms[0].second == 4);
}

TEST_CASE("affine: the canonical order has large coefficients first, the constant last") {
  auto const text = [](ir::expr const& e) { return ir::print(arith::from_linear(arith::to_linear(e))); };
  CHECK(text(ir::make_index(3) + y + x * 8) == "x * 8 + y + 3");
  CHECK(text(ir::make_index(3) - x) == "3 - x");
  CHECK(text(x + y - x - y) == "0");
}

TEST_CASE("affine: forms are added and scaled") {
  auto form = *arith::to_affine(x * 2 + y + 5);
  form.add(*arith::to_affine(x - y * 4), 3);
  CHECK(form.coefficient_of("x") == 5);
  CHECK(form.coefficient_of("y") == -11);
  form.add("y", 11);
  CHECK(form.terms.size() == 1);
  form.scale(0);
  CHECK(form.terms.empty());
  CHECK(form.constant == 0);
}

TEST_CASE("affine: forms have the values of their expressions") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  for (int i = 0; i < 300; ++i) {
    auto const e = make.affine(4);
    auto const any = make.index(4);
    CAPTURE(ir::print(e));
    CAPTURE(ir::print(any));
    auto const form = arith::to_affine(e);
    REQUIRE(form);
    ttune_test::environment at;
    for (auto const* name : {"x", "y", "z"}) at[name] = make.number(-20, 20);
    auto sum = form->constant;
    for (auto const& [name, c] : form->terms) sum += c * at.at(name);
    CHECK(sum == ttune_test::value_of(e, at));
    CHECK(ttune_test::value_of(arith::from_linear(arith::to_linear(any)), at) == ttune_test::value_of(any, at));
  }
}

TEST_CASE("affine: equal sums become equal expressions") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  for (int i = 0; i < 300; ++i) {
    auto const a = make.affine(3);
    auto const b = make.affine(3);
    auto const one = arith::from_linear(arith::to_linear((a + b) * 3));
    auto const other = arith::from_linear(arith::to_linear(b * 3 + a * 2 + a));
    CAPTURE(ir::print(one));
    CAPTURE(ir::print(other));
    CHECK(ir::equal(one, other));
  }
}

}  // namespace affine_tests
