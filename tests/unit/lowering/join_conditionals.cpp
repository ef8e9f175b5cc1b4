// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/join_conditionals.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "support/seed.hpp"
#include "ttune/ir/print.hpp"

namespace join_conditionals_tests {

using namespace ttune_test;

namespace {

auto const x = ir::make_variable("x");

/// x < `end`: note(x, `then`), else note(x, `otherwise`)
ir::stmt decided(std::int64_t end, std::int64_t then, std::int64_t otherwise) {
  auto const of = [](std::int64_t v) { return v < 0 ? ir::stmt{} : note(x, ir::make_index(v)); };
  return ir::make_conditional(less(x, ir::make_index(end)), of(then), of(otherwise));
}
ir::stmt over_x(std::vector<ir::stmt> body) {
  return loop("x", 0, 5, loop_kind::serial, ir::make_block(std::move(body)));
}
int conditions(ir::stmt const& s) {
  auto const text = ir::print(s);
  int found = 0;
  for (auto at = text.find("if "); at != std::string::npos; at = text.find("if ", at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("join_conditionals: keeps the effects of a nest, in the same order") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  random_nest make(seed);
  int joined = 0;
  for (int i = 0; i < 3000; ++i) {
    auto const nest = make.nest();
    auto const made = lowering::join_conditionals(nest);
    CAPTURE(ir::print(nest));
    CAPTURE(ir::print(made));
    CHECK(effect_of(made) == effect_of(nest));
    joined += conditions(made) < conditions(nest);
  }
  CHECK(joined > 100);
}

TEST_CASE("join_conditionals: neighbours with the same condition become one, and so do theirs") {
  auto const twice = over_x({decided(3, 1, 2), decided(3, 4, -1), decided(3, 7, 8)});
  auto const made = lowering::join_conditionals(twice);
  CHECK(conditions(made) == 1);
  CHECK(effect_of(made) == effect_of(twice));
  auto const inner = [](std::int64_t v) {
    return ir::make_conditional(less(x, ir::make_index(4)), decided(2, v, v + 1), note(x, ir::make_index(v)));
  };
  auto const nested = over_x({inner(3), inner(5)});
  CHECK(conditions(lowering::join_conditionals(nested)) == 2);
  CHECK(effect_of(lowering::join_conditionals(nested)) == effect_of(nested));
}

TEST_CASE("join_conditionals: other conditions, things between, and conditions that read memory are left alone") {
  for (auto const& nest :
       {over_x({decided(3, 1, 2), decided(2, 4, 5)}), over_x({decided(3, 1, 2), note(x, x), decided(3, 4, 5)})})
    CHECK(lowering::join_conditionals(nest) == nest);
  auto const even =
      ir::make_binary(binary_op::less, ir::make_access(ttune_test::target, {x}), ir::make_integer(dtype::i64, 3));
  auto const change = ir::make_conditional(even, note(x, ir::make_index(9)));
  auto const nest = over_x({change, change});
  CHECK(lowering::join_conditionals(nest) == nest);
}

}  // namespace join_conditionals_tests
