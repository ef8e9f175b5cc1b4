// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/signature.hpp"

#include <doctest/doctest.h>

#include "support/scatter_programs.hpp"

namespace signature_tests {

using namespace ttune;

TEST_CASE("signature: trials draw the places of terms inside of their axis") {
  auto const one = signature_of(ttune_test::histogram(40, 12).program());
  REQUIRE(one.operands.size() == 3);
  CHECK(one.operands[0].low == 0);
  CHECK(one.operands[0].high == 12);
  CHECK_FALSE(one.operands[0].has_range);
  CHECK(one.operands[1].high == 0);  // the weights choose no place
  auto const counts = signature_of(ttune_test::byte_counts(2, 9).program());
  CHECK(counts.operands[0].high == 32);  // two values a place
  auto const cells = signature_of(ttune_test::largest_of_cells(9, 4, 6).program());
  CHECK(cells.operands[0].high == 6);
  CHECK(cells.operands[1].high == 4);
}

}  // namespace signature_tests
