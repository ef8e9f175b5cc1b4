// SPDX-License-Identifier: Apache-2.0
#include "ttune/autoschedule/cpu/register_tile.hpp"

#include <doctest/doctest.h>

namespace register_tile_tests {

using ttune::autoschedule::register_tiles;

namespace {

/// Returns the tiles of a matrix product of n x n on 32 registers of 16 lanes.
register_tiles product(std::int64_t n) {
  register_tiles t;
  t.vector_extent = t.row_extent = t.terms = n;
  t.lanes = 16;
  t.registers = 32;
  return t;
}

}  // namespace

TEST_CASE("register tiles: those that do not fit the registers have no score") {
  auto const t = product(1024);
  CHECK(t.fits(64, 6));
  CHECK_FALSE(t.fits(64, 7));
  CHECK(t.score(64, 6) > 0.8);
  CHECK(t.score(64, 7) == 0);
  auto row = t;
  row.row_extent = 1;
  CHECK(row.fits(30 * 16, 1));
  CHECK_FALSE(row.fits(31 * 16, 1));
}

TEST_CASE("register tiles: without rows, operands that all terms use count as registers") {
  auto t = product(960);
  t.row_extent = 1;
  t.loads_each = 4;
  CHECK(t.rate(12 * 16, 1) == t.rate(4 * 16, 1));
  t.held_each = 4;
  CHECK(t.rate(4 * 16, 1) > 1.5 * t.rate(12 * 16, 1));
}

TEST_CASE("register tiles: vectors that taps share count as registers") {
  auto t = product(960);
  t.kept_each = 1;
  CHECK(t.rate(16, 16) > 1.5 * t.rate(16, 17));
  t.kept_each = 2;
  CHECK(t.rate(16, 10) > 1.5 * t.rate(16, 11));
}

TEST_CASE("register tiles: each sum of an element has registers of its own") {
  auto t = product(960);
  t.sums = 2;
  CHECK(t.fits(48, 4));
  CHECK_FALSE(t.fits(48, 6));
  CHECK(t.rate(16, 5) > product(960).rate(16, 5));  // ten sums hide the latency
  t.row_extent = 1;
  CHECK(t.fits(15 * 16, 1));
  CHECK_FALSE(t.fits(16 * 16, 1));
}

TEST_CASE("register tiles: ten accumulators hide the latency, wide ones save loads, crowded ones spill") {
  auto const t = product(960);
  CHECK(t.rate(16, 2) < 0.5 * t.rate(16, 10));
  CHECK(t.rate(32, 10) > t.rate(16, 10));
  CHECK(t.rate(64, 8) < t.rate(64, 6));
  auto taps = t;
  taps.unrolls_taps = true;
  CHECK(taps.rate(48, 8) < t.rate(48, 8));
  CHECK(taps.rate(48, 7) == t.rate(48, 7));
  auto across = t;
  across.stores_across = true;
  CHECK(across.rate(48, 8) < t.rate(48, 8));
}

TEST_CASE("register tiles: lanes past the extent are lost, whole vectors are not") {
  auto t = product(960);
  auto const even = t.score(64, 6);
  t.vector_extent = 960 + 16;  // tiles of four, and one more vector
  CHECK(t.score(64, 6) > 0.9 * even);
  t.vector_extent = 17;
  CHECK(t.score(32, 10) < 0.6);
  CHECK(t.score(32, 10) > 0.4);
}

TEST_CASE("register tiles: between equals, the one that divides the extents") {
  auto t = product(960);
  t.row_extent = 56;
  CHECK(t.score(32, 14) > t.score(32, 13));
  t.row_extent = 39;
  CHECK(t.score(32, 13) > t.score(32, 14));
}

}  // namespace register_tile_tests
