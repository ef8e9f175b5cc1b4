// SPDX-License-Identifier: Apache-2.0
// Tests the table of rules in simplify.hpp, line by line, and whole programs.
#include "ttune/arith/simplify.hpp"

#include <doctest/doctest.h>

#include "support/random_program.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/interpret/value_code.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"

namespace simplify_rules_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

expr const i = make_variable("i"), j = make_variable("j"), k = make_variable("k"), one = make_variable("one");
arith::ranges const known{{"i", {0, 7}}, {"j", {0, 3}}, {"k", {0, 99}}, {"one", {1, 1}}};

expr operator/(expr const& a, std::int64_t c) { return make_binary(binary_op::floor_divide, a, make_index(c)); }
expr operator%(expr const& a, std::int64_t c) { return make_binary(binary_op::floor_modulo, a, make_index(c)); }
expr operator<(expr const& a, expr const& b) { return make_binary(binary_op::less, a, b); }
expr operator<=(expr const& a, expr const& b) { return make_binary(binary_op::less_equal, a, b); }
expr operator&&(expr const& a, expr const& b) { return make_binary(binary_op::logical_and, a, b); }
expr same(expr const& a, expr const& b) { return make_binary(binary_op::equal, a, b); }
expr least(expr const& a, expr const& b) { return make_binary(binary_op::minimum, a, b); }
expr greatest(expr const& a, expr const& b) { return make_binary(binary_op::maximum, a, b); }
expr constant_of(std::int64_t c) { return make_index(c); }

std::string simple(expr const& e) { return print(arith::simplify(e, known)); }

/// A random index expression or condition over i, j, k.
expr random_index(rng& random, int depth) {
  auto const leaf = [&]() -> expr {
    expr const leaves[] = {i, j, k, one};
    return random.chance(0.2) ? make_index(static_cast<std::int64_t>(random.below(21)) - 10) : leaves[random.below(4)];
  };
  if (depth == 0) return leaf();
  auto const a = random_index(random, depth - 1);
  auto const b = random_index(random, depth - 1);
  auto const c = 1 + static_cast<std::int64_t>(random.below(12));
  switch (random.below(9)) {
    case 0: return a - b;
    case 1: return a * (random.chance(0.3) ? -c : c);
    case 2: return a / c;
    case 3: return a % c;
    case 4: return least(a, b);
    case 5: return greatest(a, b);
    case 6: return make_select(a < b, a, b);
    default: return a + b;
  }
}

expr random_condition(rng& random, int depth) {
  auto const a = random_index(random, 2);
  auto const b = random_index(random, 2);
  auto const more = [&] { return random_condition(random, depth - 1); };
  switch (depth == 0 ? random.below(4) : random.below(8)) {
    case 0: return a < b;
    case 1: return a <= b;
    case 2: return same(a, b);
    case 3: return make_binary(binary_op::not_equal, a, b);
    case 4: return make_unary(unary_op::logical_not, more());
    case 5: return make_binary(binary_op::logical_or, more(), more());
    default: return more() && more();
  }
}

/// Returns the values at sampled points of the box of `known`.
std::vector<std::int64_t> values_of(expr const& e, rng random) {
  ir::detail::value_code code;
  auto const at = code.compile(
      e, false, [](std::string const& name) { return name == "i"   ? 0
                                                     : name == "j" ? 1
                                                     : name == "k" ? 2
                                                                   : 3; },
      [](source const&, int) { return 0; });
  ir::detail::frame f;
  f.variables = {0, 0, 0, 1};
  std::vector<std::int64_t> made;
  for (int n = 0; n < 60; ++n) {
    f.variables[0] = static_cast<std::int64_t>(random.below(8));
    f.variables[1] = static_cast<std::int64_t>(random.below(4));
    f.variables[2] = static_cast<std::int64_t>(random.below(100));
    if (n == 0) f.variables = {0, 0, 0, 1};
    if (n == 1) f.variables = {7, 3, 99, 1};
    made.push_back(code.integer(at, f));
  }
  return made;
}

}  // namespace

TEST_CASE("simplify: sums") {
  CHECK(simple(j + i - j + 2) == "i + 2");
  CHECK(simple(one * 4 + i) == "i + 4");
  CHECK(simple((i + j) * 2 - (i - j)) == "j * 3 + i");
}

TEST_CASE("simplify: quotients and remainders") {
  CHECK(simple((i * 4 + j) / 4) == "i");
  CHECK(simple((i * 4 + j) % 4) == "j");
  CHECK(simple((i * 4 + j + 8) / 4) == "i + 2");
  CHECK(simple((i * 4 + j + -4) % 4) == "j");
  CHECK(simple((i * 8 + j * 2 + 1) % 16) == "(i * 4 + j) % 8 * 2 + 1");
  CHECK(simple((i * 8 + k * 2) / 16) == "(i * 4 + k) / 8");
  CHECK(simple(k / 7 * 7 + k % 7) == "k");
  CHECK(simple((k / 7 * 7 + k % 7) * 5 + j) == "k * 5 + j");
  CHECK(simple((k / 3 + 2) / 5) == "(k + 6) / 15");
  CHECK(simple((k % 12 + i) % 4) == "(i + k) % 4");
  CHECK(simple((i + 100) / 10) == "10");
  CHECK(simple((i + -8) / 8) == "-1");
}

TEST_CASE("simplify: minimum and maximum") {
  CHECK(simple(least(i, constant_of(7))) == "i");
  CHECK(simple(greatest(i + 4, j)) == "i + 4");
  CHECK(simple(least(constant_of(3), least(k, constant_of(5)))) == "min(k, 3)");
  CHECK(simple(least(k + i, k + i + 1)) == "i + k");
}

TEST_CASE("simplify: conditions") {
  CHECK(simple(i * 4 + j < constant_of(32)) == "true");
  CHECK(simple(i < constant_of(0)) == "false");
  CHECK(simple(constant_of(0) <= i + j - constant_of(1)) == "1 <= i + j");
  CHECK(simple(i * 2 - j * 2 < constant_of(3)) == "i <= j + 1");
  CHECK(simple(j < i) == "j < i");
  CHECK(simple(k / 4 < constant_of(3)) == "k < 12");
  CHECK(simple(constant_of(3) <= k / 4) == "12 <= k");
  CHECK(simple(constant_of(5) <= least(k, i)) == "5 <= k && 5 <= i");
  CHECK(simple(k < constant_of(9) && k < constant_of(5) && k <= constant_of(4)) == "k < 5");
  CHECK(simple(make_unary(unary_op::logical_not, k < i)) == "i <= k");
  CHECK(simple(same(k * 2, i * 4 + 1)) == "false");
  CHECK(simple(same(k * 2, i * 4 + 2)) == "i * 2 + 1 == k");
}

TEST_CASE("simplify: selects that are decided, inside of data too") {
  auto const A = share(tensor{{}, "A", dtype::f32, {32}});
  auto const read = make_access(A, {i * 2 + i * 2 + j});
  CHECK(simple(make_select(i < constant_of(8), read, make_real(dtype::f32, 0))) == "A(i * 4 + j)");
  CHECK(simple(make_select(k < constant_of(8), read, read)) == "A(i * 4 + j)");
}

TEST_CASE("simplify preserves values, is idempotent, and bounds hold") {
  auto const seed = ttune_test::seed();
  int const expressions = ttune_test::long_run() ? 300'000 : 10'000;
  for (int n = 0; n < expressions; ++n) {
    rng random(seed + static_cast<std::uint64_t>(n));
    auto const e =
        random.chance(0.5) ? random_index(random, 1 + static_cast<int>(random.below(4))) : random_condition(random, 2);
    auto const s = arith::simplify(e, known);
    INFO("TTUNE_SEED=" << seed + static_cast<std::uint64_t>(n) << "\n"
                       << print(e) << "\n"
                       << print(s) << "\n"
                       << print(arith::simplify(s, known)));
    REQUIRE(arith::simplify(s, known) == s);
    auto const before = values_of(e, random);
    REQUIRE(before == values_of(s, random));
    if (e->type != dtype::index) continue;
    auto const range = arith::bounds(e, known);
    for (auto const v : before) REQUIRE((range.low <= v && v <= range.high));
  }
}

TEST_CASE("simplify preserves what random programs compute") {
  auto const seed = ttune_test::seed();
  int const programs = ttune_test::long_run() ? 20'000 : 1'000;
  for (int n = 0; n < programs; ++n) {
    rng random(seed + static_cast<std::uint64_t>(n));
    auto const p = ttune_test::random_program(random);
    auto simpler = *p;
    std::unordered_map<stage const*, handle<stage>> moved;
    for (auto& s : simpler.stages) {
      auto made = *s;
      auto const ranges = arith::ranges_of(*s);
      auto const follow = [&](expr const& e) {
        return rewrite(arith::simplify(e, ranges), [&](expr const& x) -> expr {
          auto const* a = as<ir::access>(x);
          auto const* from = a ? std::get_if<handle<stage>>(&a->from) : nullptr;
          if (!from || !moved.count(from->get())) return x;
          return make_access(moved.at(from->get()), a->indices, a->outside, a->fill, a->component);
        });
      };
      for (auto& c : made.components) c.value = follow(c.value);
      if (made.predicate) made.predicate = follow(made.predicate);
      auto const old = s;
      s = share(std::move(made));
      for (auto& out : simpler.outputs)
        if (out == old) out = s;
      moved.emplace(old.get(), s);
    }
    INFO("TTUNE_SEED=" << seed + static_cast<std::uint64_t>(n) << "\n" << print(*p) << "\n" << print(simpler));
    auto const operands = ttune_test::random_operands(*p, random);
    REQUIRE(ttune_test::difference(evaluate(*p, operands), evaluate(simpler, operands), 0) == "");
  }
}

}  // namespace simplify_rules_tests
