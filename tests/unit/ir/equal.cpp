// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/equal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "ttune/ir/operands.hpp"
#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"

using namespace ttune;
using namespace ttune::ir;

namespace {
expr const i = make_variable("i"), j = make_variable("j");
tensor const plain{{}, "A", dtype::f32, {8, 8}};
}  // namespace

TEST_CASE("equal: the same words, not the same value") {
  CHECK(equal(i + j, make_variable("i") + make_variable("j")));
  CHECK(!equal(i + j, j + i));
  CHECK(!equal(i, expr()));
  CHECK(equal(make_real(dtype::f32, std::nan("")), make_real(dtype::f32, std::nan(""))));
  CHECK(!equal(make_real(dtype::f32, 0.0), make_real(dtype::f32, -0.0)));
  CHECK(!equal(make_real(dtype::f32, 1), make_real(dtype::f64, 1)));
  CHECK(equal(make_access(share(plain), {i, j}), make_access(share(plain), {i, j})));
  CHECK(!equal(make_access(share(plain), {i, j}), make_access(share(plain), {i, j}, boundary::clamp)));
  auto other = plain;
  other.shape = {8, 9};
  CHECK(!equal(make_access(share(plain), {i, j}), make_access(share(other), {i, j})));
}

TEST_CASE("equal: stages with and without their names") {
  stage a;
  a.name = "P";
  a.axes = {{"i", 0, 8}};
  a.components.push_back({"", dtype::f32, make_access(share(plain), {i, i})});
  auto b = a;
  CHECK(equal(a, b));
  b.name = "Q";
  CHECK(!equal(a, b));
  CHECK(equal_but_for_name(a, b));
  CHECK(hash(a) != hash(b));
  b.predicate = make_binary(binary_op::less, i, make_index(3));
  CHECK(!equal_but_for_name(a, b));
}

TEST_CASE("equal: statements") {
  auto const b = share(buffer{{}, "b", dtype::f32, {8}});
  auto const nest = [&](loop_kind kind) { return make_loop("i", make_index(0), make_index(8), kind, make_store(b, {i}, make_real(dtype::f32, 1))); };
  CHECK(equal(nest(loop_kind::serial), nest(loop_kind::serial)));
  CHECK(!equal(nest(loop_kind::serial), nest(loop_kind::parallel)));
  CHECK(!equal(nest(loop_kind::serial), stmt()));
}

TEST_CASE("rewrite gives the same handle when nothing changed, and rebuilds what did") {
  auto const e = make_select(make_binary(binary_op::less, i, j), make_access(share(plain), {i, j + 1}), make_real(dtype::f32, 0));
  CHECK(rewrite(e, [](expr const& x) { return x; }) == e);
  auto const renamed = rewrite(e, [](expr const& x) { return equal(x, j) ? make_variable("k") : x; });
  CHECK(print(renamed) == "select(i < k, A(i, k + 1), 0.0)");
  auto const b = share(buffer{{}, "b", dtype::f32, {8}});
  auto const s = make_loop("i", make_index(0), make_index(8), loop_kind::serial, make_store(b, {i}, make_access(b, {i})));
  auto const same = [](auto const& x) { return x; };
  CHECK(rewrite(s, same, same) == s);
}

TEST_CASE("equal programs have equal hashes; different ones differ") {
  auto const seed = ttune_test::seed();
  std::set<std::uint64_t> seen;
  std::set<std::string> texts;
  for (std::uint64_t n = 0; n < 500; ++n) {
    rng first(seed + n);
    rng second(seed + n);
    auto const a = ttune_test::random_program(first);
    auto const b = ttune_test::random_program(second);
    INFO("TTUNE_SEED=" << seed + n);
    REQUIRE(a != b);
    REQUIRE(equal(*a, *b));
    REQUIRE(hash(*a) == hash(*b));
    seen.insert(hash(*a));
    texts.insert(print(*a));
  }
  CHECK(seen.size() >= texts.size());
}
