// SPDX-License-Identifier: Apache-2.0
// Layers of whole networks under many schedules, interpreted.
#include <doctest/doctest.h>

#include "layer_cases.hpp"
#include "support/seed.hpp"
#include "ttune/testing/check.hpp"

namespace layers_interpreted_tests {

namespace {

auto const interpreted = [](auto const& op, auto const& reference) {
  CHECK(ttune::testing::check(op, reference, {.configurations = 8, .inputs = 2, .seed = ttune_test::seed()}));
};

}  // namespace

TEST_CASE("activations of convolutions: interpreted, as plain loops have it") {
  ttune_test::conv_bias_cases(interpreted);
}

TEST_CASE("winograd with bias: interpreted, as plain loops have it") { ttune_test::winograd_bias_cases(interpreted); }

TEST_CASE("dense: interpreted, as plain loops have it") { ttune_test::dense_cases(interpreted); }

TEST_CASE("lstm_cell, gru_cell: interpreted, as plain loops have it") { ttune_test::recurrent_cases(interpreted); }

TEST_CASE("conv_transpose2d: interpreted, as plain loops have it") { ttune_test::conv_transpose_cases(interpreted); }

TEST_CASE("pooling, upsample_nearest: interpreted, as plain loops have it") {
  ttune_test::layer_image_cases(interpreted);
}

TEST_CASE("add, activate, gather_rows, concat: interpreted, as plain loops have it") {
  ttune_test::join_cases(interpreted);
}

}  // namespace layers_interpreted_tests
