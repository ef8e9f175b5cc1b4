// SPDX-License-Identifier: Apache-2.0
// Expressions that use values repeatedly: they are huge as trees, and small as stages.
#include "ttune/capture/shared_values.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"

namespace shared_values_tests {

using namespace ttune;

namespace {

/// One step of the logistic map; the value occurs twice in it.
template <class X>
auto grown(X const& x) {
  return x * 3.7 * (1 - x);
}

template <int Steps, class X>
auto grown_often(X const& x) {
  if constexpr (Steps == 0) return x;
  else return grown_often<Steps - 1>(grown(x));
}

ir::ndarray numbers(std::int64_t n, double first, double step) {
  ir::ndarray made(dtype::f64, {n});
  for (std::size_t i = 0; i < made.reals.size(); ++i) made.reals[i] = first + step * static_cast<double>(i);
  return made;
}

std::vector<std::string> stage_names(ir::program const& p) {
  std::vector<std::string> names;
  for (auto const& s : p.stages) names.push_back(s->name);
  return names;
}

std::int64_t nodes_of(ir::program const& p) {
  std::int64_t nodes = 0;
  for (auto const& s : p.stages)
    for (auto const& c : s->components) ir::for_each_node(c.value, [&](ir::expr const&) { ++nodes; });
  return nodes;
}

}  // namespace

TEST_CASE("shared values: sixty steps are some stages, and compute what a loop computes") {
  auto const [i] = axes<"i">;
  tensor<"X", double, 1> const X{{9}};
  auto const O = compute<"O">(i) = grown_often<60>(X(i));
  auto const p = op(inputs(X), outputs(O)).program();
  ir::verify(*p);
  CHECK(p->stages.size() <= 25);
  CHECK(nodes_of(*p) < 60 * 64);
  auto const x = numbers(9, 0.1, 0.09);
  auto const got = ir::evaluate(*p, std::vector<ir::ndarray>{x})[0];
  for (std::size_t k = 0; k < 9; ++k) {
    auto expected = x.reals[k];
    for (int step = 0; step < 60; ++step) expected = expected * 3.7 * (1 - expected);
    CHECK(got.reals[k] == doctest::Approx(expected));
  }
}

TEST_CASE("shared values: small expressions stay as they are") {
  auto const [i] = axes<"i">;
  tensor<"X", double, 1> const X{{9}};
  auto const O = compute<"O">(i) = grown_often<5>(X(i));
  CHECK(stage_names(*op(inputs(X), outputs(O)).program()) == std::vector<std::string>{"O"});
}

TEST_CASE("shared values: outputs that use the same values share their stages") {
  auto const [i] = axes<"i">;
  tensor<"X", double, 1> const X{{9}};
  auto const x = grown_often<14>(X(i));
  auto const y = x * x + x;
  auto const A = compute<"A">(i) = y * 2 + x;
  auto const B = compute<"B">(i) = y * y;
  auto const p = op(inputs(X), outputs(A, B)).program();
  auto const names = stage_names(*p);
  CHECK(std::ranges::count_if(names, [](auto const& n) { return n.starts_with("A.value"); }) >= 2);
  CHECK(std::ranges::count_if(names, [](auto const& n) { return n.starts_with("B.value"); }) == 0);
  auto const got = ir::evaluate(*p, std::vector<ir::ndarray>{numbers(9, 0.1, 0.09)});
  for (std::size_t k = 0; k < 9; ++k) {
    auto v = 0.1 + 0.09 * static_cast<double>(k);
    for (int step = 0; step < 14; ++step) v = v * 3.7 * (1 - v);
    auto const w = v * v + v;
    CHECK(got[0].reals[k] == doctest::Approx(w * 2 + v));
    CHECK(got[1].reals[k] == doctest::Approx(w * w));
  }
}

TEST_CASE("shared values: the terms of a sum share values for each term") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", double, 1> const X{{5}};
  tensor<"Y", double, 1> const Y{{4}};
  auto const O = compute<"O">(i) = sum(over(k), grown_often<12>(X(i) * Y(k)));
  auto const p = op(inputs(X, Y), outputs(O)).program();
  REQUIRE(p->stages.size() > 1);
  CHECK(p->stages[0]->name == "O.value");
  CHECK(p->stages[0]->axes.size() == 2);
  auto const got = ir::evaluate(*p, std::vector<ir::ndarray>{numbers(5, 0.2, 0.1), numbers(4, 0.3, 0.2)})[0];
  for (std::size_t a = 0; a < 5; ++a) {
    double expected = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      auto v = (0.2 + 0.1 * static_cast<double>(a)) * (0.3 + 0.2 * static_cast<double>(b));
      for (int step = 0; step < 12; ++step) v = v * 3.7 * (1 - v);
      expected += v;
    }
    CHECK(got.reals[a] == doctest::Approx(expected));
  }
}

TEST_CASE("shared values: a division of integers stays behind its condition") {
  auto const [i] = axes<"i">;
  tensor<"X", std::int32_t, 1> const X{{4}};
  tensor<"Y", std::int32_t, 1> const Y{{4}};
  auto const ratio = X(i) / Y(i) + X(i) + Y(i);
  auto const r2 = ratio * ratio + ratio;
  auto const r4 = r2 * r2 + r2;
  auto const r8 = r4 * r4 + r4;
  auto const r16 = r8 * r8 + r8;
  auto const r32 = r16 * r16 + r16;
  auto const r64 = r32 * r32 + r32;
  auto const O = compute<"O">(i) = select(Y(i) != 0, r64, 0);
  auto const p = op(inputs(X, Y), outputs(O)).program();
  CHECK(stage_names(*p) == std::vector<std::string>{"O"});
  ir::ndarray const x = ir::ndarray(dtype::i32, {4}), y = ir::ndarray(dtype::i32, {4});
  CHECK(ir::evaluate(*p, std::vector<ir::ndarray>{x, y})[0].integers == std::vector<std::int64_t>{0, 0, 0, 0});
}

TEST_CASE("shared values: a division that one stage always makes stays behind the condition of another, longer one") {
  auto const [i] = axes<"i">;
  tensor<"X", std::int32_t, 1> const X{{8}};
  tensor<"Y", std::int32_t, 1> const Y{{8}};
  auto const ratio = X(i) / Y(i) + X(i) + Y(i);
  auto const r2 = ratio * ratio + ratio;
  auto const r4 = r2 * r2 + r2;
  auto const r8 = r4 * r4 + r4;
  auto const r16 = r8 * r8 + r8;
  auto const r32 = r16 * r16 + r16;
  auto const r64 = r32 * r32 + r32;
  auto const A = compute<"A">(i.in(4)) = r64 * r64;
  auto const B = compute<"B">(i.in(8)) = select(Y(i) != 0, r64, 0);
  auto const p = op(inputs(X, Y), outputs(A, B)).program();
  REQUIRE(p->stages.size() > 2);
  for (auto const& s : p->stages) CHECK((s->name == "B" || s->axes[0].end.value == 4));
  ir::ndarray x(dtype::i32, {8}), y(dtype::i32, {8});
  for (std::size_t k = 0; k < 4; ++k) y.integers[k] = 1;
  CHECK(ir::evaluate(*p, std::vector<ir::ndarray>{x, y})[1].integers[7] == 0);
}

TEST_CASE("shared values: a factor that is absent outside of a tensor stays absent in a sum") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", double, 1> const X{{4}};
  tensor<"W", double, 1> const W{{3}};
  auto const x = zero_outside(X)(i + k - 1) * 2;
  auto const y = x * W(k) + x * x;
  auto const y2 = y * y + y;
  auto const y4 = y2 * y2 + y2;
  auto const y8 = y4 * y4 + y4;
  auto const y16 = y8 * y8 + y8;
  auto const y32 = y16 * y16 + y16;
  auto const O = compute<"O">(i.in(4)) = sum(over(k), y32 * y32);
  auto const p = op(inputs(X, W), outputs(O)).program();
  CHECK(stage_names(*p) == std::vector<std::string>{"O"});
}

}  // namespace shared_values_tests
