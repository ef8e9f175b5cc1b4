// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/open_interiors.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/lowered_open.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/error.hpp"

namespace open_interiors_tests {

using namespace ttune;
using ttune_test::lowered_open;

namespace {

dim const n{"N", 1, 512};
auto const [i, io, ii, r] = axes<"i", "io", "ii", "r">;

}  // namespace

TEST_CASE("open interiors: tiles inside of the boundaries redirect no index") {
  tensor<"X", float, 1> const X{{n}};
  auto const near = clamp_outside(X);
  auto const Y = compute<"Y">(i.in(n)) = near(i - 1) + near(i + 1);
  auto const sums = op(inputs(X), outputs(Y));
  auto const text = lowered_open(sums, schedule(sums, Y).split(i, 4, io, ii).unroll(ii));
  CHECK(text.find("X[Y.io * 4 + Y.ii - 1] + X[Y.io * 4 + Y.ii + 1]\n") != std::string::npos);
  CHECK(text.find("X[max(min(Y.io * 4 + Y.ii - 1, N - 1), 0)] + X[min(Y.io * 4 + Y.ii + 1, N - 1)]\n") !=
        std::string::npos);
}

TEST_CASE("open interiors: sums in registers have a version without predicates") {
  tensor<"X", float, 1> const X{{n}};
  tensor<"W", float, 1> const W{{3}};
  auto const Y = compute<"Y">(i.in(n)) = sum(over(r), zero_outside(X)(i + r - 1) * W(r));
  auto const filter = op(inputs(X, W), outputs(Y));
  auto const text = lowered_open(filter, schedule(filter, Y)
                                             .cache_write("acc")
                                             .split(i, 4, io, ii)
                                             .unroll(ii)
                                             .in("acc")
                                             .compute_at("Y", io)
                                             .store_in(ir::memory::registers)
                                             .reorder(r, i)
                                             .unroll(i));
  INFO(text);
  CHECK(text.find("acc[acc.i] += X[Y.io * 4 + acc.i + acc.r - 1] * W[acc.r]") != std::string::npos);
}

TEST_CASE("open interiors: tiles that begin with the places of a task, or whose ends have shorter vectors") {
  auto const [j, tasks] = axes<"j", "tasks">;
  tensor<"X", float, 2> const X{{3, n}};
  tensor<"W", float, 1> const W{{3}};
  auto const Y = compute<"Y">(j, i.in(n)) = sum(over(r), zero_outside(X)(j, i + r - 1) * W(r));
  auto const filter = op(inputs(X, W), outputs(Y));
  auto const text = lowered_open(filter, schedule(filter, Y)
                                             .cache_write("acc")
                                             .split(i, 64, io, ii)
                                             .fuse(j, io, tasks)
                                             .parallel(tasks)
                                             .vectorize(ii)
                                             .in("acc")
                                             .compute_at("Y", tasks)
                                             .store_in(ir::memory::registers)
                                             .reorder(r, i)
                                             .vectorize(i));
  INFO(text);
  CHECK(text.find("  if Y.io * 64 + 64 < N && 1 <= Y.io\n"
                  "    alloc acc f32 (1, 64) registers\n"
                  "    vectorize acc.i < 64\n"
                  "      acc[0, acc.i] = 0.0\n"
                  "    for acc.r < 3\n"
                  "      vectorize acc.i < 64\n"
                  "        acc[0, acc.i] += X[Y.j, Y.io * 64 + acc.i + acc.r - 1] * W[acc.r]\n") != std::string::npos);
  // the kernel exists once, not also for the first and the last task of the largest extent
  CHECK(text.find("if Y.io < 7") == std::string::npos);
}

TEST_CASE("open interiors: no versions for tiles that have versions of the whole and of fewer rows and lanes") {
  auto const [j, k, jo, ji, tasks] = axes<"j", "k", "jo", "ji", "tasks">;
  tensor<"A", float, 2> const A{{n, 8}};
  tensor<"B", float, 2> const B{{8, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const product = op(inputs(A, B), outputs(C));
  space made = schedule(product, C)
                   .cache_write("acc")
                   .split(i, 4, io, ii)
                   .split(j, 32, jo, ji)
                   .reorder(io, jo, ii, ji)
                   .unroll(ii)
                   .vectorize(ji)
                   .in("acc")
                   .compute_at("C", jo)
                   .store_in(ir::memory::registers)
                   .reorder(k, i, j)
                   .unroll(i)
                   .vectorize(j);
  made.program = capture::keep_open(product.program());
  auto const before = ir::print(lower(made, configuration{}).body);
  INFO(before);
  CHECK(before.find("min(acc.i, N - 1)") != std::string::npos);
  std::size_t tiles = 0;
  for (auto at = before.find("alloc"); at != std::string::npos; at = before.find("alloc", at + 1)) ++tiles;
  CHECK(tiles == 3);  // few rows of the last tile, whole tiles, and axes shorter than a tile
}

TEST_CASE("open interiors: a limit around a remainder stays where the remainder does") {
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i.in(n)) = clamp_outside(X)((i * 2 + 4) % 5) + X(i);
  auto const wrapped = op(inputs(X), outputs(Y));
  CHECK(lowered_open(wrapped, schedule(wrapped, Y)).find("X[(Y.i * 2 - 1) % 5]") == std::string::npos);
  CHECK(lowered_open(wrapped, schedule(wrapped, Y)).find("min((Y.i * 2 + 4) % 5, N - 1)") != std::string::npos);
}

TEST_CASE("open interiors: loops that only end at an extent stay") {
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = X(i) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  space made = schedule(twice, Y).split(i, 4, io, ii).unroll(ii);
  made.program = capture::keep_open(twice.program());
  auto const before = lower(made, configuration{}).body;
  CHECK(ir::print(lowering::open_interiors(before)) == ir::print(before));
}

}  // namespace open_interiors_tests
