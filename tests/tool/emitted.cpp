// SPDX-License-Identifier: Apache-2.0
// A program with a network that `ttune emit-cpp` wrote, as docs/howto/network-as-cpp.md shows it; meson.build has the
// model.
#include "convolution.hpp"

#include <doctest/doctest.h>
#include <ttune/backends/orc.hpp>
#include <ttune/network.hpp>
#include <ttune/network/evaluate.hpp>
#include <ttune/onnx.hpp>

#include <vector>

#include "support/require.hpp"

namespace {

std::vector<float> result_for(std::vector<float> const& images) {
  std::vector<float> features(2 * 4 * 5 * 4);
  // [emitted_run]
  ttune::tuner tuner{ttune::orc_backend{}, {.records = convolution_records()}};
  auto const run = ttune::tune_network(convolution(), tuner, {.trials = 0});  // tunes nothing, here or elsewhere
  run(images, features);
  // [/emitted_run]
  return features;
}

}  // namespace

TEST_CASE("ttune emit-cpp: the network that was written computes what the model does") {
  auto const model = ttune::read_onnx(TTUNE_EMITTED_MODEL);
  auto const emitted = convolution();
  CHECK(emitted.text() == model.text());
  CHECK(convolution_records()->count() == 0);
  ttune::ir::ndarray images(ttune::dtype::f32, {2, 3, 7, 5});
  for (std::size_t i = 0; i < images.reals.size(); ++i) images.reals[i] = static_cast<double>(i % 7) - 3;
  auto const expected = evaluate(model, {images}).front();
  CHECK(evaluate(emitted, {images}).front().reals == expected.reals);

  auto const there = ttune::orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const found = result_for({images.reals.begin(), images.reals.end()});
  REQUIRE(found.size() == expected.reals.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(static_cast<double>(found[i]) == doctest::Approx(expected.reals[i]).epsilon(1e-5));
}
