// SPDX-License-Identifier: Apache-2.0
// Derived spaces of programs in chosen layouts.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
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

TEST_CASE("derived: pixels with a border, and channels filled up, stay stages for dot products of bytes") {
  ops::conv2d_shape s{.channels = 3, .height = 9, .width = 11, .filters = 17, .kernel = 3, .stride = 2, .padding = 1};
  operand_layout const last({0, 2, 3, 1});
  auto const derived = [&](std::uint8_t outside, char const* machine) {
    auto const of = ops::quantized_conv2d(s, outside).with_free_layouts().with_layout<"O">(last);
    auto made = derive_space(of.with_layout<"I">(last).program(), named_target(machine));
    ttune_test::check_space(made, 4);
    return made;
  };
  auto const inlines = [&](space const& of, std::string const& stage) {
    return has_step(of, primitive::inline_stage, stage);
  };
  for (auto const outside : {std::uint8_t{0}, std::uint8_t{117}}) {
    auto const with_dots = derived(outside, "x86-64-v4-vnni-bf16");
    CHECK(has_step(with_dots, primitive::tensorize, "O.sum"));
    CHECK(!inlines(with_dots, "P"));
    CHECK(!inlines(with_dots, "V"));
  }
  auto const without = derived(117, "aarch64");
  CHECK(inlines(without, "P"));
  CHECK(inlines(without, "V"));
  s.channels = 8;  // whole groups: only a border that is not zero needs a copy
  CHECK(has_step(derived(117, "x86-64-v4-vnni-bf16"), primitive::tensorize, "O.sum"));
  auto const zeros = derived(0, "x86-64-v4-vnni-bf16");
  CHECK(has_step(zeros, primitive::tensorize, "O.sum"));
  CHECK(zeros.program->stages.front()->name == "O.sum");
}

TEST_CASE("derived: a border of zeros is no stage of its own for dot products") {
  auto const [y, x, c, f, r, t] = axes<"y", "x", "c", "f", "r", "s">;
  tensor<"I", std::uint8_t, 3> const I{{6, 7, 8}};
  constant<"W", std::int8_t, 4> const W{{16, 8, 3, 3}};
  auto const wide = [](auto const& e) { return cast<std::int32_t>(e); };
  auto const P = compute<"P">(y.in(8), x.in(9), c) = zero_outside(I)(y - 1, x - 1, c);
  auto const O = compute<"O">(y.in(6), x.in(7), f) = sum(over(c, r, t), wide(P(y + r, x + t, c)) * wide(W(f, c, r, t)));
  auto const space = derive_space(op(inputs(I, W), outputs(O)).program(), named_target("x86-64-v4-vnni-bf16"));
  CHECK(has_step(space, primitive::inline_stage, "P"));
  ttune_test::check_space(space, 4);
}

}  // namespace derived_layouts_tests
