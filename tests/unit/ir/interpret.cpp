// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/interpret.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "support/tf32_values.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/internal_error.hpp"
#include "ttune/support/rng.hpp"

namespace interpret_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

expr const i = make_variable("i"), j = make_variable("j"), k = make_variable("k");

handle<tensor> tensor_of(std::string name, dtype type, std::vector<std::int64_t> const& shape) {
  tensor t{{}, std::move(name), type};
  for (auto const n : shape) t.shape.push_back(n);
  return share(std::move(t));
}

handle<stage> stage_of(std::string name, std::vector<axis> axes, expr value, reduction_kind kind = reduction_kind::none,
                       std::vector<axis> reduced = {}) {
  stage s;
  s.name = std::move(name);
  s.axes = std::move(axes);
  s.reduction.kind = kind;
  s.reduction.axes = std::move(reduced);
  s.components.push_back({"", value->type, value});
  return share(std::move(s));
}

program program_of(std::vector<handle<tensor>> inputs, std::vector<handle<stage>> stages) {
  auto const last = stages.back();
  return {{}, "p", std::move(inputs), std::move(stages), {last}};
}

ndarray random_floats(std::vector<std::int64_t> shape, std::uint64_t seed, dtype type = dtype::f32) {
  rng random(seed);
  ndarray a(type, std::move(shape));
  for (auto& v : a.reals) v = rounded_to(type, random.uniform() * 2 - 1);
  return a;
}

ndarray integers_of(dtype type, std::vector<std::int64_t> values) {
  ndarray a(type, {static_cast<std::int64_t>(values.size())});
  a.integers = std::move(values);
  return a;
}

ndarray reals_of(dtype type, std::vector<double> values) {
  ndarray a(type, {static_cast<std::int64_t>(values.size())});
  a.reals = std::move(values);
  return a;
}

matrix as_matrix(ndarray const& a) { return Eigen::Map<matrix const>(a.reals.data(), a.shape[0], a.shape[1]); }

double largest_difference(ndarray const& a, matrix const& b) { return (as_matrix(a) - b).cwiseAbs().maxCoeff(); }

/// Applies a function to one operand, element by element.
ndarray mapped(ndarray const& x, expr (*f)(expr const&)) {
  auto const X = tensor_of("X", x.type, x.shape);
  auto const p = program_of({X}, {stage_of("Y", {{"i", 0, x.shape[0]}}, f(make_access(X, {i})))});
  return evaluate(p, std::vector{x})[0];
}

}  // namespace

TEST_CASE("evaluate: matrix product equals Eigen") {
  auto const A = tensor_of("A", dtype::f32, {17, 31});
  auto const B = tensor_of("B", dtype::f32, {31, 13});
  auto const p =
      program_of({A, B}, {stage_of("C", {{"i", 0, 17}, {"j", 0, 13}}, make_access(A, {i, k}) * make_access(B, {k, j}),
                                   reduction_kind::sum, {{"k", 0, 31}})});
  std::vector const operands{random_floats({17, 31}, 1), random_floats({31, 13}, 2)};
  auto const c = evaluate(p, operands)[0];
  CHECK(c.shape == std::vector<std::int64_t>{17, 13});
  CHECK(largest_difference(c, as_matrix(operands[0]) * as_matrix(operands[1])) < 1e-6);
  for (auto const v : c.reals) CHECK(v == static_cast<double>(static_cast<float>(v)));  // rounded to float at the end
}

TEST_CASE("evaluate: a strided, padded convolution equals plain loops") {
  auto const I = tensor_of("I", dtype::f64, {3, 11, 9});
  auto const W = tensor_of("W", dtype::f64, {4, 3, 3, 3});
  auto const f = make_variable("f"), y = make_variable("y"), x = make_variable("x"), c = make_variable("c"),
             r = make_variable("r"), s = make_variable("s");
  auto const tap = make_access(I, {c, y * 2 + r + -1, x * 2 + s + -1}, boundary::value, make_real(dtype::f64, 0));
  auto const p =
      program_of({I, W}, {stage_of("O", {{"f", 0, 4}, {"y", 0, 6}, {"x", 0, 5}}, tap * make_access(W, {f, c, r, s}),
                                   reduction_kind::sum, {{"c", 0, 3}, {"r", 0, 3}, {"s", 0, 3}})});
  std::vector const operands{random_floats({3, 11, 9}, 3, dtype::f64), random_floats({4, 3, 3, 3}, 4, dtype::f64)};
  auto const o = evaluate(p, operands)[0];
  std::size_t at = 0;
  for (int of = 0; of < 4; ++of)
    for (int oy = 0; oy < 6; ++oy)
      for (int ox = 0; ox < 5; ++ox) {
        double sum = 0;
        for (int ic = 0; ic < 3; ++ic)
          for (int ky = 0; ky < 3; ++ky)
            for (int kx = 0; kx < 3; ++kx) {
              int const iy = oy * 2 + ky - 1, ix = ox * 2 + kx - 1;
              if (iy < 0 || iy >= 11 || ix < 0 || ix >= 9) continue;
              sum += operands[0].reals[static_cast<std::size_t>((ic * 11 + iy) * 9 + ix)] *
                     operands[1].reals[static_cast<std::size_t>(((of * 3 + ic) * 3 + ky) * 3 + kx)];
            }
        CHECK(o.reals[at++] == doctest::Approx(sum));
      }
}

TEST_CASE("evaluate: softmax in three stages equals Eigen") {
  auto const S = tensor_of("S", dtype::f64, {5, 19});
  auto const most = stage_of("P.max", {{"i", 0, 5}}, make_access(S, {i, k}), reduction_kind::maximum, {{"k", 0, 19}});
  auto const power = [&](expr const& at) {
    return make_unary(unary_op::exp, make_access(S, {i, at}) - make_access(most, {i}));
  };
  auto const total = stage_of("P.sum", {{"i", 0, 5}}, power(k), reduction_kind::sum, {{"k", 0, 19}});
  auto const P =
      stage_of("P", {{"i", 0, 5}, {"k", 0, 19}}, make_binary(binary_op::divide, power(k), make_access(total, {i})));
  std::vector const operands{random_floats({5, 19}, 5, dtype::f64)};
  auto const result = evaluate(program_of({S}, {most, total, P}), operands)[0];
  matrix expected = as_matrix(operands[0]);
  for (Eigen::Index row = 0; row < 5; ++row) {
    expected.row(row) = (expected.row(row).array() - expected.row(row).maxCoeff()).exp();
    expected.row(row) /= expected.row(row).sum();
  }
  CHECK(largest_difference(result, expected) < 1e-12);
}

TEST_CASE("evaluate: argmax is a tuple reduction, the first of equal values wins") {
  auto const A = tensor_of("A", dtype::f32, {4, 9});
  stage s;
  s.name = "m";
  s.axes = {{"i", 0, 4}};
  s.reduction.kind = reduction_kind::tuple;
  s.reduction.axes = {{"k", 0, 9}};
  auto const value = [](bool right) { return make_argument(dtype::f32, right, 0); };
  auto const index = [](bool right) { return make_argument(dtype::i32, right, 1); };
  auto const better = make_binary(binary_op::less, value(false), value(true));
  s.components = {{"value", dtype::f32, make_access(A, {i, k})}, {"index", dtype::i32, make_cast(dtype::i32, k)}};
  s.reduction.identity = {make_identity(reduction_kind::maximum, dtype::f32), make_number(dtype::i32, -1)};
  s.reduction.combine = {make_select(better, value(true), value(false)),
                         make_select(better, index(true), index(false))};
  auto const m = share(std::move(s));
  auto a = random_floats({4, 9}, 6);
  a.reals[3] = a.reals[7] = 5;  // row 0
  auto const result = evaluate(program_of({A}, {m}), std::vector{a});
  REQUIRE(result.size() == 2);
  CHECK(result[1].integers[0] == 3);
  for (Eigen::Index row = 0; row < 4; ++row) {
    Eigen::Index at = 0;
    CHECK(result[0].reals[static_cast<std::size_t>(row)] == as_matrix(a).row(row).maxCoeff(&at));
    CHECK(result[1].integers[static_cast<std::size_t>(row)] == at);
  }
}

TEST_CASE("evaluate: integers wrap to their width, and divide as in C++") {
  auto const plus = [](dtype t, std::int64_t x, std::int64_t y) {
    auto const X = tensor_of("X", t, {1});
    auto const Y = tensor_of("Y", t, {1});
    auto const p = program_of({X, Y}, {stage_of("Z", {{"i", 0, 1}}, make_access(X, {i}) + make_access(Y, {i}))});
    return evaluate(p, std::vector{integers_of(t, {x}), integers_of(t, {y})})[0].integers[0];
  };
  CHECK(plus(dtype::i8, 100, 100) == -56);
  CHECK(plus(dtype::u8, 200, 100) == 44);
  CHECK(plus(dtype::i32, 2147483647, 1) == -2147483648LL);
  CHECK(plus(dtype::u32, 4294967295LL, 2) == 1);
  CHECK(plus(dtype::i64, std::numeric_limits<std::int64_t>::max(), 1) == std::numeric_limits<std::int64_t>::min());
  auto const third = [](expr const& x) { return make_binary(binary_op::divide, x, make_number(x->type, 3)); };
  auto const rest = [](expr const& x) { return make_binary(binary_op::modulo, x, make_number(x->type, 3)); };
  CHECK(mapped(integers_of(dtype::i32, {-7, 7}), third).integers == std::vector<std::int64_t>{-2, 2});
  CHECK(mapped(integers_of(dtype::i32, {-7, 7}), rest).integers == std::vector<std::int64_t>{-1, 1});
  CHECK(mapped(integers_of(dtype::u64, {-1}), third).integers[0] == 0x5555555555555555);  // 2^64 - 1
  auto const by_zero = [](expr const& x) { return make_binary(binary_op::divide, x, x - x); };
  CHECK_THROWS_AS(mapped(integers_of(dtype::i32, {1}), by_zero), program_error);
}

TEST_CASE("evaluate: casts go towards zero, saturate, wrap, round") {
  auto const to_i8 = [](expr const& x) { return make_cast(dtype::i8, x); };
  auto const to_u64 = [](expr const& x) { return make_cast(dtype::u64, x); };
  auto const to_f16 = [](expr const& x) { return make_cast(dtype::f64, make_cast(dtype::f16, x)); };
  auto const x = reals_of(dtype::f64, {-1.9, 1.9, 300, -300, std::nan(""), 127.5});
  CHECK(mapped(x, to_i8).integers == std::vector<std::int64_t>{-1, 1, 127, -128, 0, 127});
  CHECK(mapped(reals_of(dtype::f64, {-3, 1e30, 0x1p63}), to_u64).integers ==
        std::vector<std::int64_t>{0, -1, std::numeric_limits<std::int64_t>::min()});
  CHECK(mapped(integers_of(dtype::i32, {300, -129}), to_i8).integers == std::vector<std::int64_t>{44, 127});
  CHECK(mapped(reals_of(dtype::f64, {1 + 0x1p-11, 1 + 0x1.8p-10, 65519, 65520}), to_f16).reals ==
        std::vector<double>{1, 1 + 0x1p-9, 65504, HUGE_VAL});
  auto const half_even = [](expr const& v) { return make_unary(unary_op::round, v); };
  CHECK(mapped(reals_of(dtype::f64, {0.5, 1.5, 2.5, -0.5}), half_even).reals == std::vector<double>{0, 2, 2, -0.0});
}

TEST_CASE("evaluate: f32 is rounded to TF32") {
  auto const values = ttune_test::tf32_values();
  std::vector<double> x;
  for (auto const& v : values) x.push_back(static_cast<double>(v.from()));
  auto const rounded = [](expr const& v) { return make_unary(unary_op::round_to_tf32, v); };
  auto const found = mapped(reals_of(dtype::f32, x), rounded).reals;
  for (std::size_t n = 0; n < values.size(); ++n) CHECK(values[n].is(static_cast<float>(found[n])));
  auto const of_sum = [](expr const& v) {
    return make_unary(unary_op::round_to_tf32, v + v * make_real(dtype::f32, 0x1p-11));
  };
  CHECK(mapped(reals_of(dtype::f32, {1, 1 - 0x1p-20}), of_sum).reals == std::vector<double>{1 + 0x1p-10, 1});
}

TEST_CASE("evaluate: 16-bit outputs are rounded once, from double") {
  auto const sum_of = [](dtype t) {
    auto const X = tensor_of("X", t, {4});
    auto const p = program_of({X}, {stage_of("Y", {}, make_access(X, {k}), reduction_kind::sum, {{"k", 0, 4}})});
    return evaluate(p, std::vector{reals_of(t, {2048, 1, 1, 1})})[0].reals[0];  // stepwise in f16: 2048
  };
  CHECK(sum_of(dtype::f16) == 2052);  // 2051 is a tie, 2052 is even
  CHECK(sum_of(dtype::bf16) == 2048);
}

TEST_CASE("evaluate: every boundary, against a table") {
  auto const read = [](boundary how, std::int64_t shift) {
    auto const X = tensor_of("X", dtype::i32, {4});
    auto const fill = how == boundary::value ? make_number(dtype::i32, 9) : expr();
    auto const p = program_of({X}, {stage_of("Y", {{"i", 0, 4}}, make_access(X, {i * 3 + shift}, how, fill))});
    return evaluate(p, std::vector{integers_of(dtype::i32, {0, 1, 2, 3})})[0].integers;
  };
  using values = std::vector<std::int64_t>;
  CHECK(read(boundary::value, -4) == values{9, 9, 2, 9});  // -4 -1 2 5
  CHECK(read(boundary::clamp, -4) == values{0, 0, 2, 3});
  CHECK(read(boundary::wrap, -4) == values{0, 3, 2, 1});
  CHECK(read(boundary::mirror, -4) == values{2, 1, 2, 1});
}

TEST_CASE("evaluate: predicates, ranges that do not begin at 0, empty reductions") {
  auto const X = tensor_of("X", dtype::f32, {10});
  auto s = *stage_of("Y", {{"i", 0, 3}}, make_access(X, {k}), reduction_kind::maximum, {{"k", 2, 10}});
  s.predicate = make_binary(binary_op::less, k, i * 3);
  auto const y =
      evaluate(program_of({X}, {share(s)}), std::vector{reals_of(dtype::f32, {9, 8, 1, 2, 3, 4, 5, 6, 7, 0})})[0];
  CHECK(y.reals == std::vector<double>{-HUGE_VAL, 1, 4});
}

TEST_CASE("evaluate: NaN terms are ignored by minimum and maximum reductions") {
  auto const X = tensor_of("X", dtype::f32, {3});
  auto const p = program_of({X}, {stage_of("Y", {}, make_access(X, {k}), reduction_kind::minimum, {{"k", 0, 3}})});
  CHECK(evaluate(p, std::vector{reals_of(dtype::f32, {std::nan(""), 2, std::nan("")})})[0].reals[0] == 2);
}

TEST_CASE("evaluate: an update changes its operand, gathers read where the data says") {
  auto C = *tensor_of("C", dtype::i32, {3});
  C.role = tensor_role::inout;
  auto const target = share(C);
  auto const ix = tensor_of("ix", dtype::i32, {3});
  auto const V = tensor_of("V", dtype::i32, {5});
  auto s = *stage_of("C", {{"i", 0, 3}},
                     make_access(target, {i}) + make_access(V, {make_cast(dtype::index, make_access(ix, {i}))}));
  s.updates = target;
  auto const p = program_of({target, ix, V}, {share(s)});
  auto const run_with = [&](std::int64_t last) {
    return evaluate(p, std::vector{integers_of(dtype::i32, {1, 2, 3}), integers_of(dtype::i32, {4, 0, last}),
                                   integers_of(dtype::i32, {10, 20, 30, 40, 50})});
  };
  CHECK(run_with(2)[0].integers == std::vector<std::int64_t>{51, 12, 33});
  CHECK_THROWS_WITH_AS(run_with(5), "V(at(ix(i))): dimension 0 is indexed with 5, but has 5 elements", program_error);
}

TEST_CASE("evaluate: wrong operands are named") {
  auto const X = tensor_of("X", dtype::f32, {3});
  auto const p = program_of({X}, {stage_of("Y", {{"i", 0, 3}}, make_access(X, {i}))});
  CHECK_THROWS_WITH_AS((void)evaluate(p, {}), "p(X f32 (3)) -> Y f32 (3): operand X is missing", argument_error);
  CHECK_THROWS_WITH_AS((void)evaluate(p, std::vector{ndarray(dtype::f64, {3})}),
                       "p(X f32 (3)) -> Y f32 (3): operand X is given as f64 (3)", argument_error);
}

TEST_CASE("run: loops, lets, scratch and conditions of a lowered program") {
  auto const A = tensor_of("A", dtype::f32, {10});
  auto const p = program_of({A}, {stage_of("Y", {{"i", 0, 10}}, make_access(A, {i}) + make_access(A, {i}))});
  auto const a = share(buffer{{}, "A", dtype::f32, {10}, memory::operand, 0});
  auto const y = share(buffer{{}, "Y", dtype::f32, {10}, memory::operand, 1});
  auto const t = share(buffer{{}, "t", dtype::f32, {4}, memory::registers});
  auto const u = make_variable("u");
  auto const position = i * 4 + u;
  auto const copy = make_store(t, {u}, make_access(a, {position}) + make_access(a, {position}));
  auto const use = make_store(y, {position}, make_access(t, {u}));
  auto const guard = [&](stmt const& s) {
    return make_conditional(make_binary(binary_op::less, position, make_index(10)), s);
  };
  auto const over = [&](stmt const& s) {
    return make_loop("u", make_index(0), make_index(4), loop_kind::vectorized, s);
  };
  auto const lower = [&](stmt const& first, stmt const& second) {
    auto const tile = make_allocate(t, make_block({first, second}));
    return lowered{"p", {a, y}, {}, {}, make_loop("i", make_index(0), make_index(3), loop_kind::parallel, tile)};
  };
  std::vector const operands{random_floats({10}, 7)};
  auto const right = lower(over(guard(copy)), over(guard(use)));
  CHECK(run(right, p, operands)[0].reals == evaluate(p, operands)[0].reals);
  std::vector<buffer_traffic> traffic;
  CHECK(run(right, p, operands, {&traffic})[0].reals == evaluate(p, operands)[0].reals);
  REQUIRE(traffic.size() == 2);
  CHECK(traffic[0].loads == 20);
  CHECK(traffic[0].elements_loaded == 10);
  CHECK(traffic[1].elements_stored == 10);

  CHECK_THROWS_AS((void)run(lower(over(copy), over(guard(use))), p, operands), internal_error);  // reads A[10]
  CHECK_THROWS_AS((void)run(lower(over(guard(copy)), over(use)), p, operands), internal_error);  // t[2] unwritten
  CHECK_THROWS_AS((void)run(lower(over(guard(use)), over(guard(copy))), p, operands),
                  internal_error);                                                            // the wrong order
  CHECK_THROWS_AS((void)run(lower(over(guard(copy)), stmt()), p, operands), internal_error);  // Y never written
  auto const spoil = make_store(a, {u}, make_real(dtype::f32, 0));
  CHECK_THROWS_AS((void)run(lower(over(spoil), over(guard(use))), p, operands), internal_error);  // A is an input
  auto const bare = lowered{"p", {a, y}, {}, {}, over(copy)};
  CHECK_THROWS_AS((void)run(bare, p, operands), internal_error);  // t not allocated
}

TEST_CASE("run: threads meet at barriers") {
  auto const A = tensor_of("A", dtype::f32, {8});
  auto const p = program_of({A}, {stage_of("Y", {{"i", 0, 8}}, make_access(A, {make_index(7) - i}))});
  auto const a = share(buffer{{}, "A", dtype::f32, {8}, memory::operand, 0});
  auto const y = share(buffer{{}, "Y", dtype::f32, {8}, memory::operand, 1});
  auto const g = share(buffer{{}, "g", dtype::f32, {8}, memory::shared});
  auto const x = make_variable("x");
  auto const put = make_store(g, {x}, make_access(a, {x}));
  auto const get = make_store(y, {x}, make_access(g, {make_index(7) - x}));
  auto const kernel = [&](stmt const& between) {
    auto const threads =
        make_loop("x", make_index(0), make_index(8), loop_kind::thread_x, make_block({put, between, get}));
    return lowered{"p", {a, y}, {}, {}, make_allocate(g, threads)};
  };
  auto const meet = share(stmt_node{{}, barrier{}});
  std::vector const operands{random_floats({8}, 8)};
  CHECK(run(kernel(meet), p, operands)[0].reals == evaluate(p, operands)[0].reals);
  CHECK_THROWS_WITH_AS((void)run(kernel({}), p, operands),
                       "ttune: internal: element 4 of g is read by `Y[x] = g[7 - x]` of thread.x 3 and written by "
                       "`g[x] = A[x]` of thread.x 4: a barrier is missing between them",
                       internal_error);
  auto const some = make_conditional(make_binary(binary_op::less, x, make_index(3)), meet);
  CHECK_THROWS_AS((void)run(kernel(some), p, operands), internal_error);
}

}  // namespace interpret_tests
