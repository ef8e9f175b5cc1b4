// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/shape_tree.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "ttune/open/grow_tree.hpp"

namespace shape_tree_tests {

using namespace ttune;
using detail::call_shape;
using detail::extent_product;
using detail::shape_box;
using detail::shape_tree;
using detail::tree_grower;
using detail::tree_task;

namespace {

constexpr auto none = extent_product::none;
constexpr extent_product first{{0, none, none}};
constexpr extent_product both{{0, 1, none}};
constexpr double slow = 1e6;

}  // namespace

TEST_CASE("shape tree: compares extents and products of them") {
  shape_tree const tree({{first, 16, 1, 2}, {{}, 0, 2, 0}, {both, 1000, 3, 4}, {{}, 0, 0, 0}, {{}, 0, 1, 0}});
  CHECK(tree.text({"M", "N"}) == "M <= 16 ? 2 : M * N <= 1000 ? 0 : 1");
  CHECK(tree.choose(call_shape{16, 5000}) == 2);
  CHECK(tree.choose(call_shape{20, 50}) == 0);
  CHECK(tree.choose(call_shape{20, 51}) == 1);
  CHECK(shape_tree().choose(call_shape{7}) == 0);
}

TEST_CASE("shape tree: products saturate") {
  extent_product const three{{0, 1, 2}};
  auto const much = std::int64_t{1} << 31;
  CHECK(three.in(call_shape{much, much, much}) == std::numeric_limits<std::int64_t>::max());
  CHECK(both.in(call_shape{much, much, much}) == much * much);
}

TEST_CASE("shape tree: parts of a box have no extents that its shapes cannot have") {
  shape_box const whole{{1, 4}, {100, 64}};
  auto const below = whole.below(both, 80);
  CHECK(below.low == call_shape{1, 4});
  CHECK(below.high == call_shape{20, 64});  // 4 * 20
  auto const above = whole.above(both, 640);
  CHECK(above.low == call_shape{11, 7});  // 64 * 10, 100 * 6
  CHECK(above.high == call_shape{100, 64});
  CHECK(whole.above(first, 16).low == call_shape{17, 4});
}

TEST_CASE("shape tree: a product tells apart what single extents cannot") {
  tree_task task;
  for (std::int64_t m = 1; m <= 64; m *= 2)
    for (std::int64_t n = 1; n <= 64; n *= 2) {
      task.shapes.push_back({m, n});
      bool const is_small = m * n <= 64;
      task.losses.resize(2);
      task.losses[0].push_back(is_small ? 1 : 0);
      task.losses[1].push_back(is_small ? 0 : 1);
    }
  task.largest = {{64, 64}, {64, 64}};
  task.least_gain = 0.01;
  auto const tree = shape_tree(tree_grower(task).run({{1, 1}, {64, 64}}));
  CHECK(tree.text({"M", "N"}) == "M * N <= 90 ? 1 : 0");
}

TEST_CASE("shape tree: a leaf has a kernel that computes all shapes that reach it") {
  tree_task task;
  task.shapes = {{2, 60}, {60, 2}, {8, 8}, {60, 60}};
  task.losses = {{1, 1, 1, 0}, {0, 0, 0, slow}};
  task.largest = {{64, 64}, {64, 32}};  // the second kernel is fast for {2, 60}, but does not compute it
  auto const tree = shape_tree(tree_grower(task).run({{1, 1}, {64, 64}}));
  for (std::int64_t m = 1; m <= 64; ++m)
    for (std::int64_t n = 1; n <= 64; ++n) REQUIRE((tree.choose(call_shape{m, n}) == 0 || n <= 32));
  CHECK(tree.choose(call_shape{8, 8}) == 1);
}

}  // namespace shape_tree_tests
