// SPDX-License-Identifier: Apache-2.0
// Lanes at the edges of extents that calls give: only the call knows which of them run.
#include "ttune/codegen/llvm/run_time_masks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "elementwise.hpp"
#include "support/kernel_trial.hpp"
#include "support/random_open.hpp"
#include "support/random_operands.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/capture/bind.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/expr.hpp"
#include "ttune/schedule.hpp"

namespace open_edges_tests {

using namespace ttune;

namespace {

/// Runs a schedule whose extent stays open, with operands that end where memory ends; returns a fault, or nothing.
std::string fault_of(space s, handle<ir::program> const& program, dim const& extent, std::int64_t value) {
  auto const bound = capture::bind(program, {{extent, value}});
  s.program = capture::keep_open(program);
  rng random(static_cast<std::uint64_t>(value));
  auto const values = ttune_test::random_operands(*bound, random);
  orc_backend by;
  return ttune_test::try_kernel(by, ttune_test::schedule_source::written, std::pair{s, configuration{}}, 1,
                                ttune_test::operands_when_open(*bound, *s.program, values),
                                ttune_test::expect(*bound, values), {value})
      .text;
}

std::string text_of(space s, handle<ir::program> const& program) {
  s.program = capture::keep_open(program);
  workload const work(s, probe_host());
  return orc_backend().source(work.lower({}), work.signature());
}

/// Returns how often a part occurs in a text.
int times_in(std::string const& text, std::string const& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("open edges: an element that all lanes share is not read where none of them runs") {
  auto const [x, x_0, x_1, x_2] = axes<"x", "x_0", "x_1", "x_2">;
  dim const w{"w", 1, 120};
  tensor<"X", float, 1> const X{{w}};
  tensor<"A", float, 1> const A{{8}};
  auto const O = compute<"O">(x.in(w)) = X(x) + A(x / 16);
  auto const steps = op(inputs(X, A), outputs(O));
  auto const tiles = schedule(steps, O).split(x, {3, 16}, x_0, x_1, x_2).unroll(x_1).vectorize(x_2);
  for (auto const value : {1, 15, 16, 97, 112, 120}) {
    CAPTURE(value);
    CHECK(fault_of(tiles, steps.program(), w, value) == "");
  }
}

TEST_CASE("open edges: lanes at a boundary stay in vectors") {
  auto const [x, x_0, x_1] = axes<"x", "x_0", "x_1">;
  dim const w{"w", 1, 200};
  tensor<"X", float, 1> const X{{w}};
  tensor<"B", float, 1> const B{{w}};
  auto const near = clamp_outside(X);
  auto const none = zero_outside(X);
  auto const O = compute<"O">(x.in(w)) =
      near(x - 2) * B(x) + near(x + 3) + none(x - 1) + select(x < 5, B(x), none(x + 1));
  auto const filter = op(inputs(X, B), outputs(O));
  auto const lanes = schedule(filter, O).split(x, 16, x_0, x_1).vectorize(x_1);
  for (auto const value : {1, 2, 3, 4, 15, 16, 17, 18, 19, 33, 48, 200}) {
    CAPTURE(value);
    CHECK(fault_of(lanes, filter.program(), w, value) == "");
  }
  if (!probe_host().has_masks) return;
  auto const text = text_of(lanes, filter.program());
  CAPTURE(text);
  CHECK(times_in(text, "load float,") <=
        10);  // the first and the last element, at some edges; lane by lane they would be hundreds
  CHECK(text.find("@llvm.masked.load") != std::string::npos);
}

TEST_CASE("open edges: lanes that run across rows gather elements where only the call knows which of them run") {
  auto const [i, i_0, i_1, j, k] = axes<"i", "i_0", "i_1", "j", "k">;
  dim const m{"m", 1, 60};
  tensor<"B", float, 2> const B{{7, 3}};
  auto const check = [&](auto const& A) {
    auto const C = compute<"C">(i.in(m), j) = sum(over(k), A(i, k) * B(k, j));
    auto const product = op(inputs(A, B), outputs(C));
    auto const tiles = schedule(product, C)
                           .cache_write("acc")
                           .split(i, 16, i_0, i_1)
                           .reorder(i_0, i_1, j)
                           .unroll(i_1)
                           .unroll(j)
                           .in("acc")
                           .compute_at("C", i_0)
                           .store_in(ir::memory::registers)
                           .reorder(k, j, i)
                           .unroll(j)
                           .vectorize(i);
    for (auto const value : {1, 2, 7, 8, 15, 16, 17, 31, 33, 60}) {
      CAPTURE(value);
      CHECK(fault_of(tiles, product.program(), m, value) == "");
    }
    auto const text = text_of(tiles, product.program());
    CAPTURE(text);
    if (probe_host().has_masks) CHECK(text.find("@llvm.masked.gather") != std::string::npos);
  };
  check(tensor<"A", float, 2>{{m, 7}});
  check(tensor<"A", float, 2, strided<row_major>>{{m, 7}});
}

TEST_CASE("open edges: first and last tiles of sums compute what those inside do") {
  auto const [x, x_0, x_1, f, r] = axes<"x", "x_0", "x_1", "f", "r">;
  dim const w{"w", 1, 90};
  tensor<"X", float, 1> const X{{w}};
  tensor<"W", float, 2> const W{{16, 5}};
  auto const O = compute<"O">(f, x.in(w)) = sum(over(r), zero_outside(X)(x + r - 2) * W(f, r));
  auto const filter = op(inputs(X, W), outputs(O));
  auto const tiles = schedule(filter, O)
                         .cache_write("acc")
                         .split(x, 6, x_0, x_1)
                         .reorder(x_0, f, x_1)
                         .parallel(x_0)
                         .unroll(f)
                         .unroll(x_1)
                         .in("acc")
                         .compute_at("O", x_0)
                         .store_in(ir::memory::registers)
                         .reorder(r, x, f)
                         .unroll(r)
                         .unroll(x)
                         .vectorize(f);
  for (auto const value : {1, 2, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 60, 89, 90}) {
    CAPTURE(value);
    CHECK(fault_of(tiles, filter.program(), w, value) == "");
  }
  // a whole tile at an edge tests its places outside of the image, not all of its 30 terms
  auto const text = text_of(tiles, filter.program());
  CHECK(times_in(text, "br i1") < 140);
}

TEST_CASE("open edges: the end of an operand is not the end of an axis") {
  auto const [x, x_0, x_1] = axes<"x", "x_0", "x_1">;
  dim const n{"n", 1, 40};
  tensor<"X", float, 1> const X{{n}};
  auto const near = clamp_outside(X);
  auto const O = compute<"O">(x.in(20)) = near(x) * 2 + near(x + 1);
  auto const sums = op(inputs(X), outputs(O));
  auto const tiles = schedule(sums, O).split(x, 8, x_0, x_1).vectorize(x_1);
  for (auto const value : {1, 5, 8, 9, 15, 16, 17, 19, 20, 21, 40}) {
    CAPTURE(value);
    CHECK(fault_of(tiles, sums.program(), n, value) == "");
  }
}

TEST_CASE("open edges: a tile whose panel belongs to its start is not moved") {
  auto const [i, i_0, i_1, j, j_0, j_1, r] = axes<"i", "i_0", "i_1", "j", "j_0", "j_1", "r">;
  dim const n{"n", 1, 40};
  tensor<"A", float, 2> const A{{5, n}};
  tensor<"B", float, 2> const B{{5, n}};
  auto const C = compute<"C">(i.in(n), j.in(n)) = sum(over(r), zero_outside(A)(r, i - 1) * B(r, j));
  auto const product = op(inputs(A, B), outputs(C));
  auto const tiles = schedule(product, C)
                         .cache_write("acc")
                         .split(j, 4, j_0, j_1)
                         .split(i, 6, i_0, i_1)
                         .reorder(j_0, i_0, i_1, j_1)
                         .vectorize(j_1)
                         .unroll(i_1)
                         .in("acc")
                         .compute_at("C", i_0)
                         .store_in(ir::memory::registers)
                         .unroll(i)
                         .reorder(r, i, j)
                         .vectorize(j)
                         .cache_read("B", "panel")
                         .in("panel")
                         .vectorize(j)
                         .compute_at("C", j_0);
  for (auto const value : {1, 3, 4, 5, 6, 7, 9, 11, 12, 13, 39, 40}) {
    CAPTURE(value);
    CHECK(fault_of(tiles, product.program(), n, value) == "");
  }
}

}  // namespace open_edges_tests
