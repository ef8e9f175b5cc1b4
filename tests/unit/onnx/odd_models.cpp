// SPDX-License-Identifier: Apache-2.0
// Models that are wrong are refused by errors that name the culprit; what files leave open is filled in by options.
#include <doctest/doctest.h>

#include <string>

#include "model_builder.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/onnx/kernel.hpp"

namespace odd_models_tests {

using namespace ttune;
using ttune_test::model_builder;

namespace {

/// Returns the text of the refusal.
std::string refusal_of(onnx::ModelProto const& model, onnx_options const& options = {}) {
  try {
    (void)ttune_test::read(model, options);
  } catch (onnx_error const& refusal) {
    return refusal.what();
  }
  return "was read";
}

bool names_all(std::string const& text, std::vector<std::string> const& parts) {
  for (auto const& part : parts)
    if (text.find(part) == std::string::npos) {
      MESSAGE(text << " does not name " << part);
      return false;
    }
  return true;
}

}  // namespace

TEST_CASE("an operator without a converter is refused with node, operator and version") {
  model_builder made;
  made.input("x", {2});
  made.node("Frobnicate", {"x"}, "y");
  made.output("y");
  CHECK(names_all(refusal_of(made.model), {"Frobnicate_y", "operator Frobnicate", "opset 13"}));
  CHECK_THROWS_AS((void)ttune_test::read(made.model), onnx_unsupported);
}

TEST_CASE("nodes that no output needs are left out") {
  model_builder made;
  made.input("x", {2});
  made.node("Relu", {"x"}, "y");
  made.node("Frobnicate", {"y"}, "z");
  made.output("y");
  CHECK(ttune_test::read(made.model).operators().size() == 1);
}

TEST_CASE("a cycle is refused") {
  model_builder made;
  made.input("x", {2});
  made.node("Add", {"x", "b"}, "a");
  made.node("Relu", {"a"}, "b");
  made.output("b");
  CHECK(names_all(refusal_of(made.model), {"Relu_b", "\"b\"", "cycle"}));
}

TEST_CASE("nodes may come in any order") {
  model_builder made;
  made.input("x", {2});
  made.node("Neg", {"r"}, "y");
  made.node("Relu", {"x"}, "r");
  made.output("y");
  CHECK(ttune_test::read(made.model).operators().size() == 2);
}

TEST_CASE("names that nothing computes, or two nodes compute, are refused") {
  model_builder missing;
  missing.input("x", {2});
  missing.node("Add", {"x", "w"}, "y");
  missing.output("y");
  CHECK(names_all(refusal_of(missing.model), {"Add_y", "\"w\""}));
  model_builder twice;
  twice.input("x", {2});
  twice.node("Relu", {"x"}, "y");
  twice.node("Neg", {"x"}, "y");
  twice.output("y");
  CHECK(names_all(refusal_of(twice.model), {"Neg_y", "\"y\""}));
  model_builder no_output;
  no_output.input("x", {2});
  CHECK(names_all(refusal_of(no_output.model), {"no outputs"}));
}

TEST_CASE("shapes that do not fit are refused with the node") {
  model_builder sum;
  sum.input("x", {2, 3});
  sum.weights("w", {4}, 1);
  sum.node("Add", {"x", "w"}, "y");
  sum.output("y");
  CHECK(names_all(refusal_of(sum.model), {"Add_y", "3 and 4"}));
  model_builder convolution;
  convolution.input("x", {1, 3, 8, 8});
  convolution.weights("w", {4, 5, 3, 3}, 1);
  convolution.node("Conv", {"x", "w"}, "y");
  convolution.output("y");
  CHECK(names_all(refusal_of(convolution.model), {"Conv_y", "channels"}));
  model_builder reshape;
  reshape.input("x", {2, 3});
  reshape.integers("shape", {4, -1});
  reshape.node("Reshape", {"x", "shape"}, "y");
  reshape.output("y");
  CHECK(names_all(refusal_of(reshape.model), {"Reshape_y", "\"x\" f32 (2, 3)"}));
}

TEST_CASE("attributes that are no sizes are refused") {
  for (auto const stride : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 62}) {
    model_builder made;
    made.input("x", {1, 3, 8, 8});
    made.weights("w", {4, 3, 3, 3}, 1);
    ttune_test::set_integers(made.node("Conv", {"x", "w"}, "y"), "strides", {stride, stride});
    made.output("y");
    CHECK(names_all(refusal_of(made.model), {"Conv_y", "strides"}));
  }
}

TEST_CASE("unknown element types, and contents of another length, are refused with the tensor") {
  model_builder text;
  text.input("x", {2}, onnx::TensorProto::STRING);
  text.node("Identity", {"x"}, "y");
  text.output("y");
  CHECK(names_all(refusal_of(text.model), {"\"x\"", "type 8"}));
  model_builder future;
  future.input("x", {2});
  future.weights("w", {2}, 1)->set_data_type(77);
  future.node("Add", {"x", "w"}, "y");
  future.output("y");
  CHECK(names_all(refusal_of(future.model), {"\"w\"", "type 77"}));
  model_builder cut;
  cut.input("x", {3});
  cut.weights("w", {2}, 1)->set_dims(0, 3);
  cut.node("Add", {"x", "w"}, "y");
  cut.output("y");
  CHECK(names_all(refusal_of(cut.model), {"\"w\"", "2 elements", "3"}));
}

TEST_CASE("external data is read beside the model, and refused where it is missing, short or elsewhere") {
  ttune_test::temporary_folder const folder;
  model_builder made;
  made.input("x", {2});
  auto* const w = made.weights("w", {2}, 1);
  w->clear_float_data();
  w->set_data_location(onnx::TensorProto::EXTERNAL);
  auto* const location = w->add_external_data();
  location->set_key("location");
  location->set_value("w.bin");
  made.node("Add", {"x", "w"}, "y");
  made.output("y");
  auto const model = folder / "model.onnx";
  std::ofstream(model, std::ios::binary) << made.model.SerializeAsString();
  auto const why = [&](std::string const& path) {
    try {
      (void)read_onnx(path);
    } catch (onnx_error const& refusal) {
      return std::string(refusal.what());
    }
    return std::string("was read");
  };
  CHECK(names_all(why(model), {"model.onnx", "\"w\"", "w.bin"}));
  std::ofstream(folder / "w.bin", std::ios::binary) << "1234";
  CHECK(names_all(why(model), {"\"w\"", "too short"}));
  float const numbers[] = {1, 2};
  std::ofstream(folder / "w.bin", std::ios::binary).write(reinterpret_cast<char const*>(numbers), sizeof numbers);
  ir::ndarray x(dtype::f32, {2});
  CHECK(evaluate(read_onnx(model), {x}).front().reals == std::vector<double>{1, 2});
  location->set_value("../w.bin");
  CHECK(names_all(refusal_of(made.model), {"\"w\"", "folder of the model"}));
  CHECK(names_all(why(folder / "none.onnx"), {"none.onnx", "cannot be opened"}));
}

TEST_CASE("symbolic dimensions get their values from the options") {
  model_builder made;
  auto* const input = made.input("x", {1, 3});
  input->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("batch");
  made.node("Relu", {"x"}, "y");
  made.output("y");
  CHECK(names_all(refusal_of(made.model), {"\"x\"", "batch", "dimensions"}));
  onnx_options by_symbol;
  by_symbol.dimensions["batch"] = 5;
  CHECK(ttune_test::read(made.model, by_symbol).tensors().front().shape == std::vector<std::int64_t>{5, 3});
  onnx_options by_input;
  by_input.shapes["x"] = {7, 3};
  CHECK(ttune_test::read(made.model, by_input).tensors().front().shape == std::vector<std::int64_t>{7, 3});
  by_symbol.dimensions["batch"] = -5;
  CHECK(names_all(refusal_of(made.model, by_symbol), {"x"}));
}

TEST_CASE("a reshape chain of an exporter becomes a view") {
  model_builder made;
  made.input("x", {2, 3, 4});
  made.integers("zero", {0});
  made.integers("minus_one", {-1});
  made.node("Shape", {"x"}, "shape");
  made.node("Gather", {"shape", "zero"}, "rows");
  ttune_test::set_integer(made.node("Concat", {"rows", "minus_one"}, "wanted"), "axis", 0);
  made.node("Reshape", {"x", "wanted"}, "y");
  made.output("y");
  auto const net = ttune_test::read(made.model);
  REQUIRE(net.operators().size() == 1);
  CHECK(net.operators().front().is_view());
  CHECK(net.tensors()[net.outputs().front()].shape == std::vector<std::int64_t>{2, 12});
}

TEST_CASE("inputs and constants that are outputs are copied") {
  model_builder made;
  made.input("x", {2});
  made.integers("c", {4, 5});
  made.node("Identity", {"x"}, "y");
  for (auto const* const name : {"x", "y", "c"}) made.output(name);
  ir::ndarray x(dtype::f32, {2});
  x.reals = {1, 2};
  auto const found = evaluate(ttune_test::read(made.model), {x});
  CHECK(found[0].reals == x.reals);
  CHECK(found[1].reals == x.reals);
  CHECK(found[2].integers == std::vector<std::int64_t>{4, 5});
}

TEST_CASE("users add converters of their own") {
  model_builder made;
  made.input("x", {2});
  made.node("Twice", {"x"}, "y")->set_domain("my.domain");
  made.output("y");
  CHECK(names_all(refusal_of(made.model), {"my.domain.Twice"}));
  onnx_options options;
  options.converters.add(
      "Twice",
      [](onnx_context& to, onnx_node const&) {
        auto const& operand = to.input(0);
        onnx_kernel kernel(to);
        auto const X = kernel.read(operand);
        kernel.result(operand.type, operand.shape, [&](auto const& at) { return X(at) + X(at); });
      },
      "my.domain");
  ir::ndarray x(dtype::f32, {2});
  x.reals = {1, 2};
  CHECK(evaluate(ttune_test::read(made.model, options), {x}).front().reals == std::vector<double>{2, 4});
}

}  // namespace odd_models_tests
