// SPDX-License-Identifier: Apache-2.0
// instantiate: extents and strides of loops, regions of stages computed inside of others, permutations.
#include "ttune/loop_nest/instantiate.hpp"

#include <doctest/doctest.h>

#include "ttune/expr.hpp"
#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"

namespace instantiate_tests {

using namespace ttune;

namespace {

loop_nest instantiated(space const& of, configuration const& chosen) {
  auto const p = make_plan(of);
  loop_nest n;
  instantiate(p, chosen, n);
  return n;
}

handle<ir::program> copy(std::int64_t rows, std::int64_t columns) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{rows, columns}};
  auto const C = compute<"C">(i, j) = A(i, j) + 1.0F;
  return op(inputs(A), outputs(C)).program();
}

}  // namespace

TEST_CASE("instantiate: parts of a split") {
  space const of{copy(100, 7),
                 {{primitive::split, "C", {"i"}, {"a", "b", "c"}, {{0, 1, 0}, {0, 2, 0}}}},
                 {factors_knob("t", 100, 3)},
                 {},
                 {}};
  for (std::int32_t c = 0; c < of.knobs[0].choices(); ++c) {
    auto const n = instantiated(of, {{c}});
    auto const t = of.knobs[0].choice(c);
    CHECK(n.loop_count == 4);
    CHECK(n.loops[0].extent == t[0]);
    CHECK(n.loops[0].stride == t[1] * t[2]);
    CHECK(n.loops[1].extent == t[1]);
    CHECK(n.loops[1].stride == t[2]);
    CHECK(n.loops[2].extent == t[2]);
    CHECK(n.loops[2].stride == 1);
    CHECK(n.loops[3].extent == 7);
  }
}

TEST_CASE("instantiate: parts that do not divide, and parts larger than the axis") {
  auto const with = [](std::int64_t inner) {
    return instantiated({copy(10, 1), {{primitive::split, "C", {"i"}, {"a", "b"}, {literal(inner)}}}, {}, {}, {}}, {});
  };
  CHECK(with(4).loops[0].extent == 3);
  CHECK(with(4).loops[1].extent == 4);
  CHECK(with(64).loops[0].extent == 1);
  CHECK(with(64).loops[1].extent == 10);
}

TEST_CASE("instantiate: a permutation knob") {
  space const of{
      copy(4, 6), {{primitive::reorder, "C", {"i", "j"}, {}, {{0, 0, 0}}}}, {permutation_knob("order", 2)}, {}, {}};
  CHECK(instantiated(of, {{0}}).loops[0].extent == 4);
  CHECK(instantiated(of, {{1}}).loops[0].extent == 6);
  CHECK(instantiated(of, {{1}}).loops[1].extent == 4);
}

TEST_CASE("instantiate: a later reorder may not name the loops of a permutation knob") {
  auto const then = [](std::vector<std::string> loops) {
    return make_plan({copy(4, 6),
                      {{primitive::split, "C", {"j"}, {"jo", "ji"}, {literal(2)}},
                       {primitive::reorder, "C", {"i", "jo"}, {}, {{0, 0, 0}}},
                       {primitive::reorder, "C", std::move(loops), {}, {}}},
                      {permutation_knob("order", 2)},
                      {},
                      {}});
  };
  CHECK_THROWS_WITH_AS((void)then({"jo", "i"}),
                       "reorder(jo): stands where a permutation knob puts it: reorder before that, or leave it out",
                       schedule_error);
  CHECK_THROWS_AS((void)then({"ji", "i"}), schedule_error);
  CHECK_NOTHROW((void)then({"ji"}));
}

TEST_CASE("instantiate: a permutation knob keeps the terms of a reduction that is not commutative in order") {
  auto const [i, r, s] = axes<"i", "r", "s">;
  tensor<"A", float, 3> const A{{4, 5, 6}};
  auto const C = compute<"C">(i) = sum(over(r, s), A(i, r, s));
  ir::program p = *op(inputs(A), outputs(C)).program();
  ir::stage ordered = *p.stages[0];
  ordered.reduction.commutative = false;
  p.stages = p.outputs = {share(std::move(ordered))};
  auto const program = share(std::move(p));
  auto const permuting = [&](std::vector<std::string> loops) {
    return make_plan({program,
                      {{primitive::reorder, "C", std::move(loops), {}, {{0, 0, 0}}}},
                      {permutation_knob("order", 2)},
                      {},
                      {}});
  };
  CHECK_NOTHROW((void)permuting({"i", "r"}));
  CHECK_THROWS_AS((void)permuting({"r", "s"}), schedule_error);
  CHECK_THROWS_AS((void)permuting({"i", "s"}), schedule_error);  // s would pass r
}

TEST_CASE("instantiate: a boolean knob leaves a loop as it is") {
  space const of{copy(4, 6), {{primitive::vectorize, "C", {"j"}, {}, {{0, 0, 0}}}}, {boolean_knob("v")}, {}, {}};
  CHECK(instantiated(of, {{0}}).loops[1].kind == ir::loop_kind::serial);
  CHECK(instantiated(of, {{1}}).loops[1].kind == ir::loop_kind::vectorized);
}

TEST_CASE("instantiate: the region of a stage computed inside its reader") {
  auto const [i, r] = axes<"i", "r">;
  tensor<"A", float, 1> const A{{67}};
  auto const P = compute<"P">(i) = A(i) * 2.0F;
  auto const C = compute<"C">(i.in(32)) = sum(over(r.in(4)), P(i * 2 + r));
  space const of{op(inputs(A), outputs(C)).program(),
                 {{primitive::split, "C", {"i"}, {"io", "ii"}, {{0, 1, 0}}},
                  {primitive::compute_at, "P", {"C", "@root", "io", "ii"}, {}, {{1, 0, 0}}}},
                 {factors_knob("t", 32, 2), location_knob("at", 3)},
                 {},
                 {}};
  for (std::int32_t c = 0; c < of.knobs[0].choices(); ++c) {
    auto const inner = of.knobs[0].choice(c)[1];
    CHECK(instantiated(of, {{c, 0}}).stages[0].extent[0] == 67);
    CHECK(instantiated(of, {{c, 1}}).stages[0].extent[0] == 2 * (inner - 1) + 4);
    CHECK(instantiated(of, {{c, 2}}).stages[0].extent[0] == 4);
    CHECK(instantiated(of, {{c, 1}}).stages[0].attached_to == 1);
    CHECK(instantiated(of, {{c, 1}}).stages[0].depth == 0);
  }
}

}  // namespace instantiate_tests
