// SPDX-License-Identifier: Apache-2.0
// Derived spaces of scans.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "support/derived_programs.hpp"
#include "support/scan_programs.hpp"
#include "ttune/core/named_target.hpp"

namespace derive_scans_tests {

using namespace ttune;

namespace {

/// Derives the space for a machine with small caches, where short axes are divided, too.
space derived(handle<ir::program> const& p) {
  auto machine = named_target("x86-64-v4");
  machine.cores = 2;
  machine.l2_bytes = 4096;
  return derive_space(p, machine);
}

bool has(space const& s, primitive what) {
  return std::any_of(s.steps.begin(), s.steps.end(), [&](step const& one) { return one.what == what; });
}

/// Largest elements so far along columns, and how far each element is below. Shape: A (n, columns) -> O (n, columns)
handle<ir::program> below_maxima(std::int64_t n, std::int64_t columns) {
  auto const [i, t, k] = axes<"i", "t", "k">;
  tensor<"A", float, 2> const A{{n, columns}};
  auto const S = compute<"S">(t.in(n), i) =
      max(over(k), select(k <= t, A(k, i), -std::numeric_limits<float>::infinity()));
  auto const O = compute<"O">(t.in(n), i) = S(t, i) - A(t, i);
  return op(inputs(A), outputs(O), "below_maxima").program();
}

}  // namespace

TEST_CASE("derive_scans: few rows are scanned in runs") {
  for (std::int64_t const n : {512, 600, 36 * 27}) {
    auto const s = derived(ttune_test::prefix_sums(3, n).program());
    CHECK(has(s, primitive::split_scan));
    CHECK(has(s, primitive::carry));
    ttune_test::check_space(s, 4);
  }
}

TEST_CASE("derive_scans: rows of whole tiles lie in lanes") {
  auto const has_tile = [](space const& s, std::string const& of) {
    return std::any_of(s.steps.begin(), s.steps.end(),
                       [&](step const& one) { return one.what == primitive::cache_read && one.results[0] == of; });
  };
  for (std::int64_t const n : {32, 45, 64}) {
    auto const sums = derived(ttune_test::prefix_sums(37, n).program());
    CHECK(has_tile(sums, "S.tile.A"));
    ttune_test::check_space(sums, 4);
    auto const filter = derived(ttune_test::first_order_filter(37, n).program());
    CHECK(has_tile(filter, "Y.reduce.X"));
    ttune_test::check_space(filter, 4);
    auto const backwards = derived(ttune_test::running_maxima(37, n).program());
    CHECK(!has_tile(backwards, "S.A"));  // its results are taken from the end of the axis
    ttune_test::check_space(backwards, 4);
  }
  CHECK(!has_tile(derived(ttune_test::prefix_sums(37, 20).program()), "S.tile.A"));  // rows of less than two tiles
}

TEST_CASE("derive_scans: scans along columns continue from row to row") {
  for (std::int64_t const columns : {1, 5, 16, 67}) {
    auto const s = derived(ttune_test::column_sums(40, columns).program());
    CHECK(has(s, primitive::carry));
    ttune_test::check_space(s, 4);
  }
}

TEST_CASE("derive_scans: what takes the results of columns follows in the same loops") {
  for (std::int64_t const columns : {4, 16, 67, 200}) {
    auto const s = derived(below_maxima(19, columns));
    CHECK(has(s, primitive::compute_at));
    ttune_test::check_space(s, 4);
  }
}

TEST_CASE("derive_scans: exclusive scans, scans of pairs, readers in another order") {
  for (std::int64_t const n : {2, 7, 31, 128, 480}) {
    ttune_test::check_space(derived(ttune_test::prefix_sums(4, n, false).program()), 3);
    ttune_test::check_space(derived(ttune_test::running_maxima(4, n).program()), 3);
    ttune_test::check_space(derived(ttune_test::first_order_filter(4, n).program()), 3);
  }
}

}  // namespace derive_scans_tests
