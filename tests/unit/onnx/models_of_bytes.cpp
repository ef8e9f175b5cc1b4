// SPDX-License-Identifier: Apache-2.0
// Layers of floats between DequantizeLinear and QuantizeLinear: their sums are of bytes. The same models are computed
// in floats if their scale is an input, since it is not known then; both must agree.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model_builder.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/network.hpp"

namespace models_of_bytes_tests {

using namespace ttune;

namespace {

constexpr int u8 = onnx::TensorProto::UINT8, i8 = onnx::TensorProto::INT8;
using numbers = std::vector<std::int64_t>;

/// Builds a model whose scale "s", of all activations, is known or an input.
struct byte_model : ttune_test::model_builder {
  explicit byte_model(bool is_known) : known(is_known) {
    input("x", {1, 3, 7, 6});
    if (known) scale("s", {0.01F}, {});
    else input("s", {});
    bytes("z", {}, u8, {117});
    bytes("none", {}, u8, {0});
    quantized("x", "x0", "z");
  }
  void scale(std::string const& name, std::vector<float> const& values, numbers const& shape) {
    auto* const made = weights(name, shape, 1);
    for (std::size_t i = 0; i < values.size(); ++i) made->set_float_data(static_cast<int>(i), values[i]);
  }
  /// Adds both conversions: `to` stands for the nearest numbers.
  void quantized(std::string const& from, std::string const& to, std::string const& zero) {
    node("QuantizeLinear", {from, "s", zero}, to + ".bytes");
    node("DequantizeLinear", {to + ".bytes", "s", zero}, to);
  }
  /// Adds weights of a type, with a scale and a zero for each element of a dimension.
  void byte_weights(std::string const& name, numbers const& shape, int type, std::int64_t axis) {
    std::int64_t count = 1;
    for (auto const extent : shape) count *= extent;
    numbers values, zeros;
    std::vector<float> scales;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(i * 37 % 251 - (type == i8 ? 125 : 0));
    auto const parts = shape[static_cast<std::size_t>(axis)];
    for (std::int64_t i = 0; i < parts; ++i) {
      scales.push_back(0.001F * static_cast<float>(1 + i % 3));
      zeros.push_back(type == i8 ? 0 : 120 + i % 9);
    }
    bytes(name + ".bytes", shape, type, values);
    scale(name + ".scale", scales, {parts});
    bytes(name + ".zero", {parts}, type, zeros);
    auto* const made = node("DequantizeLinear", {name + ".bytes", name + ".scale", name + ".zero"}, name);
    ttune_test::set_integer(made, "axis", axis);
  }
  void conv(std::string const& x, std::string const& w, std::string const& y, std::int64_t padding) {
    ttune_test::set_integers(node("Conv", {x, w, w + ".bias"}, y), "pads", numbers(4, padding));
  }

  bool known;
};

/// A residual block, pooling, and two dense layers.
byte_model small_network(bool known) {
  byte_model made(known);
  made.byte_weights("w0", {5, 3, 3, 3}, i8, 0);
  made.weights("w0.bias", {5}, 2);
  made.conv("x0", "w0", "c0", 1);
  made.node("Relu", {"c0"}, "r0");
  made.quantized("r0", "q0", "none");
  made.byte_weights("w1", {5, 5, 1, 1}, u8, 0);
  made.weights("w1.bias", {5}, 3);
  made.conv("q0", "w1", "c1", 0);
  made.quantized("c1", "q1", "z");
  made.node("Add", {"q1", "q0"}, "sum");
  made.quantized("sum", "q2", "z");
  auto* const pool = made.node("MaxPool", {"q2"}, "p");
  ttune_test::set_integers(pool, "kernel_shape", {3, 3});
  ttune_test::set_integers(pool, "strides", {2, 2});
  ttune_test::set_integers(pool, "pads", {1, 1, 1, 1});
  made.quantized("p", "q3", "z");
  made.node("Flatten", {"q3"}, "flat");
  made.byte_weights("g", {4, 60}, i8, 0);
  made.weights("g.bias", {4}, 4);
  ttune_test::set_integer(made.node("Gemm", {"flat", "g", "g.bias"}, "d"), "transB", 1);
  made.quantized("d", "q4", "z");
  made.byte_weights("m", {4, 9}, u8, 1);
  made.node("MatMul", {"q4", "m"}, "y");
  made.output("y");
  return made;
}

/// Returns the number of operators whose sums are of products of bytes, and of products of floats.
std::pair<int, int> products_in(network_graph const& net) {
  int of_bytes = 0, of_floats = 0;
  for (auto const& op : net.operators()) {
    if (op.is_view()) continue;
    for (auto const& st : op.computes.front().program->stages) {
      if (!st->reduces()) continue;
      auto const* const product = ir::as<ir::binary>(st->components[0].value);
      if (ir::match_narrow_term(st->components[0].value)) ++of_bytes;
      else if (product && product->op == ir::binary_op::multiply) ++of_floats;
    }
  }
  return {of_bytes, of_floats};
}

ir::ndarray image() {
  ir::ndarray made(dtype::f32, {1, 3, 7, 6});
  for (std::size_t i = 0; i < made.reals.size(); ++i) made.set_number(i, static_cast<double>(i * 37 % 101) / 50 - 1);
  return made;
}
ir::ndarray known_scale() {
  ir::ndarray made(dtype::f32, {});
  made.set_number(0, static_cast<double>(0.01F));
  return made;
}

}  // namespace

TEST_CASE("layers between conversions of bytes sum products of bytes, and agree with floats") {
  auto const in_bytes = ttune_test::read(small_network(true).model);
  auto const in_floats = ttune_test::read(small_network(false).model);
  CHECK(products_in(in_bytes) == std::pair(4, 0));
  CHECK(products_in(in_floats).first == 0);
  auto const found = evaluate(in_bytes, {image()}).front();
  auto const expected = evaluate(in_floats, {image(), known_scale()}).front();
  REQUIRE(found.reals.size() == 9);
  // a number near a half may be rounded either way: then one input of the last layer differs by a step
  for (std::size_t i = 0; i < found.reals.size(); ++i)
    CHECK(std::abs(found.reals[i] - expected.reals[i]) < 0.01 * 0.4 + 1e-5);
}

TEST_CASE("layers between conversions of bytes run as machine code") {
  auto const net = ttune_test::read(small_network(true).model);
  auto const x = image();
  auto const expected = evaluate(net, {x}).front();
  tuner_options options;
  options.worker = worker::in_process{};
  tuner by(orc_backend{}, std::move(options));
  std::vector<float> in(x.reals.begin(), x.reals.end()), out(expected.reals.size());
  tune_network(net, by, {.trials = 10})(in, out);
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(std::abs(static_cast<double>(out[i]) - expected.reals[i]) < 0.01 * 0.4 + 1e-5);
}

TEST_CASE("bytes that are converted to numbers and back are the same bytes") {
  byte_model made(true);
  made.node("Relu", {"x0"}, "r");
  made.quantized("x0", "again", "z");
  made.quantized("again", "other", "none");  // another zero
  made.output("again.bytes");
  made.output("other.bytes");
  auto const net = ttune_test::read(made.model);
  auto const found = evaluate(net, {image()});
  auto const quantized = [&](double x, double zero) {
    return static_cast<std::int64_t>(
        std::clamp(std::nearbyint(static_cast<double>(static_cast<float>(x) / 0.01F)) + zero, 0.0, 255.0));
  };
  auto const x = image();
  for (std::size_t i = 0; i < x.reals.size(); ++i) {
    CHECK(found[0].integers[i] == quantized(x.reals[i], 117));
    CHECK(found[1].integers[i] == std::max<std::int64_t>(found[0].integers[i] - 117, 0));
  }
  CHECK(net.operators().size() == 2);  // neither the numbers nor a second conversion is computed
}

TEST_CASE("layers whose bytes have scales along their terms are computed in floats") {
  byte_model made(true);
  made.byte_weights("w", {5, 3, 3, 3}, i8, 1);
  made.weights("w.bias", {5}, 2);
  made.conv("x0", "w", "y", 1);
  made.output("y");
  CHECK(products_in(ttune_test::read(made.model)).first == 0);
  byte_model turned(true);
  ttune_test::set_integers(turned.node("Transpose", {"x0"}, "t"), "perm", {0, 2, 3, 1});
  turned.byte_weights("m", {3, 4}, i8, 0);
  turned.node("MatMul", {"t", "m"}, "y");
  turned.output("y");
  CHECK(products_in(ttune_test::read(turned.model)).first == 0);
}

}  // namespace models_of_bytes_tests
