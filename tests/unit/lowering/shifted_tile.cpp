// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/shifted_tile.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/lowered_open.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"

namespace shifted_tile_tests {

using namespace ttune;
using ttune_test::lowered_open;

namespace {

dim const n{"N", 1, 512};
auto const [i, io, ii, i2, f, r] = axes<"i", "io", "ii", "i2", "f", "r">;

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("shifted tile: the last tile of sums in registers ends where the axis ends") {
  tensor<"X", float, 1> const X{{n}};
  tensor<"W", float, 2> const W{{16, 3}};
  auto const Y = compute<"Y">(f, i.in(n)) = sum(over(r), zero_outside(X)(i + r - 1) * W(f, r));
  auto const filter = op(inputs(X, W), outputs(Y));
  auto const text = lowered_open(filter, schedule(filter, Y)
                                             .cache_write("acc")
                                             .split(i, 4, io, ii)
                                             .reorder(io, f, ii)
                                             .unroll(f)
                                             .unroll(ii)
                                             .in("acc")
                                             .compute_at("Y", io)
                                             .store_in(ir::memory::registers)
                                             .reorder(r, i, f)
                                             .unroll(r)
                                             .unroll(i)
                                             .vectorize(f));
  INFO(text);
  CHECK(has(text, "if acc.i + acc.r < 5"));
  CHECK(has(text, "acc[acc.f, acc.i] += X[N + acc.i + acc.r - 5] * W[acc.f, acc.r]"));
  CHECK(has(text, "Y[Y.f, N + Y.ii - 4] = acc[Y.f, Y.ii]"));
}

TEST_CASE("shifted tile: both ends of a tile of images know their neighbours") {
  tensor<"X", float, 1> const X{{n}};
  auto const near = clamp_outside(X);
  auto const Y = compute<"Y">(i.in(n)) = near(i - 1) + near(i + 1);
  auto const sums = op(inputs(X), outputs(Y));
  auto const text = lowered_open(sums, schedule(sums, Y).split(i, 4, io, ii).unroll(ii));
  INFO(text);
  CHECK(has(text, "Y[N + Y.ii - 4] = X[N + Y.ii - 5] + X[min(N + Y.ii - 3, N - 1)]"));
  CHECK(has(text, "Y[Y.ii] = X[max(Y.ii - 1, 0)] + X[Y.ii + 1]"));
}

TEST_CASE("shifted tile: tiles that speak of their start or of their places alone stay") {
  tensor<"X", float, 1> const X{{n}};
  tensor<"A", float, 1> const A{{128}};
  auto const near = clamp_outside(X);
  auto const quarters = compute<"Q">(i.in(n)) = near(i - 1) + near(i + 1) + A(i / 4);
  auto const blocks = op(inputs(X, A), outputs(quarters));
  CHECK(!has(lowered_open(blocks, schedule(blocks, quarters).split(i, 8, io, ii).unroll(ii)), "Q[N + "));
  auto const rests = compute<"R">(i.in(n)) = near(i - 1) + near(i + 1) + A(i % 4);
  auto const periods = op(inputs(X, A), outputs(rests));
  auto const nested = schedule(periods, rests).split(i, {2, 4}, io, ii, i2).unroll(ii).unroll(i2);
  CHECK(has(lowered_open(periods, nested), "A[R.i2]"));
  CHECK(!has(lowered_open(periods, nested), "R[N + "));
}

TEST_CASE("shifted tile: a tile that reads what it stores is computed once") {
  tensor<"U", float, 1, row_major, tensor_kind::inout> const U{{n}};
  tensor<"X", float, 1> const X{{n}};
  auto const near = clamp_outside(X);
  auto const more = update(U)(i) = U(i) + near(i - 1) + near(i + 1);
  auto const sums = op(inputs(U, X), outputs(more));
  CHECK(!has(lowered_open(sums, schedule(sums, more).split(i, 4, io, ii).unroll(ii)), "U[N + "));
}

TEST_CASE("shifted tile: first values that another statement has updated stay") {
  auto const [b, k] = axes<"b", "k">;
  dim const few{"N", 7, 41};
  tensor<"at", int, 1> const at{{3}};
  tensor<"X", float, 1> const X{{3}};
  auto const S = compute<"S">(b.in(33), i.in(few)) = sum(over(k), select(at(k) == cast<int>(b), X(k), 0.0F));
  auto const places = op(inputs(at, X), outputs(S));
  auto const text =
      lowered_open(places, schedule(places, S).scatter().split(i, 8, io, ii).reorder(io, k, b, ii).vectorize(ii));
  CAPTURE(text);
  CHECK(has(text, "S[S.b, S.io * 8 + S.ii] += X[S.k]"));
  CHECK(!has(text, "S[S.b, N + S.ii - 8] = 0.0"));
}

}  // namespace shifted_tile_tests
