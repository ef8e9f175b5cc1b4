// SPDX-License-Identifier: Apache-2.0
// Bounds of the rounding errors of sums, products, maxima and tuples, in any order of their terms.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/rounding_example.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/rounding_bounds.hpp"

namespace rounding_bounds_of_reductions_tests {

using namespace ttune;
using ir::binary_op;
using ttune_test::real;
using ttune_test::rounding_example;
using ttune_test::two;

TEST_CASE("rounding bounds: sums in any order, of both assumptions") {
  constexpr std::int64_t terms = 3000;
  for (bool const likely : {false, true}) {
    rounding_example e(dtype::f32, terms);
    e.reduction(ir::reduction_kind::sum, e.at(0) * e.at(1), terms);
    for (std::uint64_t seed = 1; seed < 30; ++seed) {
      auto const operands = e.operands(-1, 1, seed);
      auto const exact = ir::evaluate(e.program, operands).front().reals[0];
      auto const bound = e.bounds(operands, likely ? ir::sum_errors::likely : ir::sum_errors::worst)[0];
      float forwards = 0;
      float backwards = 0;
      std::array<float, 8> lanes{};
      for (std::size_t i = 0; i < terms; ++i) {
        auto const product = [&](std::size_t at) {
          return static_cast<float>(operands[0].reals[at]) * static_cast<float>(operands[1].reals[at]);
        };
        forwards += product(i);
        backwards += product(terms - 1 - i);
        lanes[i % 8] += product(i);
      }
      float in_lanes = 0;
      for (auto const lane : lanes) in_lanes += lane;
      for (float const found : {forwards, backwards, in_lanes})
        CHECK(std::abs(static_cast<double>(found) - exact) <= 2 * bound);
      if (likely) CHECK(bound < 1e-3);
    }
  }
}

TEST_CASE("rounding bounds: products and maxima") {
  rounding_example e(dtype::f32, 40);
  e.reduction(ir::reduction_kind::product, e.at(0) * e.at(1) + real(1), 40);
  rounding_example m(dtype::f32, 40);
  m.reduction(ir::reduction_kind::maximum, m.at(0) * m.at(1), 40);
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    auto const operands = e.operands(-1, 1, seed);
    float forwards = 1;
    float backwards = 1;
    float most = -9;
    auto const product = [&](std::size_t at) {
      return static_cast<float>(operands[0].reals[at]) * static_cast<float>(operands[1].reals[at]);
    };
    for (std::size_t i = 0; i < 40; ++i) {
      forwards *= product(i) + 1;
      backwards *= product(39 - i) + 1;
      most = std::max(most, product(i));
    }
    auto const exact = ir::evaluate(e.program, operands).front().reals[0];
    auto const bound = e.bounds(operands)[0];
    CHECK(std::abs(static_cast<double>(forwards) - exact) <= 2 * bound);
    CHECK(std::abs(static_cast<double>(backwards) - exact) <= 2 * bound);
    CHECK(bound <= 400 * 0x1p-24 * std::abs(exact) + 1e-6);
    auto const largest = ir::evaluate(m.program, operands).front().reals[0];
    CHECK(std::abs(static_cast<double>(most) - largest) <= 2 * m.bounds(operands)[0]);
    CHECK(m.bounds(operands)[0] < 2 * 0x1p-24);
  }
}

TEST_CASE("rounding bounds: the place of a maximum may differ among nearly equal terms only") {
  ir::stage s;
  rounding_example e(dtype::f32, 4);
  s.name = "best";
  s.axes = {{"j", 0, 1}};
  s.reduction.kind = ir::reduction_kind::tuple;
  s.reduction.commutative = false;
  s.reduction.axes = {{"i", 0, 4}};
  s.components = {{"value", dtype::f32, e.at(0) * e.at(1)},
                  {"place", dtype::i32, ir::make_cast(dtype::i32, ir::make_variable("i"))}};
  s.reduction.identity = {ir::make_identity(ir::reduction_kind::maximum, dtype::f32), ir::make_number(dtype::i32, 0)};
  using ir::make_argument;
  auto const better = two(binary_op::less, make_argument(dtype::f32, false, 0), make_argument(dtype::f32, true, 0));
  s.reduction.combine = {
      ir::make_select(better, make_argument(dtype::f32, true, 0), make_argument(dtype::f32, false, 0)),
      ir::make_select(better, make_argument(dtype::i32, true, 1), make_argument(dtype::i32, false, 1))};
  e.add(std::move(s));
  ir::rounding_bounds const bounds(e.program);
  auto const of = [&](std::vector<double> const& left, std::vector<double> const& right) {
    return bounds.evaluate(std::vector{e.numbers(left), e.numbers(right)});
  };
  auto const apart = of({1, 3, 2, 0.5}, {0.1, 0.1, 0.1, 0.1});
  CHECK(apart[1][0] == 0);
  auto const near = of({1, 3, 2, 0.1}, {0.1, 0.1, 0.1, 3});
  CHECK(near[1][0] == 2);
  CHECK(near[0][0] < 1e-7);
}

TEST_CASE("rounding bounds: sums in bf16 that change places are kept in f32 or rounded after each term") {
  ir::stage s;
  rounding_example e(dtype::bf16, 5);
  s.name = "turns";
  s.axes = {{"j", 0, 1}};
  s.reduction.kind = ir::reduction_kind::tuple;
  s.reduction.commutative = s.reduction.associative = false;
  s.reduction.axes = {{"i", 0, 5}};
  s.components = {{"even", dtype::bf16, e.at(0)}, {"odd", dtype::bf16, ir::make_number(dtype::bf16, 0)}};
  s.reduction.identity = {ir::make_number(dtype::bf16, 0), ir::make_number(dtype::bf16, 0)};
  auto const sum = [](int left, int right) {
    return ir::make_argument(dtype::bf16, false, left) + ir::make_argument(dtype::bf16, true, right);
  };
  s.reduction.combine = {sum(1, 0), sum(0, 1)};
  e.add(std::move(s));
  auto const of = [&](double between) {
    return ir::rounding_bounds(e.program).evaluate(std::vector{e.numbers({64, 0, between, 0, -64}), e.numbers({})});
  };
  CHECK(of(1)[0][0] == 0);
  auto const lost = of(0.25)[0][0];  // 64.25 has one bit more than bf16
  CHECK(lost >= 0.25);
  CHECK(lost < 1);
}

TEST_CASE("rounding bounds: a predicate that an error may change") {
  rounding_example e(dtype::f32, 4);
  ir::stage s;
  s.name = "S";
  s.axes = {{"j", 0, 1}};
  s.reduction.kind = ir::reduction_kind::sum;
  s.reduction.axes = {{"i", 0, 4}};
  s.components = {{"", dtype::f32, e.at(1)}};
  s.predicate = two(binary_op::less, e.at(0) * e.at(0), real(0.5));
  e.add(std::move(s));
  auto const of = [&](double a) { return e.bounds({e.numbers({0.1, 0.9, a, 3}), e.numbers({1, 2, 3, 4})})[0]; };
  CHECK(of(0.6) == 0);
  CHECK_FALSE(ir::rounding_bounds::is_bounded(of(std::sqrt(0.5))));
}

}  // namespace rounding_bounds_of_reductions_tests
