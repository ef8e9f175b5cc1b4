// SPDX-License-Identifier: Apache-2.0
// The operators under many schedules as machine code.
#include <doctest/doctest.h>

#include "cases.hpp"
#include "check_by_orc.hpp"

namespace machine_code_tests {

TEST_CASE("softmax: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::softmax_cases(ttune_test::compiled);
}

TEST_CASE("layer_norm: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::layer_norm_cases(ttune_test::compiled);
}

TEST_CASE("scan: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::scan_cases(ttune_test::compiled);
}

TEST_CASE("scatter: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::scatter_cases(ttune_test::compiled);
}

TEST_CASE("top_k: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::top_k_cases(ttune_test::compiled);
}

TEST_CASE("elementwise: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::elementwise_cases(ttune_test::compiled);
}

TEST_CASE("pool2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::pooling_cases(ttune_test::compiled);
}

TEST_CASE("block_differences: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::block_differences_cases(ttune_test::compiled);
}

TEST_CASE("depthwise_conv2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::depthwise_cases(ttune_test::compiled);
}

TEST_CASE("attention, fused layers, mttkrp: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::fused_cases(ttune_test::compiled);
}

TEST_CASE("conv1d, conv3d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_of_other_ranks_cases(ttune_test::compiled);
}

TEST_CASE("conv2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_cases(ttune_test::compiled);
}

TEST_CASE("conv2d_nhwc: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_nhwc_cases(ttune_test::compiled);
}

TEST_CASE("matmul: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::matmul_cases(ttune_test::compiled);
}

}  // namespace machine_code_tests
