// SPDX-License-Identifier: Apache-2.0
// Random nests of loops, lets and conditions around notes: stores whose effect shows which of them ran, and in which
// order. Tests of passes over statements use them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/random_index.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune_test {

using namespace ttune;
using ir::binary_op;
using ir::loop_kind;

inline constexpr std::int64_t elements = 5;
inline handle<ir::buffer> const target = share(ir::buffer{{}, "C", dtype::i64, {elements}, ir::memory::operand, 0, {}});

inline ir::stmt loop(char const* name, std::int64_t begin, std::int64_t end, loop_kind kind, ir::stmt body) {
  return ir::make_loop(name, ir::make_index(begin), ir::make_index(end), kind, std::move(body));
}
inline ir::expr less(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::less, a, b); }
inline ir::expr both(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::logical_and, a, b); }

/// C[at] = C[at] * 31 + value: its final value shows which notes ran, and in which order.
inline ir::stmt note(ir::expr const& at, ir::expr const& value) {
  auto const inside = ir::make_binary(binary_op::floor_modulo, at, ir::make_index(elements));
  auto const old = ir::make_access(target, {inside});
  auto const next = old * ir::make_integer(dtype::i64, 31) + ir::make_cast(dtype::i64, value);
  return ir::make_store(target, {inside}, next);
}

inline std::vector<std::int64_t> effect_of(ir::stmt const& nest) {
  // notes depend on their order, which parallel loops do not have
  auto const in_order = ir::rewrite(
      nest,
      [](ir::stmt const& s) {
        auto const* l = ir::as<ir::loop>(s);
        return l ? ir::make_loop(l->variable, l->begin, l->end, loop_kind::serial, l->body) : s;
      },
      [](ir::expr const& e) { return e; });
  auto const zero = ir::make_store(target, {ir::make_variable("c")}, ir::make_integer(dtype::i64, 0));
  auto const whole = ir::make_block({loop("c", 0, elements, loop_kind::serial, zero), in_order});
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
    auto const op = make_.random.chance(0.5) ? binary_op::less : binary_op::less_equal;
    auto const c = ir::make_binary(op, a, sum_of_bound());
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
    auto const decided = [&] {
      auto const then = statement(depth - 1);
      return ir::make_conditional(c, then, make_.random.chance(0.2) ? a_note() : ir::stmt{});
    };
    auto const first = decided();
    return make_.random.chance(0.3) ? ir::make_block({first, decided()}) : first;
  }

  random_index make_;
  std::vector<std::string> free_;
  std::vector<std::string> bound_;
};

}  // namespace ttune_test
