// SPDX-License-Identifier: Apache-2.0
// Layers of whole networks under many schedules, as machine code.
#include "ttune/backends/orc.hpp"

#include <doctest/doctest.h>

#include "layer_cases.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/testing/check.hpp"

namespace {

ttune::orc_backend& orc() {
  static ttune::orc_backend one;
  return one;
}

auto const compiled = [](auto const& op, auto const& reference) {
  CHECK(ttune::testing::check(op, reference,
                              {.configurations = 3, .inputs = 1, .seed = ttune_test::seed(), .backend = &orc()}));
};

}  // namespace

#define TTUNE_SKIP_UNLESS_ORC() TTUNE_SKIP_UNLESS("orc", orc().availability().available, orc().availability().reason)

TEST_CASE("activations of convolutions: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_bias_cases(compiled);
}

TEST_CASE("winograd with bias: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::winograd_bias_cases(compiled);
}

TEST_CASE("dense: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::dense_cases(compiled);
}

TEST_CASE("lstm_cell, gru_cell: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::recurrent_cases(compiled);
}

TEST_CASE("conv_transpose2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_transpose_cases(compiled);
}

TEST_CASE("pooling, upsample_nearest: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::layer_image_cases(compiled);
}

TEST_CASE("add, activate, gather_rows, concat: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::join_cases(compiled);
}
