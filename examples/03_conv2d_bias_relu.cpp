// SPDX-License-Identifier: Apache-2.0
// A convolution with a bias and a rectifier (ReLU) in one kernel; the weights are laid out once, before the calls.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

namespace {

std::vector<float> random_values(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (auto& v : values) v = uniform(random);
  return values;
}

/// Returns the expected element (f, y, x) of the output, by the definition.
double expected(ttune::ops::conv2d_shape const& s, float const* in, float const* weights, float const* bias,
                std::int64_t f, std::int64_t y, std::int64_t x) {
  double sum = bias[f];
  for (std::int64_t c = 0; c < s.channels; ++c)
    for (std::int64_t r = 0; r < s.kernel; ++r)
      for (std::int64_t t = 0; t < s.kernel; ++t) {
        auto const iy = y * s.stride + r - s.padding;
        auto const ix = x * s.stride + t - s.padding;
        if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;  // zero outside of the image
        sum += double{in[(c * s.height + iy) * s.width + ix]} *
               double{weights[((f * s.channels + c) * s.kernel + r) * s.kernel + t]};
      }
  return std::max(sum, 0.0);
}

int run() {
  using namespace ttune::literals;
  ttune::ops::conv2d_shape const s{
      .batch = 1, .channels = 64, .height = 28, .width = 28, .filters = 96, .kernel = 3, .stride = 1, .padding = 1};
  auto const layer = ttune::ops::conv2d_bias_relu(s);  // defined in ops/conv2d.hpp

  ttune::tuner tuner{ttune::orc_backend{}, {.model = ttune::xgboost{}, .worker = ttune::worker::self{}}};
  auto const tuned = tuner.tune(layer, {.trials = 48, .time = 10s});
  std::cout << tuned.report();

  auto const in = random_values(s.channels * s.height * s.width, 1);                    // (N, C, H, W)
  auto const weights = random_values(s.filters * s.channels * s.kernel * s.kernel, 2);  // (F, C, R, S)
  auto const bias = random_values(s.filters, 3);
  std::vector<float> out(static_cast<std::size_t>(s.filters * s.out_height() * s.out_width()));  // (N, F, OH, OW)
  auto const kernel = tuned.prepare(in, weights, bias, out);  // owns the laid-out weights
  kernel(in, weights, bias, out);

  std::size_t wrong = 0;
  std::size_t zeros = 0;
  std::size_t at = 0;
  for (std::int64_t f = 0; f < s.filters; ++f)
    for (std::int64_t y = 0; y < s.out_height(); ++y)
      for (std::int64_t x = 0; x < s.out_width(); ++x, ++at) {
        auto const difference = double{out[at]} - expected(s, in.data(), weights.data(), bias.data(), f, y, x);
        wrong += std::abs(difference) < 1e-3 ? 0U : 1U;  // NaN is wrong, too
        zeros += out[at] == 0.0F ? 1U : 0U;
      }
  std::cout << wrong << " of " << out.size() << " values differ from plain loops; the rectifier cut " << zeros << "\n";
  return wrong == 0 && zeros > 0 && zeros < out.size() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    return run();
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
