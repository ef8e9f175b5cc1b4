// SPDX-License-Identifier: Apache-2.0
// Checks an operator as machine code: some schedules, and plain loops as the reference.
#pragma once

#include <doctest/doctest.h>

#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/testing/check.hpp"

namespace ttune_test {

inline ttune::orc_backend& orc() {
  static ttune::orc_backend one;
  return one;
}

inline constexpr auto compiled = [](auto const& op, auto const& reference) {
  CHECK(ttune::testing::check(op, reference, {.configurations = 3, .inputs = 1, .seed = seed(), .backend = &orc()}));
};

}  // namespace ttune_test

#define TTUNE_SKIP_UNLESS_ORC() \
  TTUNE_SKIP_UNLESS("orc", ttune_test::orc().availability().available, ttune_test::orc().availability().reason)
