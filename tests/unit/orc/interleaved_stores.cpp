// SPDX-License-Identifier: Apache-2.0
// Components of points that a vectorized loop computes one after the other.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "kernel_runs.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/schedule.hpp"

namespace interleaved_stores_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Points of `count` components, from a plane for each of them. Vectors run along `width` points.
template <class T, int Count>
space points(std::int64_t width) {
  auto const [x, c] = axes<"x", "c">;
  tensor<"I", T, 2> const I{{Count, width}};
  auto const O = compute<"O">(x, c) = I(c, x);
  return schedule(O).vectorize(x).unroll(c).space();
}

/// Checks a kernel and returns its text.
std::string check(space const& s) {
  orc_backend machine;
  REQUIRE(machine.availability());
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  workload const work(s, machine.target());
  auto const operands = random_operands(work, random);
  auto const found = difference(machine, run_here, work, {}, operands, ir::evaluate(*s.program, operands));
  CHECK_MESSAGE(found.empty(), found);
  orc_backend wide(named_target("x86-64-v4"));
  return wide.source(work.lower({}), work.signature());
}
bool is_lane_by_lane(std::string const& text) { return text.find("extractelement") != std::string::npos; }

}  // namespace

TEST_CASE("interleaved stores: whole vectors of points") {
  CHECK(!is_lane_by_lane(check(points<float, 2>(64))));
  CHECK(!is_lane_by_lane(check(points<float, 3>(64))));
  CHECK(!is_lane_by_lane(check(points<std::uint8_t, 3>(128))));
  CHECK(!is_lane_by_lane(check(points<std::uint8_t, 4>(64))));
  CHECK(!is_lane_by_lane(check(points<std::int32_t, 5>(32))));
}

TEST_CASE("interleaved stores: points beside the last whole vector") {
  check(points<float, 2>(37));
  check(points<std::uint8_t, 3>(77));
  check(points<std::int8_t, 4>(13));
}

TEST_CASE("interleaved stores: copies of 16-bit floats copy their bits") {
  auto const text = check(points<bf16, 2>(64));
  CHECK(!is_lane_by_lane(text));
  CHECK(text.find("store <16 x i16>") != std::string::npos);
  CHECK(text.find("lshr") == std::string::npos);  // of a conversion from f32
  CHECK(check(points<f16, 2>(64)).find("fptrunc") == std::string::npos);
}

}  // namespace interleaved_stores_tests
