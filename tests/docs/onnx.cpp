// SPDX-License-Identifier: Apache-2.0
// The code of docs/howto/onnx.md, run on a small model.
#include <doctest/doctest.h>
#include <ttune/backends/orc.hpp>
#include <ttune/network.hpp>
#include <ttune/onnx.hpp>
#include <ttune/onnx/kernel.hpp>
#include <ttune/records/sqlite.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "unit/onnx/model_builder.hpp"

namespace {

using namespace std::chrono_literals;

std::vector<float> logits_of(std::string const& path, std::string const& records) {
  // [onnx_run]
  auto const net = ttune::read_onnx(path, {.dimensions = {{"batch", 1}}});
  std::cout << net.text();  // a line per operator

  ttune::tuner tuner{ttune::orc_backend{}, {.records = ttune::sqlite{records}}};
  auto const run = ttune::tune_network(net, tuner, {.trials = 4, .time = 60s});

  std::vector<float> image(3 * 8 * 8, 1.0f), logits(10);
  run(image, logits);  // inputs, then outputs, in the order of the file
  // [/onnx_run]
  return logits;
}

// [onnx_converter]
/// The operator "Square" of the domain "my.domain": y = x * x.
void convert_square(ttune::onnx_context& to, ttune::onnx_node const&) {
  auto const& x = to.input(0);
  ttune::onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, x.shape, [&](auto const& at) { return X(at) * X(at); });
}

ttune::onnx_options with_square() {
  ttune::onnx_options options;
  options.converters.add("Square", convert_square, "my.domain");
  return options;
}
// [/onnx_converter]

}  // namespace

TEST_CASE("docs: an ONNX model runs") {
  ttune_test::model_builder made;
  auto* const input = made.input("image", {1, 3, 8, 8});
  input->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("batch");
  made.weights("filters", {10, 3, 3, 3}, 1);
  made.node("Conv", {"image", "filters"}, "features");
  made.node("GlobalAveragePool", {"features"}, "pooled");
  made.node("Flatten", {"pooled"}, "logits");
  made.output("logits");
  ttune_test::temporary_folder const folder;
  std::ofstream(folder / "model.onnx", std::ios::binary) << made.model.SerializeAsString();
  auto const found = logits_of(folder / "model.onnx", folder / "records.db");
  double sum = 0;  // of the filter's weights: the image has ones only
  for (int i = 0; i < 27; ++i) sum += static_cast<double>(made.graph->initializer(0).float_data(i));
  CHECK(static_cast<double>(found.front()) == doctest::Approx(sum).epsilon(1e-4));
}

TEST_CASE("docs: a converter of one's own") {
  ttune_test::model_builder made;
  made.input("x", {2});
  made.node("Square", {"x"}, "y")->set_domain("my.domain");
  made.output("y");
  ttune::ir::ndarray x(ttune::dtype::f32, {2});
  x.reals = {3, -2};
  CHECK(evaluate(ttune_test::read(made.model, with_square()), {x}).front().reals == std::vector<double>{9, 4});
}
