// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/equal.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "support/random_index.hpp"
#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"

namespace equal_tests {

using namespace ttune;

namespace {

/// sum(k < n) A(k) * scale
handle<ir::program> total(std::string const& name, std::int64_t n, double scale, dtype type = dtype::f32) {
  auto const a = share(ir::tensor{{}, "A", type, {n}, ir::layout::row_major, ir::tensor_role::input, false, 0, 0, {}});
  ir::stage s;
  s.name = name;
  s.reduction.kind = ir::reduction_kind::sum;
  s.reduction.axes = {{"k", 0, n}};
  s.components = {{"", type, ir::make_access(a, {ir::make_variable("k")}) * ir::make_real(type, scale)}};
  auto const out = share(std::move(s));
  return share(ir::program{{}, "total", {a}, {out}, {out}});
}

}  // namespace

TEST_CASE("equal: what is built twice is equal and has one hash") {
  CHECK(ir::equal(*total("s", 8, 2), *total("s", 8, 2)));
  CHECK(ir::hash(*total("s", 8, 2)) == ir::hash(*total("s", 8, 2)));
}

TEST_CASE("equal: extents, constants, types, names and kinds of reductions count") {
  auto const p = total("s", 8, 2);
  auto const mean = [&] {
    auto made = *p->stages[0];
    made.reduction.kind = ir::reduction_kind::maximum;
    auto const out = share(std::move(made));
    return share(ir::program{{}, "total", p->inputs, {out}, {out}});
  }();
  std::set<std::uint64_t> hashes{ir::hash(*p)};
  for (auto const& other : {total("t", 8, 2), total("s", 9, 2), total("s", 8, 3), total("s", 8, 2, dtype::f64), mean}) {
    CHECK(!ir::equal(*p, *other));
    CHECK(hashes.insert(ir::hash(*other)).second);
  }
  CHECK(ir::equal_but_for_name(*p->stages[0], *total("t", 8, 2)->stages[0]));
}

TEST_CASE("equal: reals are compared by their bits") {
  auto const real = [](double v) { return ir::make_real(dtype::f32, v); };
  CHECK(!ir::equal(real(0.0), real(-0.0)));
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(ir::equal(real(nan), real(nan)));
}

TEST_CASE("equal: the hash is the same in every run, it is part of keys") {
  // If this number changes, stored records do not fit any more.
  CHECK(ir::hash(*total("s", 8, 2)) == 13096539162773362788U);
}

TEST_CASE("equal: expressions are equal if and only if they read the same") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  ttune_test::random_index make(seed);
  std::vector<ir::expr> all;
  for (int i = 0; i < 300; ++i) all.push_back(make.index(2));
  for (auto const& a : all)
    for (auto const& b : all) {
      bool const same = ir::equal(a, b);
      if (same != (ir::hash(a) == ir::hash(b))) FAIL_CHECK(ir::print(a), " and ", ir::print(b));
      if (same && ir::print(a) != ir::print(b)) FAIL_CHECK(ir::print(a), " is equal to ", ir::print(b));
    }
}

TEST_CASE("equal: boundaries, predicates and kinds of loops count") {
  auto const i = ir::make_variable("i");
  auto const p = total("s", 8, 2);
  auto const read = [&](ir::boundary how) { return ir::make_access(p->inputs[0], {i}, how); };
  CHECK(ir::equal(read(ir::boundary::wrap), read(ir::boundary::wrap)));
  CHECK(!ir::equal(read(ir::boundary::wrap), read(ir::boundary::clamp)));
  auto guarded = *p->stages[0];
  guarded.predicate = ir::make_binary(ir::binary_op::less, ir::make_variable("k"), ir::make_index(3));
  CHECK(!ir::equal_but_for_name(guarded, *p->stages[0]));
  auto const b = share(ir::buffer{{}, "b", dtype::f32, {8}, ir::memory::local, -1, {}});
  auto const nest = [&](ir::loop_kind kind) {
    return ir::make_loop("i", ir::make_index(0), ir::make_index(8), kind,
                         ir::make_store(b, {i}, ir::make_real(dtype::f32, 1)));
  };
  CHECK(ir::equal(nest(ir::loop_kind::serial), nest(ir::loop_kind::serial)));
  CHECK(!ir::equal(nest(ir::loop_kind::serial), nest(ir::loop_kind::parallel)));
}

TEST_CASE("equal: random programs built twice are equal, those that read differently are not") {
  auto const seed = ttune_test::seed();
  std::set<std::uint64_t> hashes;
  std::set<std::string> texts;
  for (std::uint64_t n = 0; n < 500; ++n) {
    rng first(seed + n);
    rng second(seed + n);
    auto const a = ttune_test::random_program(first);
    auto const b = ttune_test::random_program(second);
    INFO("TTUNE_SEED=", seed + n);
    REQUIRE(ir::equal(*a, *b));
    REQUIRE(ir::hash(*a) == ir::hash(*b));
    hashes.insert(ir::hash(*a));
    texts.insert(ir::print(*a));
  }
  CHECK(hashes.size() >= texts.size());
}

}  // namespace equal_tests
