// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/symbolic_bounds.hpp"

#include <doctest/doctest.h>

#include "support/random_index.hpp"
#include "support/seed.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/rng.hpp"

namespace symbolic_bounds_tests {

using namespace ttune;

namespace {

auto const io = ir::make_variable("io");
auto const ii = ir::make_variable("ii");
auto const j = ir::make_variable("j");
arith::ranges const inner = {{"ii", {0, 7}}};
arith::ranges const known = {{"io", {0, 9}}, {"j", {0, 79}}};

ir::expr compared(ir::binary_op op, ir::expr const& a, ir::expr const& b) { return ir::make_binary(op, a, b); }
std::string text(ir::expr const& e) { return ir::print(arith::simplify(e, known)); }

}  // namespace

TEST_CASE("symbolic bounds: over the inner variables, of the outer ones") {
  CHECK(text(arith::least(io * 8 + ii, inner)) == "io * 8");
  CHECK(text(arith::greatest(io * 8 + ii, inner)) == "io * 8 + 7");
  CHECK(text(arith::least(j - ii * 2, inner)) == "j - 14");
  auto const quarter = compared(ir::binary_op::floor_divide, j + ii, ir::make_index(4));
  CHECK(text(arith::greatest(quarter, inner)) == "(j + 3) / 4 + 1");
  CHECK(text(arith::least(ir::make_unary(ir::unary_op::abs, io - ii), inner)) == "max(max(io - 7, io * -1), 0)");
  auto const data = share(ir::buffer{{}, "T", dtype::i32, {8}, ir::memory::operand, 0, {}});
  CHECK_FALSE(arith::least(ir::make_cast(dtype::index, ir::make_access(data, {ii})), inner));
}

TEST_CASE("symbolic bounds: conditions that may hold, and that surely hold") {
  auto const triangle = compared(ir::binary_op::less_equal, j, io * 8 + ii);
  CHECK(text(arith::may_hold(triangle, inner)) == "j <= io * 8 + 7");
  CHECK(text(arith::surely_holds(triangle, inner)) == "j <= io * 8");
  auto const outside = ir::make_unary(ir::unary_op::logical_not, triangle);
  CHECK(text(arith::may_hold(outside, inner)) == "io * 8 < j");
  CHECK(text(arith::surely_holds(outside, inner)) == "io * 8 + 7 < j");
  CHECK(text(arith::may_hold(compared(ir::binary_op::equal, ii, j), inner)) == "j < 8");
  auto const data = share(ir::buffer{{}, "T", dtype::i32, {8}, ir::memory::operand, 0, {}});
  auto const by_data = compared(ir::binary_op::less, ir::make_access(data, {ii}), ir::make_number(dtype::i32, 3));
  CHECK(text(arith::may_hold(by_data, inner)) == "true");
  CHECK(text(arith::surely_holds(by_data, inner)) == "false");
}

TEST_CASE("symbolic bounds: no condition holds where it may not, or fails where it surely holds") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  auto const pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(below)));
  };
  auto const term = [&] {
    ir::expr made = ir::make_index(pick(9) - 4);
    for (auto const& v : {io, ii, j}) made = made + v * (pick(5) - 2);
    auto const by = ir::make_index(1 + pick(4));
    switch (pick(5)) {
      case 0: return compared(ir::binary_op::floor_divide, made, by);
      case 1: return compared(ir::binary_op::floor_modulo, made, by);
      case 2: return compared(ir::binary_op::minimum, made, by);
      default: return made;
    }
  };
  constexpr ir::binary_op ops[] = {ir::binary_op::less, ir::binary_op::less_equal, ir::binary_op::equal,
                                   ir::binary_op::not_equal};
  auto const comparison = [&] {
    auto const left = term();
    auto const made = compared(ops[pick(4)], left, term());
    return random.chance(0.3) ? ir::make_unary(ir::unary_op::logical_not, made) : made;
  };
  auto const at = [](ir::expr const& e, arith::ranges const& where) {
    return ir::constant_integer(arith::simplify(e, where)) != 0;
  };
  for (int n = 0; n < 400; ++n) {
    auto condition = comparison();
    if (random.chance(0.5)) {
      auto const op = random.chance(0.5) ? ir::binary_op::logical_and : ir::binary_op::logical_or;
      condition = compared(op, condition, comparison());
    }
    auto const may = arith::may_hold(condition, inner);
    auto const surely = arith::surely_holds(condition, inner);
    CAPTURE(ir::print(condition));
    auto const x = pick(10), y = pick(80);
    for (std::int64_t z = 0; z < 8; ++z) {
      arith::ranges const point = {{"io", {x, x}}, {"j", {y, y}}, {"ii", {z, z}}};
      bool const holds = at(condition, point);
      CHECK((!holds || at(may, point)));
      CHECK((holds || !at(surely, point)));
    }
  }
}

}  // namespace symbolic_bounds_tests
