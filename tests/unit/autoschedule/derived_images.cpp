// SPDX-License-Identifier: Apache-2.0
// Derived spaces of convolutions of one pixel and of grouped ones: axes that become one, and groups that stay in
// registers.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/derived_programs.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/capture/layouts.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/conv2d.hpp"

namespace derived_images_tests {

using namespace ttune;

namespace {

target avx512() { return named_target("x86-64-v4"); }

std::size_t count_of(space const& s, primitive what) {
  return static_cast<std::size_t>(
      std::count_if(s.steps.begin(), s.steps.end(), [&](step const& one) { return one.what == what; }));
}

space space_of(ops::conv2d_shape const& s, ops::activation then = ops::activation::none) {
  return derive_space(ops::conv2d_bias(s, then).program(), avx512());
}

}  // namespace

TEST_CASE("derived: rows and columns of a convolution of one pixel are one axis where that fills more lanes") {
  CHECK(count_of(space_of({.channels = 6, .height = 28, .width = 28, .filters = 5}), primitive::fuse_axes) == 1);
  CHECK(count_of(space_of({.channels = 6, .height = 14, .width = 14, .filters = 5}), primitive::fuse_axes) == 1);
  CHECK(count_of(space_of({.channels = 6, .height = 32, .width = 32, .filters = 5}), primitive::fuse_axes) == 0);
  CHECK(count_of(space_of({.channels = 6, .height = 28, .width = 28, .filters = 5, .stride = 2}),
                 primitive::fuse_axes) == 0);
  CHECK(count_of(space_of({.channels = 6, .height = 28, .width = 28, .filters = 5, .kernel = 3, .padding = 1}),
                 primitive::fuse_axes) == 0);
  ttune_test::check_space(space_of({.channels = 3, .height = 5, .width = 7, .filters = 9}, ops::activation::relu), 12);
  ttune_test::check_space(space_of({.batch = 2, .channels = 3, .height = 9, .width = 9, .filters = 5}), 12);
}

TEST_CASE("derived: a convolution of one pixel with an open number of images keeps the dimensions of its operands") {
  dim const n{"N", 1, 16};
  auto const [b, f, y, x, c] = axes<"b", "f", "y", "x", "c">;
  tensor<"I", float, 4> const I{{n, 6, 28, 28}};
  tensor<"W", float, 2> const W{{5, 6}};
  auto const O = compute<"O">(b, f, y, x) = sum(over(c), I(b, c, y, x) * W(f, c));
  auto const made = derive_space(capture::keep_open(op(inputs(I, W), outputs(O)).program()), avx512());
  CHECK(made.replaces.empty());
  CHECK(count_of(made, primitive::vectorize) > 0);
}

TEST_CASE("derived: sums of a grouped convolution stay in registers for the filters of their group") {
  for (std::int64_t const kernel : {1, 3}) {
    ops::conv2d_shape const s{
        .channels = 12, .height = 9, .width = 10, .filters = 24, .kernel = kernel, .padding = kernel / 2, .groups = 3};
    auto const made = space_of(s, ops::activation::relu);
    CHECK(count_of(made, primitive::split_axis) == 1);
    CHECK(count_of(made, primitive::fuse_axes) == (kernel == 1 ? 1 : 0));
    CHECK(std::any_of(made.steps.begin(), made.steps.end(),
                      [](step const& one) { return one.what == primitive::store_in && one.stage == "G"; }));
    ttune_test::check_space(made, 8);
  }
}

TEST_CASE("derived: a convolution with a group for each channel has vectors of channels in free layouts") {
  ops::conv2d_shape const s{
      .channels = 32, .height = 9, .width = 9, .filters = 32, .kernel = 3, .stride = 2, .padding = 1, .groups = 32};
  auto const all = capture::layout_candidates(*ops::conv2d(s).with_free_layouts().program(), 64);
  std::vector<named_layout> const last{{"I", operand_layout({0, 2, 3, 1})}, {"O", operand_layout({0, 2, 3, 1})}};
  CHECK(std::find(all.begin(), all.end(), last) != all.end());
}

}  // namespace derived_images_tests
