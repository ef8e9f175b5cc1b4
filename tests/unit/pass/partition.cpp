// SPDX-License-Identifier: Apache-2.0
#include "ttune/pass/partition.hpp"

#include <doctest/doctest.h>

#include "support/random_index.hpp"
#include "support/seed.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"

using namespace ttune;
using ir::binary_op;
using ir::loop_kind;

namespace {

constexpr std::int64_t elements = 5;
handle<ir::buffer> const target = share(ir::buffer{{}, "C", dtype::i64, {elements}, ir::memory::operand, 0, {}});

ir::stmt loop(char const* name, std::int64_t begin, std::int64_t end, loop_kind kind, ir::stmt body) {
  return ir::make_loop(name, ir::make_index(begin), ir::make_index(end), kind, std::move(body));
}
ir::expr less(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::less, a, b); }
ir::expr both(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::logical_and, a, b); }

/// C[at] = C[at] * 31 + value: what it holds in the end tells which of these ran, and in which order.
ir::stmt note(ir::expr const& at, ir::expr const& value) {
  auto const inside = ir::make_binary(binary_op::floor_modulo, at, ir::make_index(elements));
  auto const old = ir::make_access(target, {inside});
  auto const next = old * ir::make_integer(dtype::i64, 31) + ir::make_cast(dtype::i64, value);
  return ir::make_store(target, {inside}, next);
}

std::vector<std::int64_t> effect_of(ir::stmt const& nest) {
  auto const zero = ir::make_store(target, {ir::make_variable("c")}, ir::make_integer(dtype::i64, 0));
  auto const whole = ir::make_block({loop("c", 0, elements, loop_kind::serial, zero), nest});
  ir::stage s;
  s.name = "C";
  s.axes = {{"c", 0, elements}};
  s.components = {{"", dtype::i64, ir::make_integer(dtype::i64, 0)}};
  auto const out = share(std::move(s));
  ir::program const p{{}, "p", {}, {out}, {out}};
  return ir::run(ir::lowered{"p", {target}, {}, {}, whole}, p, {})[0].integers;
}

/// Nests of loops over x, y, z, lets and conditions around notes.
class random_nest {
 public:
  explicit random_nest(std::uint64_t seed) : make_(seed) {}

  ir::stmt nest() {
    free_ = {"x", "y", "z"};
    bound_.clear();
    return statement(5);
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) { return make_.number(low, high); }

  ir::expr sum_of_bound() {
    auto sum = ir::make_index(pick(-4, 4));
    for (auto const& name : bound_) sum = sum + ir::make_variable(name) * pick(-3, 3);
    return sum;
  }
  ir::expr condition() {
    auto const a = sum_of_bound();
    auto const c =
        ir::make_binary(make_.random.chance(0.5) ? binary_op::less : binary_op::less_equal, a, sum_of_bound());
    return make_.random.chance(0.4) ? both(c, condition()) : c;
  }
  ir::stmt a_note() {
    auto const at = sum_of_bound();
    return note(at, sum_of_bound());
  }

  ir::stmt a_loop(int depth) {
    auto const name = free_.back();
    free_.pop_back();
    auto begin = ir::make_index(pick(-3, 3));
    auto const length = pick(1, 6);
    if (!bound_.empty() && make_.random.chance(0.2)) begin = begin + ir::make_variable(bound_.back());
    constexpr loop_kind kinds[] = {loop_kind::serial, loop_kind::serial, loop_kind::unrolled, loop_kind::vectorized,
                                   loop_kind::parallel};
    auto const kind = kinds[pick(0, 4)];
    bound_.push_back(name);
    auto const body = statement(depth - 1);
    bound_.pop_back();
    free_.push_back(name);
    return ir::make_loop(name, begin, begin + length, kind, body);
  }
  ir::stmt a_let(int depth) {
    auto const name = free_.back();
    auto const by = pick(1, 5);
    auto const value = ir::make_binary(binary_op::floor_modulo, sum_of_bound(), ir::make_index(by));
    free_.pop_back();
    bound_.push_back(name);
    auto const body = statement(depth - 1);
    bound_.pop_back();
    free_.push_back(name);
    return ir::make_let(name, value, 0, by, body);
  }
  ir::stmt statement(int depth) {
    auto const choice = depth == 0 ? 9 : pick(0, 9);
    if (choice <= 4 && !free_.empty()) return a_loop(depth);
    if (choice == 5 && !free_.empty()) return a_let(depth);
    if (choice == 6) {
      auto const first = statement(depth - 1);
      return ir::make_block({first, statement(depth - 1)});
    }
    if (choice >= 9 || bound_.empty()) return a_note();
    auto const c = condition();
    auto const then = statement(depth - 1);
    return ir::make_conditional(c, then, make_.random.chance(0.2) ? a_note() : ir::stmt{});
  }

  ttune_test::random_index make_;
  std::vector<std::string> free_;
  std::vector<std::string> bound_;
};

}  // namespace

TEST_CASE("partition: does what the nest did, in the same order") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  random_nest make(seed);
  for (int i = 0; i < 3000; ++i) {
    auto const nest = make.nest();
    auto const made = pass::partition(nest);
    CAPTURE(ir::print(nest));
    CAPTURE(made ? ir::print(made) : "nothing");
    CHECK(effect_of(made) == effect_of(nest));
  }
}

TEST_CASE("partition: a condition shortens the innermost loop that it speaks of") {
  auto const y = ir::make_variable("y");
  auto const r = ir::make_variable("r");
  auto const tap = ir::make_conditional(less(ir::make_index(0), y + r), note(y, r));
  auto const nest = loop("y", 0, 9, loop_kind::serial, loop("r", 0, 3, loop_kind::serial, tap));
  auto const made = pass::partition(nest);
  CHECK(ir::print(made).find("if") == std::string::npos);
  CHECK(ir::print(made).find("for r in [max(1 - y, 0), 3)") != std::string::npos);
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("partition: edges of unrolled loops become code of their own, the interior has no condition") {
  auto const x = ir::make_variable("xo") * 7 + ir::make_variable("xi") + ir::make_variable("s");
  auto const inside = both(less(ir::make_index(0), x), less(x, ir::make_index(29)));
  auto const tap = ir::make_conditional(inside, note(ir::make_variable("xi"), x));
  auto const taps = loop("s", 0, 3, loop_kind::serial, loop("xi", 0, 7, loop_kind::unrolled, tap));
  auto const nest = loop("xo", 0, 4, loop_kind::serial, taps);
  auto const made = pass::partition(nest);
  auto const text = ir::print(made);
  CAPTURE(text);
  auto const begin = text.find("for xo in [1, 3)");
  REQUIRE(begin != std::string::npos);
  CHECK(text.substr(begin, text.find("let xo = 3") - begin).find("if") == std::string::npos);
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
  auto const old = ir::make_access(target, {element});
  auto const out = ir::make_store(target, {element}, old * ir::make_integer(dtype::i64, 31) + ir::make_access(acc, at));
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
    auto const made = pass::partition(nest);
    auto const text = ir::print(made);
    CAPTURE(text);
    CHECK(count(text, "for s") == 3);
    CHECK(count(text, "acc[xi] = 1") == 1);
    CHECK(count(text, "alloc acc") == 1);
    CHECK(effect_of(made) == effect_of(nest));
  }
}

TEST_CASE("partition: what can never run is not there") {
  auto const i = ir::make_variable("i");
  auto const never = ir::make_conditional(less(i, ir::make_index(0)), note(i, i));
  CHECK(!pass::partition(loop("i", 0, 4, loop_kind::serial, never)));
  CHECK(!pass::partition(loop("i", 4, 4, loop_kind::serial, note(i, i))));
  CHECK(!pass::partition({}));
}
