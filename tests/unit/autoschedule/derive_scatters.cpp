// SPDX-License-Identifier: Apache-2.0
// Derived spaces of scatters.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/derived_programs.hpp"
#include "support/scatter_programs.hpp"
#include "ttune/core/named_target.hpp"

namespace derive_scatters_tests {

using namespace ttune;

namespace {

space derived(handle<ir::program> const& p) {
  auto machine = named_target("x86-64-v4");
  machine.cores = 2;
  return derive_space(p, machine);
}

std::ptrdiff_t count(space const& s, primitive what) {
  return std::count_if(s.steps.begin(), s.steps.end(), [&](step const& one) { return one.what == what; });
}

}  // namespace

TEST_CASE("derive_scatters: few results have shares for the cores, several each") {
  auto const s = derived(ttune_test::histogram(1 << 16, 16).program());
  CHECK(count(s, primitive::rfactor) == 1);
  CHECK(count(s, primitive::scatter) == 1);
  CHECK(count(s, primitive::unroll) > 0);
  for (std::int64_t const n : {1, 100, 70'001})
    ttune_test::check_space(derived(ttune_test::histogram(n, 9).program()), 3);
}

TEST_CASE("derive_scatters: rows of data have results of their own, and rows of results are vectors") {
  for (std::int64_t const rows : {1, 3, 20}) {
    ttune_test::check_space(derived(ttune_test::byte_counts(rows, 50).program()), 3);
    ttune_test::check_space(derived(ttune_test::gradients_of_rows(40, 9, 5 * rows + 3).program()), 3);
  }
  CHECK(count(derived(ttune_test::gradients_of_rows(40, 9, 64).program()), primitive::vectorize) == 1);
}

TEST_CASE("derive_scatters: cells of two coordinates, read by another stage") {
  auto const s = derived(ttune_test::largest_of_cells(60, 5, 8).program());
  CHECK(count(s, primitive::scatter) == 1);
  ttune_test::check_space(s, 4);
}

TEST_CASE("derive_scatters: few places are compared with each term") {
  CHECK(count(derived(ttune_test::histogram(1000, 4).program()), primitive::scatter) == 0);
}

}  // namespace derive_scatters_tests
