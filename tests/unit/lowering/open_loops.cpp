// SPDX-License-Identifier: Apache-2.0
#include "support/lowered_open.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/error.hpp"

#include <doctest/doctest.h>

namespace open_loops_tests {

using namespace ttune;
using ttune_test::lowered_open;

TEST_CASE("open loops: loops end where the extent of a call does, and the last tile has conditions") {
  dim const n{"N", 1, 512};
  auto const [i, io, ii] = axes<"i", "io", "ii">;
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = X(i) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  CHECK(lowered_open(twice, schedule(twice, Y).split(i, 4, io, ii).unroll(ii)) ==
        "let N = at(extents[0]) in [1, 513)\n"
        "for Y.io < min(N / 4, (N + 3) / 4)\n"
        "  unroll Y.ii < 4\n"
        "    Y[Y.io * 4 + Y.ii] = X[Y.io * 4 + Y.ii] * 2.0\n"
        "for Y.io in [min(N / 4, (N + 3) / 4), (N + 3) / 4)\n"
        "  unroll Y.ii < 4\n"
        "    if Y.io * 4 + Y.ii < N\n"
        "      Y[Y.io * 4 + Y.ii] = X[Y.io * 4 + Y.ii] * 2.0\n");
}

TEST_CASE("open loops: extents keep their places where steps change which one is used first") {
  dim const m{"M", 1, 20}, n{"N", 1, 30};
  auto const [i, j, r, l, li] = axes<"i", "j", "r", "l", "li">;
  tensor<"X", float, 1> const X{{4}};
  auto const S = compute<"S">(i.in(m), j.in(n)) = sum(over(r.in(4)), X(r));
  auto const sums = op(inputs(X), outputs(S));
  auto const text = lowered_open(sums, schedule(sums, S).rfactor(r, -2, "part", l).in("part").fuse_axes(l, i, li));
  CHECK_MESSAGE(text.find("let M = at(extents[0])") != std::string::npos, text);
  CHECK_MESSAGE(text.find("let N = at(extents[1])") != std::string::npos, text);
  CHECK_MESSAGE(text.find("li < 40") != std::string::npos, text);
}

TEST_CASE("open loops: a copy has all elements where the call decides which one is read") {
  dim const w{"W", 1, 2};
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", float, 2> const I{{5, w}};
  auto const Y = compute<"Y">(y, x.in(8)) = clamp_outside(I)(y, x + 2);
  auto const last = op(inputs(I), outputs(Y));
  auto const text = lowered_open(last, schedule(last, Y).cache_read(I, "copy").in("copy").compute_at("Y", y));
  CHECK_MESSAGE(text.find("alloc copy f32 (1, 2)") != std::string::npos, text);
}

TEST_CASE("open loops: boundaries keep quotients, remainders, limits and data inside") {
  dim const n{"N", 2, 512};
  auto const [i, r] = axes<"i", "r">;
  tensor<"X", float, 1> const X{{n}};
  tensor<"at", int, 1> const places{{n}};
  auto const near = clamp_outside(X);
  auto const none = zero_outside(X);
  auto const Y = compute<"Y">(i) = none((i * 2 - 2) / 3 + 1) + none(i * 2 - 1) + near((i + 4) % 5) + near(i / 2 + 3) +
                                   none(at(places(i))) + near(at(places(i))) + X(i);
  auto const Z = compute<"Z">(i.in(n)) = sum(over(r.in(3)), none((i + r) % 3) * none(i - r));
  dim const one{"M", 3, 3};
  tensor<"V", float, 1> const V{{one}};
  auto const W = compute<"W">(i.in(19)) = sum(over(r.in(3)), zero_outside(V)((i + r - 3) / 2)) + V(0);
  CHECK_NOTHROW((void)lowered_open(op(inputs(V), outputs(W)), schedule(W)));
  CHECK_NOTHROW((void)lowered_open(op(inputs(X, places), outputs(Y)), schedule(Y)));
  CHECK_NOTHROW((void)lowered_open(op(inputs(X), outputs(Z)), schedule(Z)));
  tensor<"T", float, 2> const T{{7, n}};
  auto const never = compute<"never">(i.in(7)) = sum(over(r), select(r + i < i, T(i, r), 0));
  CHECK_NOTHROW((void)lowered_open(op(inputs(T), outputs(never)), schedule(never)));
  auto const beside = compute<"B">(i) = X(i) + mirror_outside(X)(i - 1);
  CHECK_THROWS_WITH_AS((void)lowered_open(op(inputs(X), outputs(beside)), schedule(beside)),
                       doctest::Contains("wraps or mirrors reads outside of X"), schedule_error);
}

TEST_CASE("open loops: the last tile of rows ends where the axis ends, few rows are code of their own") {
  dim const m{"M", 1, 512};
  auto const [i, k, io, ii] = axes<"i", "k", "io", "ii">;
  tensor<"X", float, 2> const X{{m, 8}};
  auto const Y = compute<"Y">(i) = sum(over(k), X(i, k));
  auto const sums = op(inputs(X), outputs(Y));
  CHECK(lowered_open(sums, schedule(sums, Y)
                               .cache_write("acc")
                               .split(i, 4, io, ii)
                               .unroll(ii)
                               .in("acc")
                               .compute_at("Y", io)
                               .store_in(ir::memory::registers)
                               .reorder(k, i)
                               .unroll(i)) ==
        "let M = at(extents[0]) in [1, 513)\n"
        "for Y.io < (M + 3) / 4\n"
        "  if 4 <= M\n"
        "    if M <= Y.io * 4 + 2\n"
        "      alloc acc f32 (4) registers\n"
        "      unroll acc.i < 2\n"
        "        acc[acc.i] = 0.0\n"
        "      for acc.k < 8\n"
        "        unroll acc.i < 2\n"
        "          acc[acc.i] += X[M + acc.i - 2, acc.k]\n"
        "      unroll Y.ii < 2\n"
        "        Y[M + Y.ii - 2] = acc[Y.ii]\n"
        "    else\n"
        "      let Y.io.place = min(Y.io * 4, M - 4) in [0, 509)\n"
        "      alloc acc f32 (4) registers\n"
        "      unroll acc.i < 4\n"
        "        acc[acc.i] = 0.0\n"
        "      for acc.k < 8\n"
        "        unroll acc.i < 4\n"
        "          acc[acc.i] += X[Y.io.place + acc.i, acc.k]\n"
        "      unroll Y.ii < 4\n"
        "        Y[Y.ii + Y.io.place] = acc[Y.ii]\n"
        "  else\n"
        "    alloc acc f32 (4) registers\n"
        "    if M < 3\n"
        "      unroll acc.i < 2\n"
        "        acc[acc.i] = 0.0\n"
        "      for acc.k < 8\n"
        "        unroll acc.i < 2\n"
        "          acc[acc.i] += X[min(acc.i, M - 1), acc.k]\n"
        "      unroll Y.ii < 2\n"
        "        if Y.ii < M\n"
        "          Y[Y.ii] = acc[Y.ii]\n"
        "    else\n"
        "      unroll acc.i < 4\n"
        "        acc[acc.i] = 0.0\n"
        "      for acc.k < 8\n"
        "        unroll acc.i < 4\n"
        "          acc[acc.i] += X[min(acc.i, M - 1), acc.k]\n"
        "      unroll Y.ii < 4\n"
        "        if Y.ii < M\n"
        "          Y[Y.ii] = acc[Y.ii]\n");
}

TEST_CASE("open loops: places in runs of an open sum become lanes, and whole runs have no conditions") {
  dim const n{"N", 1, 512};
  auto const [i, k, l] = axes<"i", "k", "l">;
  tensor<"X", float, 2> const X{{3, n}};
  auto const Y = compute<"Y">(i) = sum(over(k), X(i, k));
  auto const sums = op(inputs(X), outputs(Y));
  auto const text = lowered_open(sums, schedule(sums, Y)
                                           .rfactor(k, 4, "lanes", l)
                                           .in("lanes")
                                           .compute_at("Y", i)
                                           .store_in(ir::memory::registers)
                                           .reorder(i, k, l)
                                           .vectorize(l));
  CHECK(text ==
        "let N = at(extents[0]) in [1, 513)\n"
        "for Y.i < 3\n"
        "  alloc lanes f32 (1, 4) registers\n"
        "  vectorize lanes.l < 4\n"
        "    lanes[0, lanes.l] = 0.0\n"
        "  for lanes.k < min(N / 4, (N + 3) / 4)\n"
        "    vectorize lanes.l < 4\n"
        "      lanes[0, lanes.l] += X[Y.i, lanes.k * 4 + lanes.l]\n"
        "  for lanes.k in [min(N / 4, (N + 3) / 4), (N + 3) / 4)\n"
        "    vectorize lanes.l < 4\n"
        "      if lanes.k * 4 + lanes.l < N\n"
        "        lanes[0, lanes.l] += X[Y.i, lanes.k * 4 + lanes.l]\n"
        "  Y[Y.i] = 0.0\n"
        "  for Y.l < 4\n"
        "    Y[Y.i] += lanes[0, Y.l]\n");
}

TEST_CASE("open loops: a copy of the term of each result does not begin before its operand") {
  dim const n{"N", 1, 64};
  dim const m{"M", 1, 64};
  auto const [t, k] = axes<"t", "k">;
  tensor<"X", float, 1> const X{{n}};
  tensor<"Y", float, 1> const Y{{m}};
  auto const S = compute<"S">(t.in(m)) = sum(over(k), select(k < t, X(k), 0.0F));
  auto const D = compute<"D">(t.in(m)) = S(t) - Y(t);
  auto const sums = op(inputs(X, Y), outputs(D));
  auto const text =
      lowered_open(sums, schedule(sums, D).in("S").cache_read(X, "copy", k).carry(t).in("copy").compute_at("S", k));
  INFO(text);
  CHECK(text.find("copy[0] = X[min(max(S.t - 1, 0), N - 1)]") != std::string::npos);
}

TEST_CASE("open loops: what is computed from constants is prepared only if no call gives its extents") {
  dim const n{"N", 1, 64};
  auto const [i] = axes<"i">;
  constant<"W", float, 1> const W{{100}};
  tensor<"X", float, 1> const X{{n}};
  auto const T = compute<"T">(i.in(n)) = W(2) * cast<float>(i);
  auto const Y = compute<"Y">(i) = X(i) + T(i);
  auto const sums = op(inputs(W, X), outputs(Y));
  CHECK(lowered_open(sums, schedule(sums, Y)) ==
        "alloc T f32 (64) workspace\n"
        "let N = at(extents[0]) in [1, 65)\n"
        "for T.i < N\n"
        "  T[T.i] = W[2] * cast<f32>(T.i)\n"
        "for Y.i < N\n"
        "  Y[Y.i] = X[Y.i] + T[Y.i]\n");
}

TEST_CASE("open loops: few lanes of several vectors are code of their own") {
  dim const n{"N", 1, 64};
  auto const [i] = axes<"i">;
  tensor<"X", double, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = X(i) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  auto const text = lowered_open(twice, schedule(twice, Y).vectorize(i));
  CHECK(
      text.starts_with("let N = at(extents[0]) in [1, 65)\n"
                       "if 64 <= N\n"
                       "  vectorize Y.i < 64\n"
                       "    Y[Y.i] = X[Y.i] * 2.0\n"
                       "else\n"
                       "  if N < 5\n"
                       "    vectorize Y.i < 4\n"
                       "      if Y.i < N\n"
                       "        Y[Y.i] = X[Y.i] * 2.0\n"
                       "  else\n"
                       "    if N < 9\n"
                       "      vectorize Y.i < 8\n"));
}

TEST_CASE("open loops: the tasks around few lanes are all there, though the last of their loops runs once") {
  dim const n{"N", 1, 31};
  auto const [i, j, jo, ji, tasks] = axes<"i", "j", "jo", "ji", "tasks">;
  tensor<"X", float, 2> const X{{40, n}};
  auto const Y = compute<"Y">(i, j) = X(i, j) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  auto const text = lowered_open(
      twice,
      schedule(twice, Y).split(j, 32, jo, ji).reorder(i, jo, ji).fuse(i, jo, tasks).parallel(tasks).vectorize(ji));
  INFO(text);
  CHECK(text.find("parallel Y.tasks < 40\n") != std::string::npos);
  CHECK(text.find("parallel Y.tasks < 16\n") == std::string::npos);
}

TEST_CASE("open loops: steps that give operands other dimensions are refused") {
  dim const m{"M", 1, 512};
  auto const [i, j, ij] = axes<"i", "j", "ij">;
  tensor<"X", float, 2> const X{{m, 8}};
  auto const Y = compute<"Y">(i, j) = X(i, j) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  CHECK_THROWS_WITH_AS((void)lowered_open(twice, schedule(twice, Y).fuse_axes(i, j, ij)),
                       "keep_open(Y): would have operands of other dimensions than calls give, and some of these stay "
                       "open",
                       schedule_error);
}

TEST_CASE("open loops: calls with few terms are small") {
  dim const m{"M", 1, 512};
  dim const n{"N", 1, 512};
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{m, 8}};
  tensor<"B", float, 2> const B{{8, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const product = op(inputs(A, B), outputs(C));
  space open = schedule(product, C).parallel(i);
  open.program = capture::keep_open(product.program());
  auto const made = lower(open, configuration{});
  auto const wanted = [](ir::lowered const& of, std::string const& tasks) {
    return ir::print(of).find("let $tasks = min(" + tasks + ", $threads * 2) in [1, ") != std::string::npos;
  };
  CHECK_MESSAGE(wanted(made, "(8 * M * N + 16383) / 16384"), ir::print(made));
  auto const E = compute<"E">(i, k) = exp(A(i, k));  // a function and a result: twice the work of an element
  auto const exponentials = op(inputs(A), outputs(E));
  open = schedule(exponentials, E).parallel(i);
  open.program = capture::keep_open(exponentials.program());
  CHECK_MESSAGE(wanted(lower(open, configuration{}), "(8 * M + 4095) / 4096"), ir::print(lower(open, configuration{})));
  auto const [l] = axes<"l">;
  tensor<"W", float, 2> const W{{512, 512}};
  tensor<"R", float, 2> const R{{m, 512}};
  auto const P = compute<"P">(i, j) = sum(over(l), R(i, l) * W(l, j));  // a single row is worth several threads
  auto const rows = op(inputs(R, W), outputs(P));
  open = schedule(rows, P).parallel(i);
  open.program = capture::keep_open(rows.program());
  CHECK_MESSAGE(wanted(lower(open, configuration{}), "(262144 * M + 16383) / 16384"),
                ir::print(lower(open, configuration{})));
}

TEST_CASE("open loops: a call that would have too few tasks has fewer tiles in each") {
  dim const n{"N", 1, 512};
  auto const [i, ia, ib, ic, id] = axes<"i", "ia", "ib", "ic", "id">;
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = X(i) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  auto const tiles = schedule(twice, Y).split(i, 64, ia, ib).split(ib, 4, ic, id).parallel(ia).vectorize(id);
  auto const text = lowered_open(twice, tiles);
  auto const has = [&](char const* line) { return text.find(line) != std::string::npos; };
  CHECK_MESSAGE(has("let Y.ic.count = max(min(((N + 3) / 4 + $tasks - 1) / $tasks, 16), 1) in [1, 17)"), text);
  CHECK_MESSAGE(has("let Y.ia.tasks = ((N + 3) / 4 + Y.ic.count - 1) / Y.ic.count in [0, 129)"), text);
  CHECK_MESSAGE(has("parallel Y.ia.task < Y.ia.tasks"), text);
  CHECK_MESSAGE(has("let Y.ia = Y.ia.task * Y.ic.count in [0, 128)"), text);
  CHECK_MESSAGE(has("for Y.ic < max(min((N + 3) / 4 - Y.ia, Y.ic.count), 0)"), text);
  CHECK_MESSAGE(has("Y[Y.ia * 4 + Y.ic * 4 + Y.id]"), text);

  // what a task computes for all of its tiles stays: a task with fewer of them would compute as much
  auto const with_copy = [&](int elements) {
    auto const copied =
        schedule(twice, Y).split(i, elements, ia, ib).split(ib, 4, ic, id).parallel(ia).cache_read(X, "copy");
    return lowered_open(twice, copied.in("copy").compute_at("Y", ia));
  };
  CHECK_MESSAGE(with_copy(64).find("parallel Y.ia < (N + 63) / 64") != std::string::npos, with_copy(64));
  CHECK_MESSAGE(with_copy(512).find("Y.ic.count") == std::string::npos, with_copy(512));
  auto const one_task = schedule(twice, Y).split(i, 512, ia, ib).split(ib, 4, ic, id).parallel(ia);
  CHECK_MESSAGE(lowered_open(twice, one_task).find("Y.ic.count = ") != std::string::npos,
                lowered_open(twice, one_task));
}

}  // namespace open_loops_tests
