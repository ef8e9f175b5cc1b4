// SPDX-License-Identifier: Apache-2.0
#include "ttune/core/float16.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace float16_tests {

using namespace ttune;

TEST_CASE("every 16-bit float comes back from float") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    f16 const h{static_cast<std::uint16_t>(bits)};
    bf16 const b{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(h))) CHECK(std::isnan(to_float(to_f16(to_float(h)))));
    else REQUIRE(to_f16(to_float(h)).bits == bits);
    if (std::isnan(to_float(b))) CHECK(std::isnan(to_float(to_bf16(to_float(b)))));
    else REQUIRE(to_bf16(to_float(b)).bits == bits);
  }
}

TEST_CASE("between two neighbours the nearer one, half way the even one") {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {  // f16 below the largest
    auto const low = static_cast<double>(to_float(f16{static_cast<std::uint16_t>(bits)}));
    auto const high = static_cast<double>(to_float(f16{static_cast<std::uint16_t>(bits + 1)}));
    auto const middle = (low + high) / 2;
    REQUIRE(to_f16(middle).bits == bits + (bits & 1));
    REQUIRE(to_f16(std::nextafter(middle, low)).bits == bits);
    REQUIRE(to_f16(std::nextafter(middle, high)).bits == bits + 1);
    REQUIRE(to_f16(-std::nextafter(middle, high)).bits == (0x8000 | (bits + 1)));
  }
  for (std::uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    auto const low = static_cast<double>(to_float(bf16{static_cast<std::uint16_t>(bits)}));
    auto const high = static_cast<double>(to_float(bf16{static_cast<std::uint16_t>(bits + 1)}));
    auto const middle = (low + high) / 2;
    REQUIRE(to_bf16(middle).bits == bits + (bits & 1));
    REQUIRE(to_bf16(std::nextafter(middle, low)).bits == bits);
    REQUIRE(to_bf16(std::nextafter(middle, high)).bits == bits + 1);
  }
}

TEST_CASE("too large values become infinity, too small ones zero, with their sign") {
  CHECK(to_f16(65519.99).bits == 0x7bff);
  CHECK(to_f16(65520).bits == 0x7c00);
  CHECK(to_f16(-1e300).bits == 0xfc00);
  CHECK(to_f16(0x1p-25).bits == 0);
  CHECK(to_f16(-0x1.8p-25).bits == 0x8001);
  CHECK(to_f16(std::numeric_limits<double>::denorm_min()).bits == 0);
  CHECK(to_bf16(0x1.ffp127).bits == 0x7f80);
  CHECK(to_bf16(0x1.fep127).bits == 0x7f7f);
  static_assert(to_f16(1.5).bits == 0x3e00 && to_float(bf16{0x3fc0}) == 1.5F);
}

}  // namespace float16_tests
