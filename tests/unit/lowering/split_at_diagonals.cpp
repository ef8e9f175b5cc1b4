// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/split_at_diagonals.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "support/seed.hpp"
#include "ttune/ir/print.hpp"

namespace split_at_diagonals_tests {

using namespace ttune_test;

namespace {

auto const io = ir::make_variable("io");
auto const ii = ir::make_variable("ii");
auto const k = ir::make_variable("k");

/// for io < 5: for k < terms: unroll ii < 4: if condition: note
ir::stmt sum_under(ir::expr const& condition, std::int64_t terms = 20) {
  auto const body = ir::make_conditional(condition, note(ii, k));
  auto const tile = loop("k", 0, terms, loop_kind::serial, loop("ii", 0, 4, loop_kind::unrolled, body));
  return loop("io", 0, 5, loop_kind::serial, tile);
}

}  // namespace

TEST_CASE("split_at_diagonals: terms on the other side vanish, terms on the diagonal keep the condition") {
  auto const nest = sum_under(less(io * 4 + ii, k));
  auto const made = lowering::split_at_diagonals(nest);
  CHECK(ir::print(made) ==
        "for io < 5\n"
        "  for k in [io * 4 + 1, io * 4 + 4)\n"
        "    unroll ii < 4\n"
        "      if io * 4 + ii < k\n"
        "        C[ii % 5] = C[ii % 5] * 31 + cast<i64>(k)\n"
        "  for k in [io * 4 + 4, 20)\n"
        "    unroll ii < 4\n"
        "      C[ii % 5] = C[ii % 5] * 31 + cast<i64>(k)\n");
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("split_at_diagonals: a choice between two values has code for each side") {
  auto const a = ir::make_integer(dtype::i64, 3), b = ir::make_integer(dtype::i64, 5);
  auto const chosen = ir::make_select(less(k * 4 + ii, io), a, b);
  auto const write = ir::make_store(ttune_test::target, {ir::make_index(0)}, chosen);
  auto const inside = loop("k", 0, 10, loop_kind::serial, loop("ii", 0, 4, loop_kind::vectorized, write));
  auto const made = lowering::split_at_diagonals(loop("io", 0, 40, loop_kind::parallel, inside));
  CHECK(ir::print(made) ==
        "parallel io < 40\n"
        "  for k < io / 4\n"
        "    vectorize ii < 4\n"
        "      C[0] = 3\n"
        "  for k in [io / 4, (io - 1) / 4 + 1)\n"
        "    vectorize ii < 4\n"
        "      C[0] = select(k * 4 + ii < io, 3, 5)\n"
        "  for k in [(io - 1) / 4 + 1, 10)\n"
        "    vectorize ii < 4\n"
        "      C[0] = 5\n");
}

TEST_CASE("split_at_diagonals: a band has two diagonals") {
  auto const nest = sum_under(both(less(io * 4 + ii, k + 3), less(k, io * 4 + ii + 3)));
  auto const made = lowering::split_at_diagonals(nest);
  CHECK(effect_of(made) == effect_of(nest));
  CHECK(ir::print(made).find("for k < 20") == std::string::npos);
}

TEST_CASE("split_at_diagonals: a vector of its own runs where one of its lanes does") {
  auto const lanes = [](std::int64_t first) {
    auto const here = less(ii + first, io);
    auto const body = loop("ii", 0, 4, loop_kind::vectorized, ir::make_conditional(here, note(ii, io)));
    return loop("io", 0, 40, loop_kind::serial,
                loop("k", 0, 2, loop_kind::serial, ir::make_block({body, sum_under(less(k, io))})));
  };
  CHECK(ir::print(lowering::split_at_diagonals(lanes(20)))
            .find("if 21 <= io\n      vectorize ii < 4\n        if ii + 20 < io") != std::string::npos);
  CHECK(ir::print(lowering::split_at_diagonals(lanes(1))).find("    vectorize ii < 4") != std::string::npos);
}

TEST_CASE("split_at_diagonals: short loops, conditions of one loop and loops of a device stay") {
  for (auto const& nest : {sum_under(less(io * 4 + ii, k), 3), sum_under(less(ii, k)), sum_under(less(k, ii * 9))})
    CHECK(lowering::split_at_diagonals(nest) == nest);
  auto const threads = loop("t", 0, 4, loop_kind::thread_x, sum_under(less(io * 4 + ii, k)));
  CHECK(lowering::split_at_diagonals(threads) == threads);
}

TEST_CASE("split_at_diagonals: random conditions keep their effects, in the same order") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  auto const pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(below)));
  };
  auto const side = [&] {
    auto const left = k * (pick(5) - 2) + ii * (pick(5) - 2);
    auto const right = io * (pick(9) - 4) + (pick(41) - 20);
    auto const op = random.chance(0.5) ? binary_op::less : binary_op::less_equal;
    auto made = ir::make_binary(op, left, right);
    return random.chance(0.3) ? ir::make_unary(ir::unary_op::logical_not, made) : made;
  };
  int cut = 0;
  for (int n = 0; n < 600; ++n) {
    auto condition = side();
    if (random.chance(0.5)) {
      auto const op = random.chance(0.5) ? binary_op::logical_and : binary_op::logical_or;
      condition = ir::make_binary(op, condition, side());
    }
    auto const nest = sum_under(condition, 7 + pick(20));
    auto const made = lowering::split_at_diagonals(nest);
    cut += made != nest ? 1 : 0;
    CAPTURE(ir::print(nest));
    CAPTURE(made ? ir::print(made) : "nothing");
    CHECK(effect_of(made) == effect_of(nest));
    CHECK((!made || ir::print(lowering::split_at_diagonals(made)).size() < 20000));
  }
  CHECK(cut > 100);
}

}  // namespace split_at_diagonals_tests
