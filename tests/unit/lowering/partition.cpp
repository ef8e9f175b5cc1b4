// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/partition.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "support/seed.hpp"
#include "ttune/ir/print.hpp"

namespace partition_tests {

using namespace ttune_test;

TEST_CASE("partition: keeps the effects of a nest, in the same order") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  random_nest make(seed);
  for (int i = 0; i < 3000; ++i) {
    auto const nest = make.nest();
    auto const made = lowering::partition(nest);
    CAPTURE(ir::print(nest));
    CAPTURE(made ? ir::print(made) : "nothing");
    CHECK(effect_of(made) == effect_of(nest));
  }
}

TEST_CASE("partition: a condition shortens the innermost loop that it uses") {
  auto const y = ir::make_variable("y");
  auto const r = ir::make_variable("r");
  auto const tap = ir::make_conditional(less(ir::make_index(0), y + r), note(y, r));
  auto const nest = loop("y", 0, 9, loop_kind::serial, loop("r", 0, 3, loop_kind::serial, tap));
  auto const made = lowering::partition(nest);
  CHECK(ir::print(made).find("if") == std::string::npos);
  CHECK(ir::print(made).find("for r in [max(1 - y, 0), 3)") != std::string::npos);
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("partition: in a thread of a device, loops over its own elements keep their length") {
  auto const t = ir::make_variable("t");
  auto const x = ir::make_variable("x");
  auto const own = share(ir::buffer{{}, "own", dtype::i64, {7}, ir::memory::local, -1, {}});
  auto const sum = ir::make_store(own, {x}, ir::make_access(own, {x}) + ir::make_number(dtype::i64, 1));
  auto const nest = [&](loop_kind kind) {
    auto const edge = ir::make_conditional(less(t * 7 + x, ir::make_index(29)), sum);
    auto const tile = loop("x", 0, 7, loop_kind::serial, edge);
    return ir::print(lowering::partition(loop("t", 0, 8, kind, ir::make_allocate(own, tile))));
  };
  CHECK(nest(loop_kind::thread_x).find("for x < 7") != std::string::npos);
  CHECK(nest(loop_kind::thread_x).find("if") != std::string::npos);
  CHECK(nest(loop_kind::parallel).find("if") == std::string::npos);
  // iterations that no thread needs are removed, and the condition with them
  auto const few = ir::make_conditional(less(x, ir::make_index(2)), sum);
  auto const short_tile = ir::make_allocate(own, loop("x", 0, 7, loop_kind::serial, few));
  auto const made = ir::print(lowering::partition(loop("t", 0, 8, loop_kind::thread_x, short_tile)));
  CHECK(made.find("for x < 2") != std::string::npos);
  CHECK(made.find("if") == std::string::npos);
}

TEST_CASE("partition: edges of unrolled loops become code of their own, the interior has no condition") {
  auto const x = ir::make_variable("xo") * 7 + ir::make_variable("xi") + ir::make_variable("s");
  auto const inside = both(less(ir::make_index(0), x), less(x, ir::make_index(29)));
  auto const tap = ir::make_conditional(inside, note(ir::make_variable("xi"), x));
  auto const taps = loop("s", 0, 3, loop_kind::serial, loop("xi", 0, 7, loop_kind::unrolled, tap));
  auto const nest = loop("xo", 0, 4, loop_kind::serial, taps);
  auto const made = lowering::partition(nest);
  auto const text = ir::print(made);
  CAPTURE(text);
  auto const begin = text.find("for xo in [1, 3)");
  REQUIRE(begin != std::string::npos);
  CHECK(text.substr(begin, text.find("let xo = 3") - begin).find("if") == std::string::npos);
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("partition: long edges are loops of their own if the interior is longer") {
  auto const x = ir::make_variable("x") + ir::make_variable("s");
  auto const inside = both(less(ir::make_index(7), x), less(x, ir::make_index(100)));
  auto const tap = ir::make_conditional(inside, note(ir::make_variable("s"), x));
  auto const nest = loop("x", 0, 100, loop_kind::serial, loop("s", 0, 9, loop_kind::vectorized, tap));
  auto const made = lowering::partition(nest);
  auto const text = ir::print(made);
  CHECK(text.find("for x < 8") != std::string::npos);
  auto const at = text.find("for x in [8, 92)");
  REQUIRE(at != std::string::npos);
  CHECK(text.find("if", at) > text.find("for x in [92, 100)"));
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("partition: a triangle does not keep the edges of a tile from being cut") {
  auto const j = ir::make_variable("jo") * 7 + ir::make_variable("ji");
  auto const in_triangle = ir::make_conditional(less(j, ir::make_variable("i")), note(j, ir::make_variable("i")));
  auto const at_edge = ir::make_conditional(less(j, ir::make_index(30)), in_triangle);
  auto const rows = loop("i", 0, 30, loop_kind::serial, loop("ji", 0, 7, loop_kind::unrolled, at_edge));
  auto const nest = loop("jo", 0, 5, loop_kind::parallel, rows);
  auto const made = lowering::partition(nest);
  CHECK(ir::print(made).find("if jo < 4") != std::string::npos);
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("partition: a choice with one possible result is decided") {
  auto const x = ir::make_variable("xo") * 4 + ir::make_variable("xi");
  auto const at = std::vector<ir::expr>{ir::make_binary(binary_op::floor_modulo, x, ir::make_index(elements))};
  auto const inside = both(less(ir::make_index(0), x), less(x, ir::make_index(19)));
  auto const old = ir::make_access(ttune_test::target, at) * ir::make_integer(dtype::i64, 31);
  auto const value = ir::make_select(inside, old + ir::make_cast(dtype::i64, x), ir::make_integer(dtype::i64, 7));
  auto const row = loop("xi", 0, 4, loop_kind::unrolled, ir::make_store(ttune_test::target, at, value));
  auto const nest = loop("xo", 0, 5, loop_kind::serial, row);
  auto const made = lowering::partition(nest);
  auto const text = ir::print(made);
  CAPTURE(text);
  auto const begin = text.find("for xo in [1, 4)");
  REQUIRE(begin != std::string::npos);
  CHECK(text.substr(begin, text.find("let xo = 4") - begin).find("select") == std::string::npos);
  CHECK(text.find("select") != std::string::npos);
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("partition: edges of a register tile share its first values and its way to memory") {
  auto const acc = share(ir::buffer{{}, "acc", dtype::i64, {7}, ir::memory::registers, 0, {}});
  auto const at = std::vector<ir::expr>{ir::make_variable("xi")};
  auto const tile = [&](ir::stmt s) { return loop("xi", 0, 7, loop_kind::unrolled, std::move(s)); };
  auto const x = ir::make_variable("xo") * 7 + ir::make_variable("xi") + ir::make_variable("s");
  auto const more = ir::make_access(acc, at) * ir::make_integer(dtype::i64, 31) + ir::make_cast(dtype::i64, x);
  auto const tap = ir::make_conditional(both(less(ir::make_index(0), x), less(x, ir::make_index(29))),
                                        ir::make_store(acc, at, more));
  auto const element = ir::make_binary(binary_op::floor_modulo, ir::make_variable("xo") * 7 + ir::make_variable("xi"),
                                       ir::make_index(elements));
  auto const old = ir::make_access(ttune_test::target, {element});
  auto const out =
      ir::make_store(ttune_test::target, {element}, old * ir::make_integer(dtype::i64, 31) + ir::make_access(acc, at));
  auto const body = ir::make_block({tile(ir::make_store(acc, at, ir::make_integer(dtype::i64, 1))),
                                    loop("s", 0, 3, loop_kind::serial, tile(tap)), tile(out)});
  auto const between = loop("y", 0, 2, loop_kind::serial, ir::make_allocate(acc, body));
  auto const count = [](std::string const& text, char const* what) {
    int found = 0;
    for (auto i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++found;
    return found;
  };
  for (auto const kind : {loop_kind::serial, loop_kind::parallel}) {
    auto const nest = loop("xo", 0, 4, kind, between);
    auto const made = lowering::partition(nest);
    auto const text = ir::print(made);
    CAPTURE(text);
    CHECK(count(text, "for s") == 3);
    CHECK(count(text, "acc[xi] = 1") == 1);
    CHECK(count(text, "alloc acc") == 1);
    CHECK(effect_of(made) == effect_of(nest));
  }
}

/// A window of 17 elements in a row of `size`, in tiles of 8 lanes; it reads `from`, limited to the row.
ir::stmt window_of_row(handle<ir::buffer> const& to, handle<ir::buffer> const& from, std::int64_t size,
                       std::int64_t reach) {
  auto const x = ir::make_variable("xo") * 8 + ir::make_variable("xi");
  ir::expr sum = ir::make_integer(dtype::i64, 0);
  for (std::int64_t tap = 0; tap < 17; ++tap) {
    auto const limited = ir::make_binary(binary_op::maximum, x + (tap % (2 * reach + 1) - reach), ir::make_index(0));
    auto const at = ir::make_binary(binary_op::minimum, limited, ir::make_index(size - 1));
    sum = sum + ir::make_access(from, {at}) * ir::make_integer(dtype::i64, tap + 1);
  }
  return loop("xo", 0, size / 8, loop_kind::serial,
              loop("xi", 0, 8, loop_kind::vectorized, ir::make_store(to, {x}, sum)));
}

/// Returns what a statement stores of a row of 40 numbers.
std::vector<std::int64_t> row_of(ir::stmt const& s, handle<ir::buffer> const& to, handle<ir::buffer> const& scratch) {
  auto const i = ir::make_variable("i");
  auto const fill =
      loop("i", 0, 40, loop_kind::serial, ir::make_store(scratch, {i}, ir::make_cast(dtype::i64, i * i * 7)));
  ir::stage made;
  made.name = "O";
  made.axes = {{"o", 0, 40}};
  made.components = {{"", dtype::i64, ir::make_integer(dtype::i64, 0)}};
  auto const out = share(std::move(made));
  ir::program const p{{}, "p", {}, {out}, {out}};
  auto const body = ir::make_allocate(scratch, ir::make_block({fill, s}));
  return ir::run(ir::lowered{"p", {to}, {}, {}, body}, p, {})[0].integers;
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_CASE("partition: large tiles at edges use the code of the others") {
  auto const out = share(ir::buffer{{}, "O", dtype::i64, {40}, ir::memory::operand, 0, {}});
  auto const row = share(ir::buffer{{}, "R", dtype::i64, {40}, ir::memory::local, -1, {}});
  auto const nest = window_of_row(out, row, 40, 2);
  auto const made = lowering::partition(nest);
  auto const text = ir::print(made);
  INFO(text);
  CHECK(count(text, "vectorize") == 1);
  CHECK(count(text, "O[") == 3);
  CHECK(text.find("let xo.place = max(min(xo * 8, 30), 2) in [2, 31)") != std::string::npos);
  CHECK(row_of(made, out, row) == row_of(nest, out, row));
  // an edge of many lanes stays a vector
  auto const wide = window_of_row(out, row, 40, 5);
  auto const cut = lowering::partition(wide);
  CHECK(ir::print(cut).find("xo.place") == std::string::npos);
  CHECK(row_of(cut, out, row) == row_of(wide, out, row));
}

TEST_CASE("partition: tiles that would not store the same twice stay where they are") {
  auto const row = share(ir::buffer{{}, "R", dtype::i64, {40}, ir::memory::local, -1, {}});
  CHECK(ir::print(lowering::partition(window_of_row(row, row, 40, 2))).find("xo.place") == std::string::npos);
}

TEST_CASE("partition: code that can never run is removed") {
  auto const i = ir::make_variable("i");
  auto const never = ir::make_conditional(less(i, ir::make_index(0)), note(i, i));
  CHECK(!lowering::partition(loop("i", 0, 4, loop_kind::serial, never)));
  CHECK(!lowering::partition(loop("i", 4, 4, loop_kind::serial, note(i, i))));
  CHECK(!lowering::partition({}));
}

}  // namespace partition_tests
