// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/simplify.hpp"

#include <doctest/doctest.h>

#include "support/random_index.hpp"
#include "support/seed.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"

namespace simplify_tests {

using namespace ttune;
using ir::binary_op;

namespace {

ir::expr variable(char const* name) { return ir::make_variable(name); }
ir::expr quotient(ir::expr const& a, std::int64_t by) {
  return ir::make_binary(binary_op::floor_divide, a, ir::make_index(by));
}
ir::expr remainder(ir::expr const& a, std::int64_t by) {
  return ir::make_binary(binary_op::floor_modulo, a, ir::make_index(by));
}
ir::expr less(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::less, a, b); }
ir::expr both(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::logical_and, a, b); }

std::string simple(ir::expr const& e, arith::ranges const& known = {}) { return ir::print(arith::simplify(e, known)); }

using law = void (*)(ir::expr const& given, ir::expr const& made, ttune_test::box const& box);

/// Calls `holds` for random conditions or indices and their simplified forms.
void for_random(bool conditions, law holds) {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  for (int i = 0; i < 2000; ++i) {
    auto const box = make.ranges();
    auto const given = conditions ? make.condition(i % 4 + 1) : make.index(i % 5 + 1);
    auto const made = arith::simplify(given, ttune_test::ranges_of(box));
    CAPTURE(ir::print(given));
    CAPTURE(ir::print(made));
    holds(given, made, box);
  }
}

void check_same_value(ir::expr const& given, ir::expr const& made, ttune_test::box const& box) {
  CHECK(made->type == given->type);
  bool same = true;
  ttune_test::for_each_point(box, [&](ttune_test::environment const& at) {
    same = same && ttune_test::value_of(given, at) == ttune_test::value_of(made, at);
  });
  CHECK(same);
}

void check_stable(ir::expr const&, ir::expr const& made, ttune_test::box const& box) {
  auto const again = arith::simplify(made, ttune_test::ranges_of(box));
  CAPTURE(ir::print(again));
  CHECK(again == made);
}

}  // namespace

TEST_CASE("simplify: split indices are put together and taken apart") {
  auto const o = variable("o");
  auto const i = variable("i");
  arith::ranges const known{{"o", {0, 9}}, {"i", {0, 7}}};
  CHECK(simple(quotient(o * 8 + i, 8), known) == "o");
  CHECK(simple(remainder(o * 8 + i, 8), known) == "i");
  CHECK(simple(quotient(o, 3) * 3 + remainder(o, 3)) == "o");
  CHECK(simple(quotient(quotient(o, 2), 3)) == "o / 6");
  CHECK(simple(remainder(remainder(o, 12), 4)) == "o % 4");
  CHECK(simple(quotient(o * 6, 4)) == "o * 3 / 2");
}

TEST_CASE("simplify: comparisons have their terms on the positive sides") {
  auto const i = variable("i");
  auto const j = variable("j");
  CHECK(simple(less(i * 2 - j * 2, ir::make_index(3))) == "i <= j + 1");
  CHECK(simple(less(quotient(i, 4), ir::make_index(3))) == "i < 12");
  CHECK(simple(less(i, ir::make_index(8)), {{"i", {0, 7}}}) == "true");
  CHECK(simple(less(ir::make_index(8), i), {{"i", {0, 7}}}) == "false");
  CHECK(simple(both(less(i, ir::make_index(8)), less(i, ir::make_index(5)))) == "i < 5");
  CHECK(simple(ir::make_unary(ir::unary_op::logical_not, less(i, j))) == "j <= i");
}

TEST_CASE("simplify: a variable of one value is that value, a decided select is its arm") {
  auto const i = variable("i");
  CHECK(simple(i * 4 + variable("j"), {{"i", {2, 2}}}) == "j + 8");
  auto const chosen = ir::make_select(less(i, ir::make_index(3)), i, variable("j"));
  CHECK(simple(chosen, {{"i", {0, 2}}}) == "i");
}

TEST_CASE("simplify: indices and conditions keep their values") {
  for_random(false, check_same_value);
  for_random(true, check_same_value);
}

TEST_CASE("simplify: an index that is simple stays the same handle") { for_random(false, check_stable); }

TEST_CASE("simplify: a condition that is simple stays the same handle") { for_random(true, check_stable); }

TEST_CASE("simplify: a comparison of affine sums that is left is undecided") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  for (int i = 0; i < 1000; ++i) {
    auto const box = make.ranges();
    auto const a = make.affine(2);
    auto const made = arith::simplify(less(a, make.affine(2)), ttune_test::ranges_of(box));
    if (ir::is_constant(made)) continue;
    CAPTURE(ir::print(made));
    bool seen[2] = {};
    ttune_test::for_each_point(box,
                               [&](ttune_test::environment const& at) { seen[ttune_test::value_of(made, at)] = true; });
    CHECK(seen[0]);
    CHECK(seen[1]);
  }
}

TEST_CASE("simplify: a statement knows the ranges of its loops") {
  auto const i = variable("i");
  auto const to = share(ir::buffer{{}, "C", dtype::f32, {8}, ir::memory::operand, 0, {}});
  auto const body = ir::make_conditional(less(i, ir::make_index(8)),
                                         ir::make_store(to, {remainder(i, 8)}, ir::make_real(dtype::f32, 1)));
  auto const nest = ir::make_loop("i", ir::make_index(0), ir::make_index(8), ir::loop_kind::serial, body);
  CHECK(ir::print(arith::simplify(nest)) == "for i < 8\n  C[i] = 1.0\n");
}

}  // namespace simplify_tests
