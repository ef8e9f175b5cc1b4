// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/skip_stages.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "ttune/ir/print.hpp"

namespace skip_stages_tests {

using namespace ttune_test;

namespace {

handle<ir::buffer> buffer(char const* name, std::vector<std::int64_t> extents, ir::memory where) {
  return share(ir::buffer{{}, name, dtype::f32, std::move(extents), where, -1, {}});
}

auto const A = buffer("A", {40}, ir::memory::operand);
auto const D = buffer("D", {40, 40}, ir::memory::operand);
auto const io = ir::make_variable("io");
auto const jo = ir::make_variable("jo");

ir::expr at_most(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::less_equal, a, b); }
ir::expr variable(char const* name) { return ir::make_variable(name); }

/// Wraps a tile in its loops: for io < 5: for jo < 5: body.
ir::stmt tiles(ir::stmt const& body) {
  return loop("io", 0, 5, loop_kind::serial, loop("jo", 0, 5, loop_kind::serial, body));
}

/// unroll x < 8: vectorize y < 8: body
ir::stmt tile(char const* x, char const* y, ir::stmt const& body) {
  return loop(x, 0, 8, loop_kind::unrolled, loop(y, 0, 8, loop_kind::vectorized, body));
}

/// D[i, j] = select(condition, P[…], A[j]) for the tile; `own`: the indices into P.
ir::stmt reading(handle<ir::buffer> const& P, ir::expr const& condition, std::vector<ir::expr> const& own) {
  auto const i = io * 8 + variable("i"), j = jo * 8 + variable("j");
  auto const value = ir::make_select(condition, ir::make_access(P, own), ir::make_access(A, {j}));
  return tile("i", "j", ir::make_store(D, {i, j}, value));
}
ir::stmt computing(handle<ir::buffer> const& P) {
  return tile("x", "y",
              ir::make_store(P, {variable("x"), variable("y")}, ir::make_access(A, {io * 8 + variable("x")})));
}

ir::expr triangle() { return at_most(jo * 8 + variable("j"), io * 8 + variable("i")); }

}  // namespace

TEST_CASE("skip_stages: a tile of accumulators has three forms") {
  auto const P = buffer("P", {8, 8}, ir::memory::registers);
  auto const body = ir::make_block({computing(P), reading(P, triangle(), {variable("i"), variable("j")})});
  CHECK(ir::print(lowering::skip_stages(tiles(ir::make_allocate(P, body)))) ==
        "for io < 5\n"
        "  for jo < 5\n"
        "    alloc P f32 (8, 8) registers\n"
        "    if jo <= io\n"
        "      unroll x < 8\n"
        "        vectorize y < 8\n"
        "          P[x, y] = A[io * 8 + x]\n"
        "      if jo < io\n"
        "        unroll i < 8\n"
        "          vectorize j < 8\n"
        "            D[io * 8 + i, jo * 8 + j] = P[i, j]\n"
        "      else\n"
        "        unroll i < 8\n"
        "          vectorize j < 8\n"
        "            D[io * 8 + i, jo * 8 + j] = select(jo * 8 + j <= io * 8 + i, P[i, j], A[jo * 8 + j])\n"
        "    else\n"
        "      unroll i < 8\n"
        "        vectorize j < 8\n"
        "          D[io * 8 + i, jo * 8 + j] = A[jo * 8 + j]\n");
}

TEST_CASE("skip_stages: a tile in memory is computed where it may be read") {
  auto const P = buffer("P", {8, 8}, ir::memory::local);
  auto const body = ir::make_block({computing(P), reading(P, triangle(), {variable("i"), variable("j")})});
  CHECK(ir::print(lowering::skip_stages(tiles(ir::make_allocate(P, body)))) ==
        "for io < 5\n"
        "  for jo < 5\n"
        "    alloc P f32 (8, 8) local\n"
        "    if jo <= io\n"
        "      unroll x < 8\n"
        "        vectorize y < 8\n"
        "          P[x, y] = A[io * 8 + x]\n"
        "    unroll i < 8\n"
        "      vectorize j < 8\n"
        "        D[io * 8 + i, jo * 8 + j] = select(jo * 8 + j <= io * 8 + i, P[i, j], A[jo * 8 + j])\n");
}

TEST_CASE("skip_stages: conditions are followed through the indices of a stage computed before") {
  auto const P = buffer("P", {40, 40}, ir::memory::workspace);
  auto const x = variable("xo") * 4 + variable("x");
  auto const write = ir::make_store(P, {x, variable("y")}, ir::make_access(A, {variable("y")}));
  auto const lanes = loop("y", 0, 40, loop_kind::vectorized, write);
  auto const before = loop("xo", 0, 10, loop_kind::serial, loop("x", 0, 4, loop_kind::unrolled, lanes));
  auto const i = io * 8 + variable("i"), j = jo * 8 + variable("j");
  auto const late = at_most(ir::make_index(20), i);
  auto const all = ir::make_block({before, tiles(reading(P, late, {i, j}))});
  auto const made = ir::print(lowering::skip_stages(ir::make_allocate(P, all)));
  CHECK(made.find("for xo < 10\n"
                  "  if 5 <= xo\n"
                  "    unroll x < 4\n") != std::string::npos);
}

TEST_CASE("skip_stages: first values are stored wherever terms are added") {
  auto const P = buffer("P", {40}, ir::memory::workspace);
  auto const first =
      loop("x", 0, 40, loop_kind::vectorized, ir::make_store(P, {variable("x")}, ir::make_real(dtype::f32, 0)));
  auto const x = variable("x");
  auto const term = ir::make_store(P, {x}, ir::make_access(P, {x}) + ir::make_access(A, {variable("k")}));
  auto const terms = loop("x", 0, 40, loop_kind::serial, loop("k", 0, 40, loop_kind::serial, term));
  auto const i = variable("i");
  auto const read = ir::make_select(at_most(ir::make_index(20), i), ir::make_access(P, {i}), ir::make_access(A, {i}));
  auto const last = loop("i", 0, 40, loop_kind::serial, ir::make_store(D, {i, i}, read));
  auto const made = ir::print(lowering::skip_stages(ir::make_allocate(P, ir::make_block({first, terms, last}))));
  CHECK(made.find("vectorize x < 40\n  P[x] = 0.0") != std::string::npos);
  CHECK(made.find("if 20 <= x\n    for k < 40") != std::string::npos);
}

TEST_CASE("skip_stages: copies for a skipped tile are skipped, those made further outside stay") {
  auto const copy = buffer("copy", {8}, ir::memory::local);
  auto const P = buffer("P", {8, 8}, ir::memory::registers);
  auto const x = variable("x");
  auto const copying = loop("c", 0, 8, loop_kind::vectorized,
                            ir::make_store(copy, {variable("c")}, ir::make_access(A, {io * 8 + variable("c")})));
  auto const compute = tile("x", "y", ir::make_store(P, {x, variable("y")}, ir::make_access(copy, {x})));
  auto const acc =
      ir::make_allocate(P, ir::make_block({compute, reading(P, triangle(), {variable("i"), variable("j")})}));
  auto const inside = lowering::skip_stages(tiles(ir::make_allocate(copy, ir::make_block({copying, acc}))));
  CHECK(ir::print(inside).find("if jo <= io\n      vectorize c < 8") != std::string::npos);
  auto const outside = lowering::skip_stages(
      loop("io", 0, 5, loop_kind::serial,
           ir::make_allocate(copy, ir::make_block({copying, loop("jo", 0, 5, loop_kind::serial, acc)}))));
  CHECK(ir::print(outside).find("local\n  vectorize c < 8") != std::string::npos);
}

TEST_CASE("skip_stages: what is read without a condition, or chooses something, stays") {
  auto const P = buffer("P", {8, 8}, ir::memory::local);
  std::vector<ir::expr> const own = {variable("i"), variable("j")};
  auto const positive = less(ir::make_real(dtype::f32, 0), ir::make_access(P, own));
  auto const stay = [&](ir::stmt const& reader) {
    auto const s = tiles(ir::make_allocate(P, ir::make_block({computing(P), reader})));
    return lowering::skip_stages(s) == s;
  };
  CHECK_FALSE(stay(reading(P, triangle(), own)));
  CHECK(stay(reading(P, positive, own)));
  CHECK(stay(reading(P, both(triangle(), positive), own)));
  CHECK(stay(
      ir::make_block({reading(P, triangle(), own), tile("i", "j", ir::make_store(D, own, ir::make_access(P, own)))})));
  CHECK(stay(reading(P, at_most(jo * 8 + variable("j"), io * 8 + variable("i") + 38), own)));  // nearly always read
  auto const threads = loop("t", 0, 2, loop_kind::thread_x,
                            tiles(ir::make_allocate(P, ir::make_block({computing(P), reading(P, triangle(), own)}))));
  CHECK(lowering::skip_stages(threads) == threads);
}

}  // namespace skip_stages_tests
