// SPDX-License-Identifier: Apache-2.0
// Winograd's transposed convolutions: their results, their errors, and the choice of those worth a trial.
#include "ttune/ops/winograd_transposed.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "check_by_orc.hpp"
#include "layer_cases.hpp"
#include "support/normal_numbers.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/testing/check.hpp"
#include "ttune/ttune.hpp"

namespace winograd_transposed_tests {

using namespace ttune;

namespace {

/// Kernels of 2 to 5, strides of 1 to 3, kernels that the stride does not divide, taps that are all cut off, one pixel.
inline constexpr ops::conv_transpose2d_shape shapes[] = {
    {1, 3, 4, 6, 5, 4, 2, 1},    {2, 5, 5, 3, 7, 3, 2, 1, 1}, {1, 17, 6, 5, 18, 4, 2, 1}, {1, 2, 3, 5, 4, 3, 1, 1},
    {1, 3, 7, 4, 3, 5, 2, 2, 1}, {1, 2, 5, 6, 17, 5, 3, 2},   {1, 4, 5, 5, 3, 2, 1, 0},   {1, 3, 1, 1, 2, 4, 2, 1},
    {2, 3, 5, 4, 2, 4, 3, 0, 2}, {1, 2, 6, 7, 3, 3, 1, 3},    {1, 3, 4, 3, 2, 2, 3, 0, 2}};

template <class Check>
void for_each_tile(Check const& check) {
  for (auto const& s : shapes) {
    INFO(s.height << " x " << s.width << ", kernel " << s.kernel << ", stride " << s.stride << ", padding "
                  << s.padding);
    for (std::int64_t m = 1; m <= 4 && m + s.taps() - 1 <= ops::most_known_points(1); ++m)
      check(ops::winograd_conv_transpose2d(s, {m, {}}), ttune_test::conv_transpose(s));
    check(ops::winograd_conv_transpose2d(s, {2, {}, 3}), ttune_test::conv_transpose(s));
  }
  auto const& s = shapes[0];
  for (auto const& then : {ops::activation::none, ops::activation::tanh})
    check(ops::winograd_conv_transpose2d_bias(s, {3, {}, 2}, then), ttune_test::conv_transpose_bias(s, then));
}

double mean_error(std::vector<float> const& found, std::vector<double> const& exact) {
  double error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) error += std::pow(static_cast<double>(found[i]) - exact[i], 2);
  return std::sqrt(error / static_cast<double>(found.size()));
}

/// Returns the root mean square error of an operator in f32 on normal data, over that of one sum of all terms in f32.
/// One image.
template <class Op>
double measured_error(Op const& op, ops::conv_transpose2d_shape const& s) {
  tuner tune{orc_backend{}, {.worker = worker::in_process{}}};
  auto const kernel = tune.tune(op, {.trials = 1});
  rng random(7);
  auto const image = ttune_test::normal_numbers(s.channels * s.height * s.width, random);
  auto const weights = ttune_test::normal_numbers(s.filters * s.channels * s.kernel * s.kernel, random);
  std::vector<float> found(static_cast<std::size_t>(s.filters * s.out_height() * s.out_width()));
  kernel(image, weights, found);
  auto const I = [&](auto, auto c, auto row, auto column) {
    return image[static_cast<std::size_t>((c * s.height + row) * s.width + column)];
  };
  auto const W = [&](auto c, auto f, auto r, auto t) {
    return weights[static_cast<std::size_t>(((c * s.filters + f) * s.kernel + r) * s.kernel + t)];
  };
  auto const exact = ttune_test::scattered(s, I, W);
  return mean_error(found, exact) / mean_error(ttune_test::scattered<float>(s, I, W), exact);
}

}  // namespace

TEST_CASE("winograd_conv_transpose2d: impossible cases are refused with a reason") {
  ops::winograd_tile of_columns;
  of_columns.one_dimension = true;
  CHECK_THROWS_WITH_AS((void)ops::winograd_conv_transpose2d({1, 1, 3, 3, 1, 4, 2, 1}, of_columns),
                       "winograd: a transposed convolution is tiled along both dimensions", program_error);
  CHECK_THROWS_WITH_AS((void)ops::winograd_conv_transpose2d({1, 1, 3, 3, 1, 4, 2, 1}, {2, {{1, 2, 3}}}),
                       "winograd: the first point of a transposed convolution must be 0", program_error);
  CHECK_THROWS_WITH_AS((void)ops::winograd_conv_transpose2d({1, 1, 3, 3, 1, 3, 2, 1, 2}),
                       "conv_transpose2d: an output padding of 2; it must be less than the stride, 2", program_error);
}

TEST_CASE("winograd_conv_transpose2d: interpreted, as plain loops have it") {
  for_each_tile([](auto const& op, auto const& reference) {
    CHECK(
        testing::check(op, reference, {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .tolerance = 4}));
  });
}

TEST_CASE("winograd_conv_transpose2d: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS_ORC();
  for_each_tile([](auto const& op, auto const& reference) {
    CHECK(testing::check(
        op, reference,
        {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .backend = &ttune_test::orc(), .tolerance = 4}));
  });
}

TEST_CASE("winograd_conv_transpose2d: the error is that of a convolution where all phases have the same windows") {
  for (std::int64_t m = 2; m <= 4; ++m) {
    auto const phases = ops::winograd_conv2d({1, 8, 13, 13, 16, 2, 1, 0}, {m, {}});
    CHECK(ops::winograd_conv_transpose2d({1, 8, 11, 11, 4, 4, 2, 0}, {m, {}}).error() ==
          doctest::Approx(phases.error()));
  }
}

TEST_CASE("winograd_conv_transpose2d: measured errors on normal data are near the model's") {
  TTUNE_SKIP_UNLESS_ORC();
  for (auto const& s : {ops::conv_transpose2d_shape{1, 64, 12, 12, 16, 4, 2, 1}, {1, 64, 12, 12, 16, 5, 2, 2, 1}}) {
    auto const check = [&](ops::winograd_tile const& how) {
      INFO("kernel " << s.kernel << ", tiles of " << how.outputs);
      auto const op = ops::winograd_conv_transpose2d(s, how);
      CHECK(measured_error(op, s) == doctest::Approx(op.error()).epsilon(0.25));
    };
    for (std::int64_t m = 2; m <= 4; ++m) check({m, {}});
    check({4, {}, 2});
  }
}

TEST_CASE("winograd_conv_transpose2d: alternatives have the candidates' tilings, each with a smaller error") {
  ops::conv_transpose2d_shape const s{1, 256, 16, 16, 128, 4, 2, 1};
  auto const tilings = ops::winograd_candidates(s);
  REQUIRE(!tilings.empty());
  auto const check_all = [&](auto const& alternatives, auto const& direct) {
    auto const& all = alternatives.all();
    REQUIRE(all.size() == 1 + tilings.size());
    CHECK(ir::equal(*all[0].program(), *direct.program()));
    for (std::size_t i = 0; i < tilings.size(); ++i) {
      CHECK(tilings[i].work < 1);
      CHECK(all[i + 1].error() == doctest::Approx(tilings[i].error));
      if (i > 0) CHECK(tilings[i].error < tilings[i - 1].error);
    }
  };
  check_all(ops::conv_transpose2d_alternatives(s), ops::conv_transpose2d(s));
  check_all(ops::conv_transpose2d_bias_alternatives(s, ops::activation::relu),
            ops::conv_transpose2d_bias(s, ops::activation::relu));
  CHECK(ops::winograd_candidates(ops::conv_transpose2d_shape{1, 64, 16, 16, 64, 2, 2, 0}).empty());  // one tap
  CHECK(ops::winograd_candidates(ops::conv_transpose2d_shape{1, 64, 1, 1, 64, 2, 1, 1}).empty());    // one position
}

}  // namespace winograd_transposed_tests
