// SPDX-License-Identifier: Apache-2.0
// One operator with several computes: a 3x3 convolution as a direct sum and by Winograd's method. The tuner divides its
// trials among those whose rounding error the program allows, and the report names the winner.
#include <ttune/backends/orc.hpp>
#include <ttune/ops/winograd.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  using namespace ttune::literals;
  // [declare]
  ttune::ops::conv2d_shape const shape{1, 64, 28, 28, 64, 3, 1, 1};  // N, C, H, W, F, kernel, stride, padding
  auto const direct = ttune::ops::conv2d(shape);
  auto const tiles_of_2 = ttune::ops::winograd_conv2d(shape, {2, {}});
  auto const tiles_of_4 = ttune::ops::winograd_conv2d(shape, {4, {{0, 0.625, -0.625, 1.5, -1.5}}});
  // [/declare]
  std::cout << "errors over the direct sum's: " << tiles_of_2.error() << ", " << tiles_of_4.error() << "\n";

  // [tune]
  ttune::tuner tuner{ttune::orc_backend{}, {.worker = ttune::worker::self{}}};
  auto const convolve = tuner.tune(ttune::alternatives(direct, tiles_of_2, tiles_of_4), {.trials = 24, .time = 10s},
                                   ttune::numerics::error_within(2.5));
  std::cout << convolve.report();
  // [/tune]

  std::mt19937 random{1};
  std::normal_distribution<float> normal;
  std::vector<float> image(64 * 28 * 28);
  std::vector<float> weights(64 * 64 * 9);
  std::vector<float> out(64 * 28 * 28);
  std::ranges::generate(image, [&] { return normal(random); });
  std::ranges::generate(weights, [&] { return normal(random); });
  auto const prepared = convolve.prepare(image, weights, out);  // transforms the weights if Winograd's method won
  prepared(image, weights, out);

  double sum = 0;  // expected value of filter 5 at row 1, column 1
  for (std::size_t c = 0; c < 64; ++c)
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t s = 0; s < 3; ++s)
        sum += static_cast<double>(image[c * 784 + r * 28 + s]) *
               static_cast<double>(weights[(5 * 64 + c) * 9 + r * 3 + s]);
  auto const found = static_cast<double>(out[5 * 784 + 28 + 1]);
  std::cout << "found " << found << ", exactly " << sum << "\n";
  return std::abs(found - sum) < 1e-3 ? 0 : 1;
}
