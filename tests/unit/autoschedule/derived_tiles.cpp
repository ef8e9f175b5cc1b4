// SPDX-License-Identifier: Apache-2.0
// Derived spaces for registers that hold tiles of matrices.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule/space.hpp"

namespace derived_tiles_tests {

using namespace ttune;

namespace {

template <class Op>
space derived(Op const& op, char const* machine = "x86-64-v4-amx") {
  auto made = derive_space(op.program(), named_target(machine));
  ttune_test::check_space(made, 4);
  return made;
}

/// Returns true if rows, columns and terms are tensorized together.
bool has_tiles(space const& s) {
  return std::any_of(s.steps.begin(), s.steps.end(),
                     [](step const& one) { return one.what == primitive::tensorize && one.loops.size() == 3; });
}
bool pads(space const& s) {
  return std::any_of(s.steps.begin(), s.steps.end(), [](step const& one) { return one.what == primitive::pad; });
}

}  // namespace

TEST_CASE("derived: products of bf16 and of bytes are in tiles, if the machine has registers for them") {
  CHECK(has_tiles(derived(ops::matmul<bf16>(40, 50, 60))));
  CHECK(has_tiles(derived(ops::matmul<std::int8_t>(40, 50, 60))));
  CHECK(!has_tiles(derived(ops::matmul<bf16>(40, 50, 60), "x86-64-v4-vnni-bf16")));
  CHECK(!has_tiles(derived(ops::matmul<float>(40, 50, 60))));
}

TEST_CASE("derived: few rows are no tiles: an instruction takes as long for one as for 16") {
  CHECK(!has_tiles(derived(ops::matmul<bf16>(1, 64, 64))));
  CHECK(has_tiles(derived(ops::matmul<bf16>(7, 64, 64))));
}

TEST_CASE("derived: convolutions of bytes are in tiles, with zeros around an image; those of bf16 only without edges") {
  ops::conv2d_shape s{.channels = 8, .height = 6, .width = 7, .filters = 20, .kernel = 3, .padding = 1};
  auto const bytes = derived(ops::conv2d_nhwc<std::int8_t>(s));
  CHECK(has_tiles(bytes));
  CHECK(pads(bytes));
  CHECK(!has_tiles(derived(ops::conv2d_nhwc<bf16>(s))));
  s.padding = 0;
  auto const inside = derived(ops::conv2d_nhwc<std::int8_t>(s));
  CHECK(has_tiles(inside));
  CHECK(!pads(inside));
  CHECK(has_tiles(derived(ops::conv2d_nhwc<bf16>(s))));
}

}  // namespace derived_tiles_tests
