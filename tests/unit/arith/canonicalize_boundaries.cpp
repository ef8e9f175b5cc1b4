// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/canonicalize_boundaries.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/random_program.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"

namespace canonicalize_boundaries_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

expr const n = make_variable("n"), c = make_variable("c"), y = make_variable("y"), x = make_variable("x"),
           r = make_variable("r"), s = make_variable("s");
auto const I = share(tensor{{}, "I", dtype::f32, {8, 28, 28}});
auto const W = share(tensor{{}, "W", dtype::f32, {8, 3, 3}});
expr const zero = make_real(dtype::f32, 0);

handle<program> program_of(stage st, std::vector<handle<tensor>> inputs = {I, W}) {
  auto const only = share(std::move(st));
  return share(program{{}, "p", std::move(inputs), {only}, {only}});
}

stage reduction_of(reduction_kind kind, std::vector<axis> axes, std::vector<axis> reduced, expr value) {
  stage st;
  st.name = "O";
  st.axes = std::move(axes);
  st.reduction.kind = kind;
  st.reduction.axes = std::move(reduced);
  st.components.push_back({"", value->type, value});
  return st;
}

std::string canonical(handle<program> const& p) {
  auto const text = print(*arith::canonicalize_boundaries(p));
  auto const line = text.substr(text.find('\n') + 1);
  return line.substr(0, line.size() - 1);
}

bool has_boundary(program const& p) {
  bool found = false;
  for (auto const& st : p.stages)
    for (auto const& part : st->components)
      for_each_node(part.value, [&](expr const& e) {
        auto const* a = as<ir::access>(e);
        found = found || (a && a->outside != boundary::none);
      });
  return found;
}

}  // namespace

TEST_CASE("a padded convolution gets a predicate without the conditions that intervals prove") {
  auto const tap = make_access(I, {c, y + r + -1, x + s + -1}, boundary::value, zero);
  auto const st = reduction_of(reduction_kind::sum, {{"y", 0, 28}, {"x", 0, 28}},
                               {{"c", 0, 8}, {"r", 0, 3}, {"s", 0, 3}}, tap * make_access(W, {c, r, s}));
  CHECK(canonical(program_of(st)) ==
        "O(y, x) = sum(c < 8, r < 3, s < 3) I(c, y + r - 1, x + s - 1) * W(c, r, s) "
        "where 1 <= r + y && r + y < 29 && 1 <= s + x && s + x < 29");
}

TEST_CASE("clamp, wrap and mirror become index arithmetic where needed") {
  auto const line = share(tensor{{}, "A", dtype::f32, {10}});
  auto const read = [&](boundary how, expr const& i) {
    stage st = reduction_of(reduction_kind::none, {{"x", 0, 10}}, {}, make_access(line, {i}, how));
    return canonical(program_of(st, {line}));
  };
  CHECK(read(boundary::clamp, x + -2) == "O(x) = A(max(x - 2, 0))");
  CHECK(read(boundary::clamp, x + 1) == "O(x) = A(min(x + 1, 9))");
  CHECK(read(boundary::wrap, x + 3) == "O(x) = A((x + 3) % 10)");
  CHECK(read(boundary::mirror, x + -1) == "O(x) = A(min((x - 1) % 18, 18 - (x - 1) % 18))");
  CHECK(read(boundary::mirror, x) == "O(x) = A(x)");
}

TEST_CASE("boundaries of extents that calls give ask for their variables") {
  auto const length = share(dimension{{}, "n", 4, 10});
  tensor given{{}, "extents", dtype::i64, {1}};
  given.role = tensor_role::extents;
  auto const line = share(tensor{{}, "A", dtype::f32, {extent(10, length)}});
  auto const read = [&](boundary how, expr const& i, expr const& fill = {}) {
    stage st =
        reduction_of(reduction_kind::none, {{"x", 0, extent(10, length)}}, {}, make_access(line, {i}, how, fill));
    return canonical(program_of(st, {line, share(given)}));
  };
  CHECK(read(boundary::clamp, x + 1) == "O(x) = A(min(x + 1, extents.n - 1))");
  CHECK(read(boundary::clamp, x + -1) == "O(x) = A(max(min(x - 1, extents.n - 1), 0))");
  CHECK(read(boundary::clamp, x) == "O(x) = A(x)");
  CHECK(read(boundary::value, x + -2, zero) == "O(x) = select(2 <= x && x <= extents.n + 1, A(x - 2), 0.0)");
}

TEST_CASE("an identity outside of a maximum is a predicate, another value is not") {
  auto const line = share(tensor{{}, "A", dtype::f32, {10}});
  auto const pooled = [&](double fill) {
    return canonical(
        program_of(reduction_of(reduction_kind::maximum, {{"x", 0, 10}}, {{"r", 0, 3}},
                                make_access(line, {x + r + -1}, boundary::value, make_real(dtype::f32, fill))),
                   {line}));
  };
  CHECK(pooled(-std::numeric_limits<double>::infinity()) ==
        "O(x) = max(r < 3) A(x + r - 1) where 1 <= r + x && r + x < 11");
  CHECK(pooled(0) == "O(x) = max(r < 3) select(1 <= r + x && r + x < 11, A(x + r - 1), 0.0)");
}

TEST_CASE("guards leave products, casts, negations and roundings to TF32, but data stays where it is asked") {
  auto const A = share(tensor{{}, "A", dtype::i8, {10}});
  auto const B = share(tensor{{}, "B", dtype::f32, {10}});
  auto const ix = share(tensor{{}, "ix", dtype::i32, {10}});
  auto const guard = make_binary(binary_op::less_equal, r, x);
  auto const body = [&](expr const& e) {
    return canonical(program_of(reduction_of(reduction_kind::sum, {{"x", 0, 10}}, {{"r", 0, 10}}, e), {A, B, ix}));
  };
  auto const a = make_access(A, {r});
  auto const b = make_access(B, {r});
  auto const guarded = make_select(guard, a, make_number(dtype::i8, 0));
  CHECK(body(make_cast(dtype::f32, guarded) * b) == "O(x) = sum(r < 10) cast<f32>(A(r)) * B(r) where r <= x");
  CHECK(body(b * make_unary(unary_op::negate, make_cast(dtype::f32, guarded))) ==
        "O(x) = sum(r < 10) B(r) * -cast<f32>(A(r)) where r <= x");
  CHECK(body(make_unary(unary_op::round_to_tf32, make_select(guard, b, zero)) * b) ==
        "O(x) = sum(r < 10) round_to_tf32(B(r)) * B(r) where r <= x");
  CHECK(body(make_select(guard, b, zero) * b + b) == "O(x) = sum(r < 10) select(r <= x, B(r) * B(r), 0.0) + B(r)");
  auto const data = make_binary(binary_op::less, a, make_number(dtype::i8, 3));
  CHECK(body(make_select(data, b, zero) * b) == "O(x) = sum(r < 10) select(A(r) < 3, B(r), 0.0) * B(r)");
}

TEST_CASE("a tap outside contributes nothing, even to infinity, also rounded to TF32") {
  auto const A = share(tensor{{}, "A", dtype::f32, {3}});
  auto const B = share(tensor{{}, "B", dtype::f32, {3}});
  auto const tap = make_access(A, {x + r + -1}, boundary::value, zero);
  std::vector<ndarray> operands{ndarray(dtype::f32, {3}), ndarray(dtype::f32, {3})};
  operands[0].reals = {1, 2, 3};
  operands[1].reals = {std::numeric_limits<double>::infinity(), 1, 1};
  for (auto const& factor : {tap, make_unary(unary_op::round_to_tf32, tap)}) {
    auto const p = program_of(
        reduction_of(reduction_kind::sum, {{"x", 0, 3}}, {{"r", 0, 3}}, factor * make_access(B, {r})), {A, B});
    auto const result = evaluate(*p, operands)[0];
    CHECK(result.reals[0] == 3);
    CHECK(std::isinf(result.reals[1]));
    CHECK(ttune_test::difference({result}, evaluate(*arith::canonicalize_boundaries(p), operands), 0).empty());
  }
}

TEST_CASE("a program without boundaries comes back as the same handle") {
  auto const p =
      program_of(reduction_of(reduction_kind::none, {{"y", 0, 3}, {"x", 0, 3}}, {}, make_access(W, {y, x, x})));
  CHECK(arith::canonicalize_boundaries(p) == p);
}

TEST_CASE("canonicalize_boundaries preserves what random programs compute, infinities and NaN included") {
  auto const seed = ttune_test::seed();
  std::int64_t const programs = ttune_test::long_run() ? 100'000 : 2'000;
  for (std::int64_t i = 0; i < programs; ++i) {
    rng random(seed + static_cast<std::uint64_t>(i));
    auto const p = ttune_test::random_program(random);
    auto const q = arith::canonicalize_boundaries(p);
    INFO("TTUNE_SEED=" << seed + static_cast<std::uint64_t>(i) << "\n" << print(*p) << "\n" << print(*q));
    REQUIRE(!has_boundary(*q));
    REQUIRE(arith::canonicalize_boundaries(q) == q);
    auto const operands = ttune_test::random_operands(*p, random, i % 2 == 1);
    REQUIRE(ttune_test::difference(evaluate(*p, operands), evaluate(*q, operands), 0) == "");
  }
}

}  // namespace canonicalize_boundaries_tests
