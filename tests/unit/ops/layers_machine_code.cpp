// SPDX-License-Identifier: Apache-2.0
// Layers of whole networks under many schedules, as machine code.
#include <doctest/doctest.h>

#include "check_by_orc.hpp"
#include "layer_cases.hpp"

namespace layers_machine_code_tests {

TEST_CASE("activations of convolutions: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_bias_cases(ttune_test::compiled);
}

TEST_CASE("winograd with bias: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::winograd_bias_cases(ttune_test::compiled);
}

TEST_CASE("dense: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::dense_cases(ttune_test::compiled);
}

TEST_CASE("lstm_cell, gru_cell: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::recurrent_cases(ttune_test::compiled);
}

TEST_CASE("conv_transpose2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::conv_transpose_cases(ttune_test::compiled);
}

TEST_CASE("pooling, upsample_nearest: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::layer_image_cases(ttune_test::compiled);
}

TEST_CASE("add, activate, gather_rows, concat: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  ttune_test::join_cases(ttune_test::compiled);
}

}  // namespace layers_machine_code_tests
