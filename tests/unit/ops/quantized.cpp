// SPDX-License-Identifier: Apache-2.0
// Layers of bytes, and attention of several heads, under many schedules: interpreted and as machine code.
#include "ttune/ops/quantized.hpp"

#include <doctest/doctest.h>

#include "check_by_orc.hpp"
#include "quantized_cases.hpp"

namespace quantized_tests {

namespace {

auto const interpreted = [](auto const& op, auto const& reference) {
  CHECK(ttune::testing::check(op, reference, {.configurations = 8, .inputs = 2, .seed = ttune_test::seed()}));
};

}  // namespace

TEST_CASE("quantized layers: interpreted, as plain loops have it") { ttune_test::quantized_cases(interpreted); }

TEST_CASE("quantized layers: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::quantized_cases(ttune_test::compiled);
}

TEST_CASE("multi_head_attention: interpreted, as plain loops have it") { ttune_test::heads_cases(interpreted); }

TEST_CASE("multi_head_attention: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::heads_cases(ttune_test::compiled);
}

}  // namespace quantized_tests
