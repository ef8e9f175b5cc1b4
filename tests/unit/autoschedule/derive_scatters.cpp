// SPDX-License-Identifier: Apache-2.0
// Derived spaces of scatters.
#include <doctest/doctest.h>

#include "support/derived_programs.hpp"
#include "support/scatter_programs.hpp"

namespace derive_scatters_tests {

using namespace ttune;
using ttune_test::count_steps;
using ttune_test::derived_for_two_cores;

TEST_CASE("derive_scatters: few results have shares for the cores, several each") {
  auto const s = derived_for_two_cores(ttune_test::histogram(1 << 16, 16).program());
  CHECK(count_steps(s, primitive::rfactor) == 1);
  CHECK(count_steps(s, primitive::scatter) == 1);
  CHECK(count_steps(s, primitive::unroll) > 0);
  for (std::int64_t const n : {1, 100, 70'001})
    ttune_test::check_space(derived_for_two_cores(ttune_test::histogram(n, 9).program()), 3);
}

TEST_CASE("derive_scatters: rows of data have results of their own, and rows of results are vectors") {
  for (std::int64_t const rows : {1, 3, 20}) {
    ttune_test::check_space(derived_for_two_cores(ttune_test::byte_counts(rows, 50).program()), 3);
    ttune_test::check_space(derived_for_two_cores(ttune_test::gradients_of_rows(40, 9, 5 * rows + 3).program()), 3);
  }
  CHECK(count_steps(derived_for_two_cores(ttune_test::gradients_of_rows(40, 9, 64).program()), primitive::vectorize) ==
        1);
}

TEST_CASE("derive_scatters: cells of two coordinates, read by another stage") {
  auto const s = derived_for_two_cores(ttune_test::largest_of_cells(60, 5, 8).program());
  CHECK(count_steps(s, primitive::scatter) == 1);
  ttune_test::check_space(s, 4);
}

TEST_CASE("derive_scatters: few places are compared with each term") {
  CHECK(count_steps(derived_for_two_cores(ttune_test::histogram(1000, 4).program()), primitive::scatter) == 0);
}

}  // namespace derive_scatters_tests
