// SPDX-License-Identifier: Apache-2.0
// Lowering: each primitive keeps the meaning of the program, at shapes that nothing divides.
#include "ttune/lowering/statements.hpp"

#include "support/derived_programs.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule.hpp"

namespace statements_tests {

using namespace ttune;
using ttune_test::check_space;

TEST_CASE("lower: splits with tails, at every depth") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [i0, i1, i2, j0, j1, k0, k1] = axes<"i0", "i1", "i2", "j0", "j1", "k0", "k1">;
  tensor<"A", float, 2> const A{{13, 11}};
  tensor<"B", float, 2> const B{{11, 17}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  check_space(schedule(C), 0);
  check_space(schedule(C)
                  .split(i, ttune::any<3>("y"), i0, i1, i2)
                  .split(j, powers_of_two<2>("x"), j0, j1)
                  .split(k, ttune::any<2>("z"), k0, k1)
                  .reorder(i0, j0, i1, k0, i2, k1, j1)
                  .reorder(permutation("order"), i1, k0, i2, k1)
                  .parallel(i0)
                  .vectorize(maybe("v"), j1),
              60);
  check_space(schedule(C).split(i, ttune::any<2>("y"), i0, i1).fuse(i0, i1, i2).parallel(i2).vectorize(j), 12);
}

TEST_CASE("lower: accumulators, copies and packing at any place") {
  auto const [i, j, k, l] = axes<"i", "j", "k", "l">;
  auto const [io, ii, jo, ji] = axes<"io", "ii", "jo", "ji">;
  tensor<"A", float, 2> const A{{9, 14}};
  tensor<"B", float, 2> const B{{14, 22}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const tiled =
      schedule(C).cache_write("acc").tile(i, j, ttune::any<2>("y"), ttune::any<2>("x"), io, jo, ii, ji).parallel(io);
  check_space(tiled.in("acc").compute_at(C, jo).store_in(ir::memory::local).reorder(k, i, j).vectorize(j), 30);
  check_space(tiled.in("acc")
                  .compute_at(C, jo)
                  .cache_read(A, "Ap")
                  .cache_read(B, "Bp")
                  .in("Ap")
                  .compute_at(C, io)
                  .reorder(k, i)
                  .pack()
                  .in("Bp")
                  .compute_at("acc", k),
              30);
  check_space(tiled.in("acc").compute_at(C, jo).rfactor(k, 4, "rf", l).in("rf").compute_at("acc", i).vectorize(l), 30);
  check_space(tiled.in("acc").cache_read(B, "Bp").in("Bp").split(j, 5, jo, ji).reorder(jo, k, ji).pack(), 20);
}

TEST_CASE("lower: producers inside their readers, over boundaries and strides") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  auto const [yo, yi, xo, xi] = axes<"yo", "yi", "xo", "xi">;
  tensor<"I", float, 2> const I{{13, 15}};
  auto const P = compute<"P">(y, x) = I(y, x) * 2.0F + 1.0F;
  auto const Q = compute<"Q">(y, x) = zero_outside(P)(y - 1, x) + zero_outside(P)(y, x + 1);
  auto const O = compute<"O">(y.in(6), x.in(7)) =
      sum(over(r.in(3), s.in(3)), zero_outside(Q)(2 * y + r - 1, 2 * x + s - 1));
  auto const o = schedule(O).tile(y, x, ttune::any<2>("ty"), ttune::any<2>("tx"), yo, xo, yi, xi);
  check_space(o, 10);
  check_space(o.in(Q).compute_at(O, xo), 30);
  check_space(o.in(Q).compute_at(O, xo).in(P).compute_at(O, yo), 30);
  check_space(o.in(Q).compute_at(O, yi).in(P).compute_at(Q, x), 30);
  check_space(o.in(P).compute_at(O, xi).inline_stage(Q), 30);
  check_space(o.in(Q).compute_at(O, xo).split(y, 2, yo, yi).vectorize(x).inline_stage(P), 30);
}

TEST_CASE("lower: a producer of a producer, which is read at half of an odd place") {
  auto const [i, io, i1, im, ii] = axes<"i", "io", "i1", "im", "ii">;
  tensor<"I", float, 1> const I{{40}};
  auto const P = compute<"P">(i.in(30)) = I(i) * 2.0F;
  auto const Q = compute<"Q">(i.in(25)) = P(i) + 1.0F;
  auto const O = compute<"O">(i.in(36)) = Q((i + 1) / 2);
  auto const tiled = schedule(O).split(i, 6, io, i1).split(i1, 3, im, ii);
  check_space(tiled.in(Q).compute_at(O, im).in(P).compute_at(O, io), 0);
}

TEST_CASE("lower: reductions of other kinds, of no elements, of tuples") {
  auto const [i, k, ko, ki] = axes<"i", "k", "ko", "ki">;
  tensor<"S", float, 2> const S{{5, 19}};
  auto const M = compute<"M">(i) = max(over(k), S(i, k));
  auto const N = compute<"N">(i) = min(over(k.in(4, 17)), S(i, k) * 2.0F);
  check_space(schedule(M).split(k, ttune::any<2>("t"), ko, ki).unroll(ki), 12);
  check_space(schedule(N).split(k, ttune::any<2>("t"), ko, ki).reorder(ko, i, ki), 12);
  check_space(schedule(M).rfactor(k, 8, "lanes", ki).in("lanes").compute_at(M, i).vectorize(ki), 0);
  check_space(schedule(N).rfactor(k, 3, "lanes", ki).in("lanes").reorder(k, i, ki), 0);
  check_space(schedule(M).rfactor(k, -4, "shares", ko).in("shares").parallel(ko), 0);
  check_space(schedule(N).rfactor(k, -13, "shares", ko).in("shares").reorder(ko, i, k), 0);
}

TEST_CASE("lower: stages that many paths of reads lead to") {
  // Two stages of 22 levels each read both of the level before: 2^22 paths lead from the result to the first level.
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", float, 2> const I{{30, 5}};
  auto const from = [&](auto const& a, auto const& b) { return zero_outside(a)(y + 1, x) + zero_outside(b)(y, x); };
  auto left = compute<"A">(y.in(30), x.in(5)) = from(I, I);
  auto right = compute<"B">(y.in(30), x.in(5)) = from(I, I) * 2.0F;
  for (int level = 1; level < 22; ++level) {
    auto const next = compute<"A">.numbered(level)(y.in(30), x.in(5)) = from(left, right) / 4.0F;
    right = compute<"B">.numbered(level)(y.in(30), x.in(5)) = from(right, left) / 4.0F;
    left = next;
  }
  auto const O = compute<"O">(y.in(30), x.in(5)) = from(left, right);
  space of{
      op(inputs(I), outputs(O)).program(), {{primitive::split, "O", {"y"}, {"yo", "yi"}, {literal(3)}}}, {}, {}, {}};
  for (auto st = of.program->stages.size() - 1; st-- > 0;) {
    auto const& name = of.program->stages[st]->name;
    of.steps.push_back({primitive::compute_at, name, {"O", "yo"}, {}, {}});
  }
  check_space(of, 0);
  auto const p = make_plan(of);
  loop_nest n;
  instantiate(p, {}, n);
  for (std::size_t st = 0; st + 1 < p.stages.size(); ++st) CHECK(n.stages[st].attached_to >= 0);
  CHECK(axis_span(p, n, 0, 0, p.stages.size() - 1, 0) == 24);  // three rows of O, one more for each level
}

TEST_CASE("lower: a predicate reads data inside of the domain only") {
  auto const operand = [](char const* name, std::vector<ir::extent> shape) {
    ir::tensor t;
    t.name = name;
    t.type = dtype::f32;
    t.shape = std::move(shape);
    return share(std::move(t));
  };
  auto const T = operand("T", {9}), X = operand("X", {11});
  auto const at = [](auto const& from, ir::expr const& index) { return ir::make_access(from, {index}); };
  auto const n = ir::make_variable("n"), r = ir::make_variable("r");
  ir::stage s;
  s.name = "S";
  s.axes = {{"n", 0, 7}};
  s.reduction.kind = ir::reduction_kind::sum;
  s.reduction.axes = {{"r", 0, 3}};
  s.components.push_back({"", dtype::f32, at(X, n + r)});
  s.predicate = ir::make_binary(ir::binary_op::less, at(T, n + r), at(X, r));
  ir::program p;
  p.name = "p";
  p.inputs = {T, X};
  p.stages = {share(std::move(s))};
  p.outputs = {p.stages[0]};
  space guarded;
  guarded.program = share(std::move(p));
  guarded.steps.push_back({primitive::split, "S", {"n"}, {"no", "ni"}, {literal(6)}});
  loop_nest loops;
  auto const planned = make_plan(guarded);
  instantiate(planned, {}, loops);
  rng random(1);
  auto const operands = ttune_test::uniform_operands(*guarded.program, random);
  auto const expected = ir::evaluate(*guarded.program, operands);
  auto const made = lowering::build_statements(planned, loops);
  CHECK(ttune_test::first_difference(ir::run(made, *guarded.program, operands), expected).empty());
  CHECK(
      ttune_test::first_difference(ir::run(lowering::run_passes(made), *guarded.program, operands), expected).empty());
}

}  // namespace statements_tests
