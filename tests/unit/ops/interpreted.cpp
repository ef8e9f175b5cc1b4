// SPDX-License-Identifier: Apache-2.0
// The operators under many schedules, interpreted: the lowered program computes the results of plain loops.
#include <doctest/doctest.h>

#include "cases.hpp"
#include "support/seed.hpp"
#include "ttune/testing/check.hpp"

namespace interpreted_tests {

namespace {

auto const interpreted = [](auto const& op, auto const& reference) {
  CHECK(ttune::testing::check(op, reference, {.configurations = 8, .inputs = 2, .seed = ttune_test::seed()}));
};

}  // namespace

TEST_CASE("softmax: interpreted, as plain loops have it") { ttune_test::softmax_cases(interpreted); }

TEST_CASE("layer_norm: interpreted, as plain loops have it") { ttune_test::layer_norm_cases(interpreted); }

TEST_CASE("scan: interpreted, as plain loops have it") { ttune_test::scan_cases(interpreted); }

TEST_CASE("scatter: interpreted, as plain loops have it") { ttune_test::scatter_cases(interpreted); }

TEST_CASE("top_k: interpreted, as plain loops have it") { ttune_test::top_k_cases(interpreted); }

TEST_CASE("elementwise: interpreted, as plain loops have it") { ttune_test::elementwise_cases(interpreted); }

TEST_CASE("pool2d: interpreted, as plain loops have it") { ttune_test::pooling_cases(interpreted); }

TEST_CASE("block_differences: interpreted, as plain loops have it") {
  ttune_test::block_differences_cases(interpreted);
}

TEST_CASE("depthwise_conv2d: interpreted, as plain loops have it") { ttune_test::depthwise_cases(interpreted); }

TEST_CASE("conv1d, conv3d: interpreted, as plain loops have it") { ttune_test::conv_of_other_ranks_cases(interpreted); }

TEST_CASE("conv2d: interpreted, as plain loops have it") { ttune_test::conv_cases(interpreted); }

TEST_CASE("conv2d_nhwc: interpreted, as plain loops have it") { ttune_test::conv_nhwc_cases(interpreted); }

TEST_CASE("matmul: interpreted, as plain loops have it") { ttune_test::matmul_cases(interpreted); }

TEST_CASE("attention, fused layers, mttkrp: interpreted, as plain loops have it") {
  ttune_test::fused_cases(interpreted);
}

TEST_CASE("conv2d: groups that do not divide are refused") {
  CHECK_THROWS_WITH_AS((void)ttune::ops::conv2d({1, 4, 5, 5, 6, 3, 1, 1, 1, 4}),
                       "conv2d: 4 groups do not divide 4 channels and 6 filters", ttune::program_error);
}

}  // namespace interpreted_tests
