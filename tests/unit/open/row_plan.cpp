// SPDX-License-Identifier: Apache-2.0
#include "ttune/open/row_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "ttune/support/rng.hpp"

namespace row_plan_tests {

using namespace ttune;
using detail::row_block;
using detail::row_plan;

namespace {

/// Returns the seconds of a composition; checks that it has each row.
double seconds_of(row_plan const& plan, std::int64_t rows, bool repeats) {
  double sum = 0;
  std::vector<int> times(static_cast<std::size_t>(rows), 0);
  plan.for_each_block(rows, [&](std::size_t block, std::int64_t first) {
    auto const& b = plan.blocks()[block];
    sum += b.seconds;
    REQUIRE(first >= 0);
    REQUIRE(first + b.rows <= rows);
    for (auto r = first; r < first + b.rows; ++r) ++times[static_cast<std::size_t>(r)];
  });
  CHECK(std::count(times.begin(), times.end(), 0) == 0);
  if (!repeats) CHECK(std::count(times.begin(), times.end(), 1) == rows);
  return sum;
}

/// The least time by trying all compositions of blocks that fit into `all` rows.
double least(std::vector<row_block> const& blocks, std::int64_t all, std::int64_t left, bool repeats) {
  if (left <= 0) return 0;
  auto best = std::numeric_limits<double>::infinity();
  for (auto const& b : blocks)
    if (b.rows <= (repeats ? all : left)) best = std::min(best, b.seconds + least(blocks, all, left - b.rows, repeats));
  return best;
}

}  // namespace

TEST_CASE("row plan: every number of rows is composed in the least time") {
  rng random(5);
  for (int round = 0; round < 40; ++round) {
    bool const repeats = round % 2 == 0;
    std::vector<row_block> blocks{{1, 1 + random.uniform()}};
    for (std::int64_t rows = 2; rows < 9; ++rows)
      if (random.chance(0.5)) blocks.push_back({rows, (1 + random.uniform()) * static_cast<double>(rows) * 0.7});
    row_plan const plan(blocks, repeats);
    for (std::int64_t rows = 1; rows <= 12; ++rows) {
      CHECK(seconds_of(plan, rows, repeats) == doctest::Approx(least(blocks, rows, rows, repeats)));
      CHECK(plan.seconds(rows) == doctest::Approx(seconds_of(plan, rows, repeats)));
    }
  }
}

TEST_CASE("row plan: more rows than the table has begin with the kernel of most rows a second") {
  for (bool const repeats : {false, true}) {
    row_plan const plan({{1, 1}, {8, 3}, {64, 16}, {256, 80}}, repeats);
    CHECK(plan.text(1) == "1");
    CHECK(plan.text(10) == "8 + 2 x 1");
    CHECK(plan.text(15) == (repeats ? "2 x 8" : "8 + 7 x 1"));
    CHECK(plan.text(100'003).starts_with("1562 x 64 + "));
    (void)seconds_of(plan, 100'003, repeats);
    CHECK(plan.seconds(64 * 1000) == doctest::Approx(16 * 1000));
  }
}

TEST_CASE("row plan: the least useful blocks are left out, the one of one row never") {
  std::vector<row_block> const all{{1, 1}, {2, 1.9}, {8, 3}, {16, 5.9}, {64, 20}};
  auto const rows_of = [](std::vector<row_block> const& some) {
    std::vector<std::int64_t> made;
    for (auto const& b : some) made.push_back(b.rows);
    return made;
  };
  CHECK(rows_of(choose_blocks(all, {{64, 1.0}}, 2, false)) == std::vector<std::int64_t>{1, 64});
  CHECK(rows_of(choose_blocks(all, {{8, 1.0}, {24, 1.0}}, 2, false)) == std::vector<std::int64_t>{1, 8});
  CHECK(rows_of(choose_blocks(all, {{7, 1.0}}, 1, false)) == std::vector<std::int64_t>{1});
  CHECK(choose_blocks(all, detail::even_uses(1, 500), 9, true).size() == 5);
}

TEST_CASE("row plan: candidates are powers of two, the largest number, and what is likely") {
  CHECK(detail::row_candidates(6, {}) == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
  CHECK(detail::row_candidates(100, {{48, 1}, {200, 5}, {3, 2}}) ==
        std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 100});
  auto const many = detail::row_candidates(100'000, detail::even_uses(1, 100'000));
  CHECK(many.size() == 24);
  CHECK(many.front() == 1);
  CHECK(many.back() <= 4096);
  CHECK(detail::even_uses(3, 3) == detail::row_uses{{3, 1.0}});
  auto const unmeasured = detail::with_seconds({{1, 0}, {8, 0}});
  CHECK(unmeasured[1].seconds < 8 * unmeasured[0].seconds);
}

}  // namespace row_plan_tests
