// SPDX-License-Identifier: Apache-2.0
// Winograd's convolutions: their results, their errors, and the choice of those worth a trial.
#include "ttune/ops/winograd.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cases/convolutions.hpp"
#include "support/normal_numbers.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/testing/check.hpp"
#include "ttune/ttune.hpp"

namespace winograd_tests {

using namespace ttune;

namespace {

orc_backend& compiler() {
  static orc_backend one;
  return one;
}

/// Odd extents, smaller last tiles, one tile, no padding, several images; strides of two and three.
inline constexpr ops::conv2d_shape shapes[] = {
    {1, 3, 5, 7, 4, 3, 1, 1},   {2, 5, 9, 4, 3, 3, 1, 0},   {1, 17, 8, 13, 18, 3, 1, 1}, {1, 2, 3, 3, 5, 3, 1, 0},
    {1, 4, 6, 9, 3, 2, 1, 1},   {1, 3, 1, 1, 2, 3, 1, 1},   {1, 3, 13, 10, 5, 3, 2, 1},  {2, 17, 7, 5, 18, 3, 2, 1},
    {1, 2, 11, 15, 3, 5, 2, 2}, {1, 2, 10, 14, 3, 3, 3, 0}, {1, 2, 13, 9, 3, 7, 2, 3}};

/// Only columns of the image are divided into tiles; rows are summed directly.
ops::winograd_tile of_columns(std::int64_t outputs) {
  ops::winograd_tile how{outputs};
  how.one_dimension = true;
  return how;
}

template <class Check>
void for_each_tile(Check const& check) {
  for (auto const& s : shapes)
    for (std::int64_t m = 1; m <= 4 && ops::points_needed(m, s.kernel, s.stride) <= ops::most_known_points(s.stride);
         ++m) {
      check(ops::winograd_conv2d(s, {m, {}}), ttune_test::conv(s));
      if (m > 1) check(ops::winograd_conv2d(s, of_columns(m)), ttune_test::conv(s));
    }
}

/// Checks shapes and tiles, rectangular ones included, with the seed.
template <class Check>
void for_random_tiles(int count, Check const& check) {
  rng random(ttune_test::seed());
  auto const in = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.uniform() * static_cast<double>(high - low + 1));
  };
  while (count > 0) {
    ops::conv2d_shape s{in(1, 2), in(1, 19), in(1, 17), in(1, 17), in(1, 19), in(2, 4), in(1, 2), in(0, 2)};
    ops::winograd_tile how{in(1, 4), {}, in(0, 4), in(0, 3) != 0};
    how.one_dimension = in(0, 3) == 0;
    bool const known =
        ops::points_needed(std::max(how.outputs, how.columns), s.kernel, s.stride) <= ops::most_known_points(s.stride);
    if (!known || s.window().positions(s.height) < 1 || s.window().positions(s.width) < 1) continue;
    INFO("seed " << ttune_test::seed() << ": " << s.batch << " images " << s.channels << " x " << s.height << " x "
                 << s.width << ", " << s.filters << " filters of " << s.kernel << ", stride " << s.stride
                 << ", padding " << s.padding << "; tiles " << how.outputs << " x " << how.columns
                 << (how.one_dimension ? ", along columns alone" : ""));
    check(ops::winograd_conv2d(s, how), ttune_test::conv(s));
    --count;
  }
}

/// Returns the root mean square error of an operator in f32 on normal data, against doubles. One image, no padding.
template <class Op>
double measured_error(Op const& op, ops::conv2d_shape const& s) {
  tuner tune{orc_backend{}, {.worker = worker::in_process{}}};
  auto const kernel = tune.tune(op, {.trials = 1});
  rng random(7);
  auto const image = ttune_test::normal_numbers(s.channels * s.height * s.width, random);
  auto const weights = ttune_test::normal_numbers(s.filters * s.channels * s.kernel * s.kernel, random);
  std::vector<float> found(static_cast<std::size_t>(s.filters * s.out_height() * s.out_width()));
  kernel(image, weights, found);
  double error = 0;
  std::size_t next = 0;
  for (std::int64_t f = 0; f < s.filters; ++f)
    for (std::int64_t y = 0; y < s.out_height(); ++y)
      for (std::int64_t x = 0; x < s.out_width(); ++x) {
        double sum = 0;
        for (std::int64_t c = 0; c < s.channels; ++c)
          for (std::int64_t r = 0; r < s.kernel; ++r)
            for (std::int64_t t = 0; t < s.kernel; ++t)
              sum +=
                  static_cast<double>(
                      image[static_cast<std::size_t>((c * s.height + y * s.stride + r) * s.width + x * s.stride + t)]) *
                  static_cast<double>(
                      weights[static_cast<std::size_t>(((f * s.channels + c) * s.kernel + r) * s.kernel + t)]);
        error += std::pow(static_cast<double>(found[next++]) - sum, 2);
      }
  return std::sqrt(error / static_cast<double>(next));
}

}  // namespace

TEST_CASE("winograd: impossible cases are refused with a reason") {
  CHECK_THROWS_WITH_AS((void)ops::winograd_conv2d({1, 4, 5, 5, 6, 3, 1, 1}, {2, {{0, 1, 0}}}),
                       "winograd: interpolation points 0 and 2 coincide at 0.000000: they must differ", program_error);
  CHECK_THROWS_WITH_AS((void)ops::winograd_conv2d({1, 4, 9, 9, 6, 3, 1, 1, 2}),
                       "winograd: dilation and groups of a convolution must be 1", program_error);
}

TEST_CASE("winograd: an operator says the error to expect, over that of a direct sum") {
  CHECK(ops::winograd_conv2d({1, 4, 8, 8, 6, 3, 1, 1}, {4, {}}).error() == doctest::Approx(1.593).epsilon(1e-3));
  CHECK(ops::conv2d({1, 4, 5, 5, 6, 3, 1, 1}).error() == 0);
}

TEST_CASE("winograd: measured errors on normal data are near the model's") {
  TTUNE_SKIP_UNLESS("orc", compiler().availability().available, compiler().availability().reason);
  ops::conv2d_shape const s{1, 64, 22, 22, 16, 3, 1, 0};
  auto const direct = measured_error(ops::conv2d(s), s);
  for (std::int64_t m = 2; m <= 4; ++m) {
    CAPTURE(m);
    auto const op = ops::winograd_conv2d(s, {m, {}});
    CHECK(measured_error(op, s) / direct == doctest::Approx(op.error()).epsilon(0.25));
  }
  ops::winograd_tile const rectangular{4, {}, 3};  // 20 = 3 * 6 + 2
  CHECK(measured_error(ops::winograd_conv2d(s, rectangular), s) / direct ==
        doctest::Approx(ops::winograd_conv2d(s, rectangular).error()).epsilon(0.25));
  ops::conv2d_shape const strided{1, 64, 31, 31, 16, 3, 2, 0};
  auto const direct_strided = measured_error(ops::conv2d(strided), strided);
  for (std::int64_t m = 2; m <= 4; ++m) {
    CAPTURE(m);
    auto const op = ops::winograd_conv2d(strided, {m, {}});
    CHECK(measured_error(op, strided) / direct_strided == doctest::Approx(op.error()).epsilon(0.25));
  }
  ops::conv2d_shape const few_channels{1, 3, 67, 67, 16, 7, 2, 0};
  auto const direct_few = measured_error(ops::conv2d(few_channels), few_channels);
  for (std::int64_t m = 2; m <= 4; ++m) {
    CAPTURE(m);
    auto const op = ops::winograd_conv2d(few_channels, of_columns(m));
    CHECK(measured_error(op, few_channels) / direct_few == doctest::Approx(op.error()).epsilon(0.25));
  }
}

TEST_CASE("winograd: long kernels of few channels are cut along one dimension") {
  auto const found = ops::winograd_candidates({1, 3, 224, 224, 64, 7, 2, 3});
  CHECK(std::any_of(found.begin(), found.end(), [](auto const& c) { return c.how.one_dimension && c.error < 2.5; }));
  for (auto const& c : ops::winograd_candidates({1, 64, 56, 56, 64, 3, 1, 1})) CHECK(!c.how.one_dimension);
}

TEST_CASE("winograd: interpreted, as plain loops have it") {
  for_each_tile([](auto const& op, auto const& reference) {
    CHECK(
        testing::check(op, reference, {.configurations = 3, .inputs = 1, .seed = ttune_test::seed(), .tolerance = 4}));
  });
}

TEST_CASE("winograd: machine code, as plain loops have it") {
  TTUNE_SKIP_UNLESS("orc", compiler().availability().available, compiler().availability().reason);
  for_each_tile([](auto const& op, auto const& reference) {
    CHECK(testing::check(
        op, reference,
        {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .backend = &compiler(), .tolerance = 4}));
  });
}

TEST_CASE("winograd: candidates suit their shape, each with a smaller error; none if the method does not apply") {
  for (auto const& s : {ops::conv2d_shape{1, 64, 56, 56, 64, 3, 1, 1}, ops::conv2d_shape{1, 256, 13, 15, 256, 3, 1, 1},
                        ops::conv2d_shape{1, 128, 28, 28, 256, 3, 2, 1}, ops::conv2d_shape{1, 64, 9, 6, 64, 3, 1, 1}}) {
    auto const found = ops::winograd_candidates(s);
    REQUIRE(!found.empty());
    CHECK(found.size() <= ops::most_winograd_candidates);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].how.outputs <= s.out_height());
      CHECK(found[i].how.columns <= s.out_width());
      CHECK(found[i].work < 1);
      CHECK(ops::winograd_conv2d(s, found[i].how).error() == doctest::Approx(found[i].error));
      if (i > 0) CHECK(found[i].error < found[i - 1].error);
    }
  }
  CHECK(ops::winograd_candidates({1, 64, 56, 56, 64, 1}).empty());
  CHECK(ops::winograd_candidates({1, 64, 56, 56, 64, 3, 1, 1, 2}).empty());
  CHECK(ops::winograd_candidates({1, 64, 56, 56, 64, 3, 1, 1, 1, 2}).empty());
  CHECK(ops::winograd_candidates({1, 64, 1, 1, 64, 3, 1, 1}).empty());
}

TEST_CASE("alternatives: convolutions with a bias, and channels last, come with the same tilings") {
  ops::conv2d_shape const s{1, 64, 28, 28, 64, 3, 1, 1};
  auto const tilings = ops::winograd_candidates(s);
  REQUIRE(!tilings.empty());
  auto const check_all = [&](auto const& alternatives, auto const& direct) {
    auto const& all = alternatives.all();
    REQUIRE(all.size() == 1 + tilings.size());
    CHECK(all[0].error() == direct.error());
    CHECK(ir::equal(*all[0].program(), *direct.program()));
    for (std::size_t i = 0; i < tilings.size(); ++i) {
      CHECK(all[i + 1].error() == doctest::Approx(tilings[i].error));
      CHECK_FALSE(ir::equal(*all[i + 1].program(), *direct.program()));
    }
  };
  check_all(ops::conv2d_alternatives(s), ops::conv2d(s));
  check_all(ops::conv2d_bias_relu_alternatives(s), ops::conv2d_bias_relu(s));
  check_all(ops::conv2d_bias_alternatives(s), ops::conv2d_bias(s));
  check_all(ops::conv2d_bias_residual_alternatives(s), ops::conv2d_bias_residual(s));
  check_all(ops::conv2d_nhwc_alternatives(s), ops::conv2d_nhwc(s));
}

TEST_CASE("winograd: products stand in blocks of tiles, or of filters where tiles are of several sizes") {
  auto machine = named_target("x86-64-v4");
  machine.cores = 2;
  auto const blocked_axis = [&](ops::conv2d_shape const& s, ops::winograd_tile const& how) {
    std::string axis = "none";
    auto const in = derive_space(ops::winograd_conv2d(s, how).program(), machine);
    for (auto const& k : in.knobs)
      if (k.name.starts_with("Y.block_")) axis = k.name.substr(8);
    auto const by_choice = [](step const& one) {
      return one.what == primitive::compute_at && one.loops[0] == "Y" && one.loops[1] == place_root;
    };
    CHECK(std::any_of(in.steps.begin(), in.steps.end(), by_choice) == (axis != "none"));
    return axis;
  };
  CHECK(blocked_axis({1, 32, 16, 16, 72, 3, 1, 1}, {4, {}}) == "t");
  CHECK(blocked_axis({1, 32, 32, 32, 72, 3, 2, 1}, {4, {}, 0, false}) == "t");  // phases in groups of points
  CHECK(blocked_axis({1, 32, 14, 14, 72, 3, 1, 1}, {4, {}}) == "f");            // 14 = 4 + 4 + 4 + 2
  CHECK(blocked_axis({1, 256, 16, 16, 256, 3, 1, 1}, {4, {}}) == "f");          // weights much larger than the image
  CHECK(blocked_axis({1, 8, 6, 6, 16, 3, 1, 1}, {4, {}}) == "none");
}

TEST_CASE("winograd: blocks of tiles and of filters, as plain loops have it") {
  TTUNE_SKIP_UNLESS("orc", compiler().availability().available, compiler().availability().reason);
  for (auto const& s : {ops::conv2d_shape{1, 5, 14, 11, 150, 3, 1, 1}, ops::conv2d_shape{1, 5, 15, 13, 132, 3, 2, 1},
                        ops::conv2d_shape{2, 5, 16, 12, 130, 3, 1, 1}, ops::conv2d_shape{1, 3, 24, 16, 70, 3, 2, 1}})
    CHECK(testing::check(
        ops::winograd_conv2d(s, {4, {}}), ttune_test::conv(s),
        {.configurations = 6, .inputs = 1, .seed = ttune_test::seed(), .backend = &compiler(), .tolerance = 8}));
}

TEST_CASE("winograd: with bias and rectifier, and channels last") {
  ops::conv2d_shape const s{1, 5, 7, 6, 17, 3, 1, 1};
  ops::winograd_tile const how{3, {}, 2};
  auto const bias_relu = [s](auto I, auto W, auto bias, auto O) {
    ttune_test::conv(s)(I, W, O);
    ttune_test::points(s.batch, s.filters, s.out_height(), s.out_width(), [&](auto n, auto f, auto y, auto x) {
      ttune_test::put(O(n, f, y, x), std::max(0.0, ttune_test::number(O(n, f, y, x)) + ttune_test::number(bias(f))));
    });
  };
  for (auto const& tile : {how, of_columns(3)})
    CHECK(testing::check(ops::winograd_conv2d_bias_relu(s, tile), bias_relu,
                         {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .tolerance = 4}));
  auto const last = [s](auto I, auto W, auto O) {
    ttune_test::points(s.batch, s.filters, s.out_height(), s.out_width(), [&](auto n, auto f, auto y, auto x) {
      double sum = 0;
      for (std::int64_t c = 0; c < s.channels; ++c)
        ttune_test::taps(s.window(), s.height, s.width, y, x, [&](auto row, auto column, auto r, auto t) {
          sum += ttune_test::number(I(n, row, column, c)) * ttune_test::number(W(r, t, c, f));
        });
      ttune_test::put(O(n, y, x, f), sum);
    });
  };
  for (auto const& tile : {how, of_columns(3)})
    CHECK(testing::check(ops::winograd_conv2d_nhwc(s, tile), last,
                         {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .tolerance = 4}));
}

TEST_CASE("winograd: random shapes and tiles, interpreted and as machine code") {
  for_random_tiles(6, [](auto const& op, auto const& reference) {
    CHECK(
        testing::check(op, reference, {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .tolerance = 8}));
  });
  TTUNE_SKIP_UNLESS("orc", compiler().availability().available, compiler().availability().reason);
  for_random_tiles(6, [](auto const& op, auto const& reference) {
    CHECK(testing::check(
        op, reference,
        {.configurations = 2, .inputs = 1, .seed = ttune_test::seed(), .backend = &compiler(), .tolerance = 8}));
  });
}

TEST_CASE("alternatives: a compute with another result than the first is refused") {
  TTUNE_SKIP_UNLESS("orc", compiler().availability().available, compiler().availability().reason);
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{100}};
  tensor<"B", float, 1> const B{{100}};
  auto const sums = compute<"C">(i) = A(i) + B(i);
  auto const differences = compute<"C">(i) = A(i) - B(i);
  auto const twice = compute<"C">(i) = (A(i) + A(i) + (B(i) + B(i))) * 0.5;
  tuner tune{orc_backend{}, {.worker = worker::in_process{}}};
  auto const kernel = tune.tune(
      alternatives(op(inputs(A, B), outputs(sums), "sums"), op(inputs(A, B), outputs(differences), "differences"),
                   op(inputs(A, B), outputs(twice), "twice")),
      {.trials = 6});
  auto const& all = kernel.report().alternatives;
  REQUIRE(all.size() == 3);
  CHECK(all[0].refused.empty());
  CHECK(all[1].refused.starts_with("computes something else than sums: C["));
  CHECK(all[2].refused.empty());
  std::vector<float> a(100, 1);
  std::vector<float> b(100, 2);
  std::vector<float> c(100);
  kernel(a, b, c);
  CHECK(c == std::vector<float>(100, 3));
}

}  // namespace winograd_tests
