// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/match_tile_products.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/random_nest.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"

namespace match_tile_products_tests {

using namespace ttune_test;

namespace {

auto const A = share(ir::buffer{{}, "A", dtype::bf16, {32, 64}, ir::memory::operand, 0, {}});
auto const P = share(ir::buffer{{}, "P", dtype::bf16, {32, 32, 2}, ir::memory::operand, 1, {}});
auto const sums = share(ir::buffer{{}, "S", dtype::f32, {16, 32}, ir::memory::local, -1, {}});
auto const r = ir::make_variable("r");
auto const c = ir::make_variable("c");
auto const k = ir::make_variable("k");
auto const g = ir::make_variable("g");
auto const o = ir::make_variable("o");

ir::expr operator/(ir::expr const& e, std::int64_t by) {
  return ir::make_binary(ir::binary_op::floor_divide, e, ir::make_index(by));
}
ir::expr operator%(ir::expr const& e, std::int64_t by) {
  return ir::make_binary(ir::binary_op::floor_modulo, e, ir::make_index(by));
}

/// The sum of one tile of 16 columns, from `first` on.
ir::stmt sum(ir::expr const& first) {
  auto const wide = [](ir::expr const& e) { return ir::make_cast(dtype::f32, e); };
  auto const term = o * ir::make_index(32) + k;
  std::vector<ir::expr> const at{r, first + c};
  return ir::make_store(sums, at,
                        ir::make_access(sums, at) + wide(ir::make_access(A, {r, term})) *
                                                        wide(ir::make_access(P, {term / 2, first + c, term % 2})));
}
/// Tensorized loops around a statement.
ir::stmt tile(ir::stmt const& body, std::int64_t rows = 16, std::int64_t columns = 16, std::int64_t terms = 32) {
  auto const tensorized = loop_kind::tensorized;
  return loop("r", 0, rows, tensorized, loop("c", 0, columns, tensorized, loop("k", 0, terms, tensorized, body)));
}
/// Two tiles in each of two blocks of terms.
ir::stmt blocks(ir::stmt const& two_tiles) {
  return loop("o", 0, 2, loop_kind::serial, loop("g", 0, 2, loop_kind::unrolled, two_tiles));
}

std::string matched(ir::stmt const& s, char const* machine = "x86-64-v4-amx") {
  auto const made = lowering::match_tile_products(ir::make_allocate(sums, s), named_target(machine));
  ir::verify(ir::lowered{"product", {A, P}, {}, {}, made});
  return ir::print(made);
}
std::size_t products(std::string const& text) {
  std::size_t n = 0;
  for (auto at = text.find("tile_multiply"); at != std::string::npos; at = text.find("tile_multiply", at + 1)) ++n;
  return n;
}
bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

auto const second = g * ir::make_index(16);

}  // namespace

TEST_CASE("match_tile_products: one statement has the loops around the tile") {
  auto const text = matched(blocks(tile(sum(second))));
  CHECK(products(text) == 1);
  CHECK(has(text, "o < 2, g < 2, r < 16, c < 16, k < 32"));
}

TEST_CASE("match_tile_products: zeros before the product are part of it, if its tiles are the whole buffer") {
  auto const zeros = loop("r", 0, 16, loop_kind::serial,
                          loop("x", 0, 32, loop_kind::vectorized,
                               ir::make_store(sums, {r, ir::make_variable("x")}, ir::make_real(dtype::f32, 0))));
  auto const whole = matched(ir::make_block({zeros, blocks(tile(sum(second)))}));
  CHECK(has(whole, "from zero"));
  CHECK(!has(whole, "vectorize"));
  auto const half = matched(ir::make_block({zeros, loop("o", 0, 2, loop_kind::serial, tile(sum(ir::make_index(0))))}));
  CHECK(products(half) == 1);
  CHECK(!has(half, "from zero"));
  CHECK(has(half, "vectorize"));
}

TEST_CASE("match_tile_products: at an edge, tiles have fewer rows, columns and terms") {
  auto const where = [](ir::expr const& condition) { return ir::make_conditional(condition, sum(second), {}); };
  CHECK(has(matched(blocks(tile(where(less(r, ir::make_index(5)))))), "r < 5, c < 16, k < 32"));
  CHECK(has(matched(blocks(tile(where(less(k, ir::make_index(6)))))), "r < 16, c < 16, k < 6"));
  auto const one_and_a_part = matched(blocks(tile(where(less(second + c, ir::make_index(20))))));
  CHECK(products(one_and_a_part) == 2);
  CHECK(has(one_and_a_part, "r < 16, c < 16, k < 32"));
  CHECK(has(one_and_a_part, "r < 16, c < 4, k < 32"));
  CHECK(products(matched(blocks(tile(where(less(second + c, ir::make_index(16))))))) == 1);
}

TEST_CASE("match_tile_products: seven tiles of sums leave no register for an operand, so that each is on its own") {
  auto const first = g * ir::make_index(4);
  auto const seven = loop("o", 0, 1, loop_kind::serial, loop("g", 0, 7, loop_kind::unrolled, tile(sum(first), 16, 4)));
  auto const text = matched(seven);
  CHECK(products(text) == 1);
  CHECK(has(text, "unroll g < 7"));
  CHECK(!has(text, "g < 7, r < 16"));
}

TEST_CASE("match_tile_products: what is no tile becomes rows, lanes and dot products") {
  auto const plain = [](std::string const& text) { return products(text) == 0 && has(text, "for r < "); };
  CHECK(plain(matched(blocks(tile(sum(second))), "x86-64-v4-vnni-bf16")));
  CHECK(has(matched(blocks(tile(sum(second))), "x86-64-v4-vnni-bf16"), "tensorize k < 2"));
  auto const where = [](ir::expr const& condition) { return ir::make_conditional(condition, sum(second), {}); };
  CHECK(plain(matched(blocks(tile(where(less(ir::make_index(0), r)))))));  // not the first rows
  CHECK(plain(matched(blocks(tile(where(less(k, ir::make_index(5))))))));  // half a pair of terms
  CHECK(plain(matched(loop("o", 0, 1, loop_kind::serial, tile(sum(ir::make_index(0)), 16, 20)))));  // too many columns
}

}  // namespace match_tile_products_tests
