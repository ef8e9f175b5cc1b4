// SPDX-License-Identifier: Apache-2.0
// The space of AutoTVM's recorded convolutions.
#include "ttune/ops/cuda_conv2d_template.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/space/sampler.hpp"

namespace cuda_conv2d_template_tests {

using namespace ttune;

namespace {

constexpr ops::conv2d_shape c12{1, 512, 7, 7, 512, 3, 1, 1};
constexpr ops::conv2d_shape c7{1, 256, 28, 28, 128, 3, 2, 1};

std::size_t stage_of(plan const& p, std::string const& name) {
  for (std::size_t i = 0; i < p.stages.size(); ++i)
    if (p.stages[i].definition->name == name) return i;
  FAIL("no stage ", name);
  return 0;
}

}  // namespace

TEST_CASE("cuda_conv2d_template: as many configurations as AutoTVM had") {
  auto const size = [](ops::conv2d_shape const& s) { return sampler(ops::cuda_conv2d_template(s).knobs).size(); };
  CHECK(size(c12) == 10'454'400);
  CHECK(size(c7) == 74'649'600);
}

TEST_CASE("cuda_conv2d_template: knobs in AutoTVM's order") {
  auto const made = ops::cuda_conv2d_template(c7);
  std::string names;
  std::vector<std::int32_t> choices;
  for (auto const& k : made.knobs) {
    names += k.name + " ";
    choices.push_back(k.choices());
  }
  CHECK(names == "tile_f tile_y tile_x tile_rc tile_ry tile_rx auto_unroll_max_step unroll_explicit ");
  CHECK(choices == std::vector<std::int32_t>{120, 16, 16, 45, 3, 3, 3, 2});
}

TEST_CASE("cuda_conv2d_template: the tiles of one configuration") {
  auto const made = ops::cuda_conv2d_template(c7);
  auto const p = make_plan(made);
  configuration const chosen{{0, 0, 0, 0, 0, 0, 0, 0}};
  auto set = chosen;
  auto const choose = [&](std::size_t k, std::vector<std::int32_t> const& tuple) {
    for (std::int32_t i = 0; i < made.knobs[k].choices(); ++i)
      if (std::ranges::equal(made.knobs[k].choice(i), tuple)) set.choices[k] = i;
  };
  choose(0, {4, 2, 8, 2});
  choose(1, {2, 1, 7, 1});
  choose(2, {7, 1, 2, 1});
  choose(3, {32, 2, 4});
  choose(4, {3, 1, 1});  // columns of the filter: one at a time
  choose(5, {1, 1, 3});  // rows: all
  loop_nest n;
  instantiate(p, set, n);
  auto const extents = [&](std::string const& name) {
    auto const& s = n.stages[stage_of(p, name)];
    return std::vector<std::int32_t>(s.extent.begin(), s.extent.begin() + 4);
  };
  // 7 rows with stride 2 and 3 rows of filter: 6 * 2 + 3; 2 columns: 1 * 2 + 1
  CHECK(extents("pad_temp_shared") == std::vector<std::int32_t>{1, 8, 15, 3});
  CHECK(extents("kernel_shared") == std::vector<std::int32_t>{32, 8, 3, 1});
  CHECK(extents("pad_temp_local") == std::vector<std::int32_t>{1, 4, 3, 1});
  CHECK(extents("compute_local") == std::vector<std::int32_t>{1, 2, 1, 1});
  auto const limited = ops::within_limits(made, c7, {112, 4 * (8 * 15 * 3 + 32 * 8 * 3)});
  for (auto const& c : limited.constraints) CHECK(c.condition.evaluate(limited.knobs, set) == 1);
  auto const less = ops::within_limits(made, c7, {111, 4 * (8 * 15 * 3 + 32 * 8 * 3) - 1});
  for (auto const& c : less.constraints) CHECK(c.condition.evaluate(less.knobs, set) == 0);
}

}  // namespace cuda_conv2d_template_tests
