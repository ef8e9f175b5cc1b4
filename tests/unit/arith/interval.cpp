// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/interval.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "support/random_index.hpp"
#include "support/seed.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"

namespace interval_tests {

using namespace ttune;

namespace {
/// Returns the interval of the values that an expression takes.
arith::interval taken(ir::expr const& e, ttune_test::box const& box) {
  arith::interval all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  ttune_test::for_each_point(box, [&](ttune_test::environment const& at) {
    auto const v = ttune_test::value_of(e, at);
    all = {std::min(all.low, v), std::max(all.high, v)};
  });
  return all;
}
}  // namespace

TEST_CASE("interval: of any expression, it contains all values") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  for (int i = 0; i < 1000; ++i) {
    auto const box = make.ranges();
    auto const e = make.index(4);
    CAPTURE(ir::print(e));
    auto const found = arith::bounds(e, ttune_test::ranges_of(box));
    auto const real = taken(e, box);
    CHECK(found.low <= real.low);
    CHECK(found.high >= real.high);
  }
}

TEST_CASE("interval: of an affine expression, it is exact") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  for (int i = 0; i < 500; ++i) {
    auto const box = make.ranges();
    auto const e = make.affine(4);
    CAPTURE(ir::print(e));
    CHECK(arith::bounds(e, ttune_test::ranges_of(box)) == taken(e, box));
  }
}

TEST_CASE("interval: unknown values have no bounds, but their remainders do") {
  auto const n = ir::make_variable("n");
  CHECK(!arith::is_bounded(arith::bounds(n * 3 + 1, {})));
  auto const rest = ir::make_binary(ir::binary_op::floor_modulo, n, ir::make_index(5));
  CHECK(arith::bounds(rest, {}) == arith::interval{0, 4});
  auto const clamped = ir::make_binary(ir::binary_op::maximum, n, ir::make_index(0));
  CHECK(arith::bounds(clamped, {}).low == 0);
  CHECK(arith::bounds(clamped, {}).high >= arith::unbounded.high);
}

TEST_CASE("interval: arithmetic does not overflow") {
  auto const n = ir::make_variable("n");
  std::int64_t const large = std::int64_t{1} << 59;
  CHECK(!arith::is_bounded(arith::bounds(n * large + n * large, {{"n", {-large, large}}})));
}

TEST_CASE("interval: gathered indices have the range that their operand declares") {
  auto const ids =
      share(ir::tensor{{}, "ids", dtype::i32, {8}, ir::layout::row_major, ir::tensor_role::input, true, 0, 100, {}});
  auto const at = ir::make_cast(dtype::index, ir::make_access(ids, {ir::make_variable("i")}));
  CHECK(arith::bounds(at, {}) == arith::interval{0, 99});
}

TEST_CASE("interval: indices of a table have the range of its content") {
  auto const table = share(ir::tensor{
      {}, "places", dtype::i32, {3}, ir::layout::row_major, ir::tensor_role::table, false, 0, 0, {7, -2, 5}});
  auto const at = ir::make_cast(dtype::index, ir::make_access(table, {ir::make_variable("i")}));
  CHECK(arith::bounds(at, {}) == arith::interval{-2, 7});
}

TEST_CASE("interval: the arms of a select are bounded for the values that choose them") {
  auto const i = ir::make_variable("i"), j = ir::make_variable("j");
  auto const less = [](ir::expr const& a, ir::expr const& b) { return ir::make_binary(ir::binary_op::less, a, b); };
  auto const zero = ir::make_index(0);
  arith::ranges const known{{"i", {-5, 4}}, {"j", {0, 2}}};
  CHECK(arith::bounds(ir::make_select(less(i, zero), i + 5, i), known) == arith::interval{0, 4});
  CHECK(arith::bounds(ir::make_select(less(i + j * 0 + 2, zero), i + 5 + j, i), known) == arith::interval{-2, 4});
  CHECK(arith::bounds(ir::make_select(less(zero, i), i, ir::make_index(1)), known) == arith::interval{1, 4});
  auto const at_most = ir::make_binary(ir::binary_op::less_equal, ir::make_index(-1), i);
  CHECK(arith::bounds(ir::make_select(at_most, i, ir::make_index(7)), known) == arith::interval{-1, 7});
  CHECK(arith::bounds(ir::make_select(less(i, ir::make_index(9)), j, i), known) == arith::interval{0, 2});    // always
  CHECK(arith::bounds(ir::make_select(less(i, ir::make_index(-9)), j, i), known) == arith::interval{-5, 4});  // never
  CHECK(arith::bounds(ir::make_select(less(i, j), i, j), known) == arith::interval{-5, 4});  // two atoms: of all values
}

}  // namespace interval_tests
