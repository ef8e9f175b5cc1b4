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
  int scalar_loads = 0;
  for (auto at = text.find("load float,"); at != std::string::npos; at = text.find("load float,", at + 1))
    ++scalar_loads;
  CHECK(scalar_loads <= 8);  // the first and the last element, at some edges; lane by lane they would be hundreds
  CHECK(text.find("@llvm.masked.load") != std::string::npos);
}

}  // namespace open_edges_tests
