// SPDX-License-Identifier: Apache-2.0
// Layers of integers with zero points: results as plain loops have them, and sums of products of plain bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model_builder.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/network.hpp"

namespace quantized_models_tests {

using namespace ttune;
using ttune_test::model_builder;

namespace {

constexpr int u8 = onnx::TensorProto::UINT8, i8 = onnx::TensorProto::INT8;

using numbers = std::vector<std::int64_t>;

/// Bytes of a type, by a number.
numbers some_bytes(std::int64_t count, int type, std::int64_t from) {
  numbers made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back((i * 37 + from * 11) % 251 - (type == i8 ? 125 : 0));
  return made;
}
ir::ndarray array_of(int type, numbers const& shape, numbers const& values) {
  ir::ndarray made(type == u8 ? dtype::u8 : dtype::i8, shape);
  made.integers = values;
  return made;
}
std::int64_t product_of(numbers const& shape) {
  std::int64_t made = 1;
  for (auto const extent : shape) made *= extent;
  return made;
}

/// Gives the model an operand: known, or an input.
void add_operand(model_builder& to, std::string const& name, numbers const& shape, int type, numbers const& values,
                 bool known) {
  if (known) to.bytes(name, shape, type, values);
  else to.input(name, shape, type);
}

struct convolution_case {
  std::int64_t channels, filters, size, kernel, stride = 1, padding = 0, groups = 1;
  int of_x = u8, of_w = i8;
  std::int64_t x_zero = 0;
  numbers w_zeros = {};  ///< none, one, or one per filter
  bool known = true;     ///< the weights
};

/// A ConvInteger of 1 x channels x size x (size + 1), and its result by plain loops.
struct integer_convolution {
  convolution_case of;
  numbers x_shape{1, of.channels, of.size, of.size + 1};
  numbers w_shape{of.filters, of.channels / of.groups, of.kernel, of.kernel};
  numbers x = some_bytes(product_of(x_shape), of.of_x, 1), w = some_bytes(product_of(w_shape), of.of_w, 2);

  [[nodiscard]] onnx::ModelProto model() const {
    model_builder made;
    made.input("x", x_shape, of.of_x);
    add_operand(made, "w", w_shape, of.of_w, w, of.known);
    made.bytes("x_zero", {}, of.of_x, {of.x_zero});
    std::vector<std::string> operands{"x", "w", "x_zero"};
    if (!of.w_zeros.empty()) {
      auto const count = std::ssize(of.w_zeros);
      made.bytes("w_zero", count == 1 ? numbers{} : numbers{count}, of.of_w, of.w_zeros);
      operands.push_back("w_zero");
    }
    auto* const node = made.node("ConvInteger", operands, "y");
    ttune_test::set_integers(node, "strides", {of.stride, of.stride});
    ttune_test::set_integers(node, "pads", numbers(4, of.padding));
    ttune_test::set_integer(node, "group", of.groups);
    made.output("y");
    return made.model;
  }
  [[nodiscard]] std::int64_t pixel(std::int64_t c, std::int64_t row, std::int64_t column) const {
    bool const inside = row >= 0 && row < of.size && column >= 0 && column <= of.size;
    return inside ? x[static_cast<std::size_t>((c * of.size + row) * (of.size + 1) + column)] - of.x_zero : 0;
  }
  [[nodiscard]] std::int64_t zero_of(std::int64_t f) const {
    if (of.w_zeros.empty()) return 0;
    return of.w_zeros[of.w_zeros.size() == 1 ? 0 : static_cast<std::size_t>(f)];
  }
  [[nodiscard]] numbers expected() const {
    numbers made;
    auto const positions = [&](std::int64_t extent) { return (extent + 2 * of.padding - of.kernel) / of.stride + 1; };
    auto const channels = w_shape[1];
    for (std::int64_t f = 0; f < of.filters; ++f)
      for (std::int64_t row = 0; row < positions(of.size); ++row)
        for (std::int64_t column = 0; column < positions(of.size + 1); ++column) {
          std::int64_t sum = 0;
          for (std::int64_t i = 0; i < channels * of.kernel * of.kernel; ++i) {
            auto const c = i / (of.kernel * of.kernel), r = i / of.kernel % of.kernel, s = i % of.kernel;
            auto const weight = w[static_cast<std::size_t>(f * channels * of.kernel * of.kernel + i)] - zero_of(f);
            sum += weight * pixel(f / (of.filters / of.groups) * channels + c, row * of.stride + r - of.padding,
                                  column * of.stride + s - of.padding);
          }
          made.push_back(sum);
        }
    return made;
  }
};

std::vector<convolution_case> const convolutions{
    {.channels = 4, .filters = 3, .size = 5, .kernel = 3, .padding = 1, .x_zero = 117},
    {.channels = 3, .filters = 5, .size = 7, .kernel = 3, .stride = 2, .padding = 1, .x_zero = 5},
    {.channels = 3, .filters = 2, .size = 4, .kernel = 2, .of_w = u8, .x_zero = 9, .w_zeros = {128}},
    {.channels = 5,
     .filters = 3,
     .size = 4,
     .kernel = 2,
     .padding = 1,
     .of_w = u8,
     .x_zero = 3,
     .w_zeros = {1, 128, 77}},
    {.channels = 8, .filters = 4, .size = 3, .kernel = 1, .of_w = u8},
    {.channels = 6,
     .filters = 4,
     .size = 5,
     .kernel = 3,
     .padding = 1,
     .groups = 2,
     .of_w = u8,
     .x_zero = 40,
     .w_zeros = {3, 2, 1, 0}},
    {.channels = 4, .filters = 4, .size = 5, .kernel = 3, .padding = 1, .groups = 4, .x_zero = 40, .w_zeros = {-7}},
    {.channels = 4, .filters = 3, .size = 5, .kernel = 3, .padding = 1, .of_x = i8, .x_zero = -9, .w_zeros = {6}},
    {.channels = 3, .filters = 3, .size = 5, .kernel = 3, .padding = 1, .x_zero = 8, .w_zeros = {6}, .known = false},
    {.channels = 3, .filters = 3, .size = 5, .kernel = 3, .padding = 1, .of_w = u8, .known = false}};

/// Returns true if the longest sum of the operator is one of products of bytes, without zero points.
bool sums_plain_products(network_operator const& op) {
  std::int64_t most = 0;
  bool plain = false;
  for (auto const& st : op.computes.front().program->stages) {
    std::int64_t terms = st->reduces() ? 1 : 0;
    for (auto const& a : st->reduction.axes) terms *= a.size();
    if (terms == 0 || (terms <= most && plain)) continue;
    most = terms;
    plain = ir::match_narrow_term(st->components[0].value).has_value();
  }
  return plain;
}

}  // namespace

TEST_CASE("convolutions of integers: zero points are taken out of the sums") {
  for (auto const& one : convolutions) {
    CAPTURE(&one - convolutions.data());
    integer_convolution const c{one};
    auto const net = ttune_test::read(c.model());
    std::vector<ir::ndarray> operands{array_of(one.of_x, c.x_shape, c.x)};
    if (!one.known) operands.push_back(array_of(one.of_w, c.w_shape, c.w));
    CHECK(evaluate(net, operands).front().integers == c.expected());
    CHECK(std::any_of(net.operators().begin(), net.operators().end(), sums_plain_products));
  }
}

TEST_CASE("products of integers: zero points are taken out of the sums") {
  constexpr std::int64_t batches = 2, rows = 3, terms = 5, columns = 4;
  for (bool const known : {true, false})
    for (auto const type : {u8, i8})
      for (auto const& a_zeros : {numbers{0}, numbers{120}, numbers{1, 2, 3}})
        for (auto const& b_zeros : {numbers{0}, numbers{7}, numbers{9, 0, 3, 8}}) {
          CAPTURE(known);
          CAPTURE(type);
          CAPTURE(a_zeros.size());
          CAPTURE(b_zeros.size());
          auto const a = some_bytes(batches * rows * terms, u8, 3), b = some_bytes(terms * columns, type, 4);
          model_builder made;
          made.input("a", {batches, rows, terms}, u8);
          add_operand(made, "b", {terms, columns}, type, b, known);
          auto const shape = [](numbers const& of) { return of.size() == 1 ? numbers{} : numbers{std::ssize(of)}; };
          made.bytes("a_zero", shape(a_zeros), u8, a_zeros);
          made.bytes("b_zero", shape(b_zeros), type, b_zeros);
          made.node("MatMulInteger", {"a", "b", "a_zero", "b_zero"}, "y");
          made.output("y");
          auto const net = ttune_test::read(made.model);
          numbers expected;
          for (std::int64_t i = 0; i < batches * rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
              std::int64_t sum = 0;
              for (std::int64_t k = 0; k < terms; ++k) {
                auto const za = a_zeros[a_zeros.size() == 1 ? 0 : static_cast<std::size_t>(i % rows)];
                auto const zb = b_zeros[b_zeros.size() == 1 ? 0 : static_cast<std::size_t>(j)];
                sum += (a[static_cast<std::size_t>(i * terms + k)] - za) *
                       (b[static_cast<std::size_t>(k * columns + j)] - zb);
              }
              expected.push_back(sum);
            }
          std::vector<ir::ndarray> operands{array_of(u8, {batches, rows, terms}, a)};
          if (!known) operands.push_back(array_of(type, {terms, columns}, b));
          CHECK(evaluate(net, operands).front().integers == expected);
          CHECK(std::any_of(net.operators().begin(), net.operators().end(), sums_plain_products));
        }
}

TEST_CASE("quantised layers run as machine code") {
  model_builder made;
  made.input("x", {1, 3, 9, 8});
  auto const scale = [&](std::string const& name, float value) {
    auto* const tensor = made.weights(name, {}, 1);
    tensor->set_float_data(0, value);
  };
  scale("x_scale", 0.01F), scale("w_scale", 0.02F), scale("y_scale", 0.5F);
  made.bytes("x_zero", {}, u8, {120});
  made.bytes("w_zero", {}, u8, {131});
  made.bytes("y_zero", {}, u8, {100});
  made.bytes("w", {17, 3, 3, 3}, u8, some_bytes(17 * 27, u8, 5));
  made.node("QuantizeLinear", {"x", "x_scale", "x_zero"}, "bytes");
  auto* const node =
      made.node("QLinearConv", {"bytes", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero"}, "c");
  ttune_test::set_integers(node, "pads", {1, 1, 1, 1});
  ttune_test::set_integers(node, "strides", {1, 2});
  made.node("DequantizeLinear", {"c", "y_scale", "y_zero"}, "y");
  made.output("y");
  auto const net = ttune_test::read(made.model);
  ir::ndarray x(dtype::f32, {1, 3, 9, 8});
  for (std::size_t i = 0; i < x.reals.size(); ++i) x.set_number(i, static_cast<double>(i * 37 % 101) / 50 - 1);
  auto const expected = evaluate(net, {x}).front();
  tuner_options options;
  options.worker = worker::in_process{};
  tuner by(orc_backend{}, std::move(options));
  std::vector<float> in(x.reals.begin(), x.reals.end()), out(expected.reals.size());
  tune_network(net, by, {.trials = 6})(in, out);
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(static_cast<double>(out[i]) == expected.reals[i]);
}

}  // namespace quantized_models_tests
