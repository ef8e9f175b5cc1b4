// SPDX-License-Identifier: Apache-2.0
#include "ttune/ops/winograd/tiling.hpp"

#include <doctest/doctest.h>

namespace winograd_tiling_tests {

using namespace ttune;

TEST_CASE("winograd: a smaller last tile saves products") {
  auto const products = [](std::int64_t extent, std::int64_t stride, std::int64_t m, bool smaller_last) {
    ops::winograd_tiling const tiling(
        {extent, 3, stride, m, smaller_last, ops::winograd_points(m, stride == 1 ? 3 : 2)});
    return tiling.products() * static_cast<double>(extent * 3);
  };
  CHECK(products(14, 1, 4, true) == doctest::Approx(22));
  CHECK(products(14, 1, 4, false) == doctest::Approx(24));
  CHECK(products(7, 1, 4, true) == doctest::Approx(11));
  CHECK(products(7, 1, 2, true) == doctest::Approx(15));
  CHECK(products(28, 2, 4, true) == doctest::Approx(63));  // 7 tiles of 2 * 4 + 1
  CHECK(products(14, 2, 2, true) == doctest::Approx(35));
}

}  // namespace winograd_tiling_tests
