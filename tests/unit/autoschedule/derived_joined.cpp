// SPDX-License-Identifier: Apache-2.0
// Derived spaces of stages that are computed together, and of reductions with several components.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "support/derived_programs.hpp"
#include "support/shared_reads.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"

namespace derived_joined_tests {

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("derived: stages that read the same elements are computed together") {
  check_derived(ttune_test::group_norm(2, 3, 4, 5));
  check_derived(ttune_test::group_norm(1, 2, 1, 7));
  check_derived(ttune_test::group_norm_of_channels(2, 3, 4, 6));
  check_derived(ttune_test::group_norm_of_channels(1, 1, 2, 9));
  check_derived(ttune_test::channel_statistics(3, 5, 7));
  check_derived(ttune_test::min_max_scaling(37));
  check_derived(ttune_test::min_max_scaling<double>(131));
  check_derived(ttune_test::norm_gradients(9, 35));
  check_derived(ttune_test::optimiser_step(67));
}

TEST_CASE("derived: stages that read the same elements have one loop nest") {
  auto const stages_of = [](auto const& op) {
    return make_plan(derive_space(op.program(), named_target("x86-64-v3"))).stages;
  };
  CHECK(stages_of(ttune_test::optimiser_step(67)).size() == 1);
  auto const with_sums = stages_of(ttune_test::channel_statistics(3, 5, 7));
  CHECK(std::count_if(with_sums.begin(), with_sums.end(), [](stage_plan const& st) {
          return st.definition->reduces() && st.definition->reduction.axes.size() == 2;
        }) == 1);
}

TEST_CASE("derived: all sums of joined columns fit the registers") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{9, 400}};
  auto const S = compute<"S">(j) = sum(over(i), X(i, j));
  auto const L = compute<"L">(j) = max(over(i), X(i, j));
  auto const o = op(inputs(X), outputs(S, L), "sum_and_largest");
  for (auto const& machine : ttune_test::machines()) {
    auto const space = derive_space(o.program(), machine);
    auto const tile =
        std::find_if(space.knobs.begin(), space.knobs.end(), [](knob const& k) { return k.name == "S.tile_j"; });
    REQUIRE(tile != space.knobs.end());
    auto const lanes = machine.lanes(dtype::f32);
    auto const at = static_cast<std::size_t>(tile - space.knobs.begin());
    auto const seed = tile->values[static_cast<std::size_t>(space.seed.choices[at])];
    CHECK(2 * seed / lanes + 2 <= machine.vector_registers);
  }
  check_derived(o);
}

TEST_CASE("derived: several sums of the same columns stream their operand") {
  auto machine = ttune_test::machines().back();
  machine.l1_bytes = 4 << 10;
  machine.l2_bytes = 16 << 10;
  machine.cores = 2;
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{33, 520}};
  auto const S = compute<"S">(j) = sum(over(i), X(i, j));
  auto const Q = compute<"Q">(j) = sum(over(i), X(i, j) * X(i, j));
  auto const space = derive_space(op(inputs(X), outputs(S, Q), "sums").program(), machine);
  CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                    [](step const& s) { return s.what == primitive::rfactor && s.results[0] == "S.acc.runs"; }));
  ttune_test::check_space(space, 5);
}

TEST_CASE("derived: an argmax and its value are one reduction in lanes") {
  auto const argmax = [](std::int64_t rows, std::int64_t columns) {
    auto const [i, j] = axes<"i", "j">;
    tensor<"X", float, 2> const X{{rows, columns}};
    auto const [high, place] = reduce<"high", "place">(
        over(i), identity(-std::numeric_limits<float>::max(), 0),
        [](auto const& l, auto const& r) {
          auto const takes = l.template get<0>() < r.template get<0>();
          return components(select(takes, r.template get<0>(), l.template get<0>()),
                            select(takes, r.template get<1>(), l.template get<1>()));
        },
        law{true, false}, X(i, j), cast<std::int32_t>(i));
    auto const H = compute<"H">(j) = high;
    auto const P = compute<"P">(j) = place;
    return op(inputs(X), outputs(H, P), "argmax");
  };
  check_derived(argmax(7, 37));
  check_derived(argmax(3, 5));
  auto const space = derive_space(argmax(7, 64).program(), named_target("x86-64-v3"));
  auto const plan = make_plan(space);
  CHECK(std::count_if(plan.stages.begin(), plan.stages.end(),
                      [](stage_plan const& st) { return st.definition->reduces(); }) == 1);
  CHECK(std::any_of(space.steps.begin(), space.steps.end(), [](step const& s) {
    return s.what == primitive::vectorize && s.stage.find("reduce") != std::string::npos;
  }));
}

TEST_CASE("derived: a tuple whose components need each other's old values") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{6, 33}};
  tensor<"B", float, 2> const B{{6, 33}};
  auto const [re, im] = reduce<"re", "im">(
      over(i), identity(1.0F, 0.0F),
      [](auto const& l, auto const& r) {
        return components(l.template get<0>() * r.template get<0>() - l.template get<1>() * r.template get<1>(),
                          l.template get<0>() * r.template get<1>() + l.template get<1>() * r.template get<0>());
      },
      law{true, true}, A(i, j), B(i, j));
  auto const R = compute<"R">(j) = re;
  auto const I = compute<"I">(j) = im;
  check_derived(op(inputs(A, B), outputs(R, I), "complex_product"), 5);
}

TEST_CASE("derived: terms of a tuple that is not associative keep their order over several axes") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"X", float, 3> const X{{22, 5, 33}};
  auto const [total, count] = reduce<"total", "count">(
      over(r.in(3), s), identity(0.0F, 0),
      [](auto const& l, auto const& term) {
        return components(0.5F * l.template get<0>() + term.template get<0>(),
                          l.template get<1>() + term.template get<1>());
      },
      law{false, true}, X(y + r, s, x), cast<std::int32_t>(s));
  auto const T = compute<"T">(y.in(20), x) = total;
  check_derived(op(inputs(X), outputs(T), "decaying_sum"), 5);
}

}  // namespace derived_joined_tests
