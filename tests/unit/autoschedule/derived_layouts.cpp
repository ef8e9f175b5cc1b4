// SPDX-License-Identifier: Apache-2.0
// Derived spaces of programs in chosen layouts.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/quantized.hpp"
#include "ttune/schedule/space.hpp"

namespace derived_layouts_tests {

using namespace ttune;

namespace {

bool has_step(space const& s, primitive what, std::string const& stage) {
  return std::any_of(s.steps.begin(), s.steps.end(),
                     [&](step const& one) { return one.what == what && one.stage == stage; });
}

}  // namespace

TEST_CASE("derived: a sum stays in registers for its end in every layout, and bytes have dot products channels last") {
  ops::conv2d_shape const s{.channels = 8, .height = 6, .width = 7, .filters = 32, .kernel = 3, .padding = 1};
  auto const machine = named_target("x86-64-v4-vnni-bf16");
  operand_layout const last({0, 2, 3, 1}), blocks({0, 1, 2, 3}, 1, 16);
  auto const bytes = ops::quantized_conv2d(s).with_free_layouts().with_layout<"I">(last).with_layout<"O">(last);
  auto const of_bytes = derive_space(bytes.program(), machine);
  CHECK(has_step(of_bytes, primitive::store_in, "O.sum"));
  CHECK(has_step(of_bytes, primitive::tensorize, "O.sum"));
  ttune_test::check_space(of_bytes, 6);
  auto const floats = ops::conv2d_bias_relu(s).with_free_layouts().with_layout<"I">(last);
  for (auto const& layout : {last, blocks}) {
    auto const of_floats = derive_space(floats.with_layout<"O">(layout).program(), machine);
    CHECK(has_step(of_floats, primitive::store_in, "O.sum"));
    ttune_test::check_space(of_floats, 6);
  }
}

}  // namespace derived_layouts_tests
