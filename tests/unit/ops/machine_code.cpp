// SPDX-License-Identifier: Apache-2.0
// The operators under many schedules as machine code.
#include "ttune/backends/orc.hpp"

#include <doctest/doctest.h>

#include "cases.hpp"
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

TEST_CASE("softmax: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::softmax_cases(compiled);
}

TEST_CASE("layer_norm: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::layer_norm_cases(compiled);
}

TEST_CASE("elementwise: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::elementwise_cases(compiled);
}

TEST_CASE("pool2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::pooling_cases(compiled);
}

TEST_CASE("block_differences: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::block_differences_cases(compiled);
}

TEST_CASE("depthwise_conv2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::depthwise_cases(compiled);
}

TEST_CASE("attention, fused layers, mttkrp: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::fused_cases(compiled);
}

TEST_CASE("conv2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_cases(compiled);
}

TEST_CASE("conv2d_nhwc: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_nhwc_cases(compiled);
}

TEST_CASE("matmul: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::matmul_cases(compiled);
}
