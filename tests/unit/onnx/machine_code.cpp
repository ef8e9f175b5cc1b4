// SPDX-License-Identifier: Apache-2.0
// Models as machine code: the kernels of `tune_network` compute what ONNX expects.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "model_builder.hpp"
#include "model_files.hpp"
#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"

namespace machine_code_tests {

using namespace ttune;

namespace {

tuner fast_tuner() {
  tuner_options options;
  options.worker = worker::in_process{};
  return tuner(orc_backend{}, std::move(options));
}

using arrays = std::vector<std::vector<float>>;

template <std::size_t... I>
void call_with(tuned_network const& run, arrays& all, std::index_sequence<I...>) {
  run(all[I]...);
}

/// Calls a network with arrays of floats: inputs, then outputs.
void call(tuned_network const& run, arrays& all) {
  switch (all.size()) {
    case 1: return call_with(run, all, std::make_index_sequence<1>{});
    case 2: return call_with(run, all, std::make_index_sequence<2>{});
    case 3: return call_with(run, all, std::make_index_sequence<3>{});
    case 4: return call_with(run, all, std::make_index_sequence<4>{});
    case 5: return call_with(run, all, std::make_index_sequence<5>{});
    case 6: return call_with(run, all, std::make_index_sequence<6>{});
    case 7: return call_with(run, all, std::make_index_sequence<7>{});
    default: FAIL("more operands than the test can pass");
  }
}

bool all_floats(std::vector<onnx::TensorProto> const& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](auto const& t) { return t.data_type() == onnx::TensorProto::FLOAT; });
}

/// Tunes and calls a model of the test data; its operands that are no floats become constants. Returns why results
/// differ, and "not read" for models that the reader refuses.
std::string run_model(std::filesystem::path const& folder, tuner& by) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(ttune_test::bytes_of_file(folder / "model.onnx")));
  std::vector<onnx::TensorProto> inputs, outputs;
  if (!ttune_test::read_tensors(folder, "input", inputs) || !ttune_test::read_tensors(folder, "output", outputs) ||
      !all_floats(outputs))
    return "not read";
  std::vector<bool> constant;
  network_graph net("none");
  try {
    net = ttune_test::read_with_constants(model, inputs, constant, 1);
  } catch (onnx_error const&) {
    return "not read";
  }
  arrays all;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!constant[i]) {
      if (inputs[i].data_type() != onnx::TensorProto::FLOAT) return "not read";
      auto const values = ttune_test::elements_of(inputs[i]).reals;
      all.emplace_back(values.begin(), values.end());
    }
  auto const first = all.size();
  for (auto const output : net.outputs()) all.emplace_back(static_cast<std::size_t>(net.tensors()[output].elements()));
  call(tune_network(net, by, {.trials = 0}), all);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto const expected = ttune_test::elements_of(outputs[i]);
    ir::ndarray found(dtype::f32, expected.shape);
    for (std::size_t k = 0; k < found.reals.size(); ++k) found.reals[k] = static_cast<double>(all[first + i][k]);
    if (auto const why = ttune_test::difference(found, expected, {}); !why.empty()) return why;
  }
  return {};
}

/// One model of each kind of operator.
std::vector<std::string> const some_models = {"averagepool_2d_pads",
                                              "basic_conv_with_padding",
                                              "batchnorm_example",
                                              "concat_3d_axis_1",
                                              "conv_with_strides_and_asymmetric_padding",
                                              "convtranspose",
                                              "depthtospace_example",
                                              "gather_1",
                                              "gemm_all_attributes",
                                              "gru_with_initial_bias",
                                              "layer_normalization_3d_axis1_epsilon",
                                              "lstm_defaults",
                                              "matmul_4d",
                                              "maxpool_2d_ceil",
                                              "pow_bcast_array",
                                              "reduce_mean_do_not_keepdims_random",
                                              "resize_upsample_scales_linear",
                                              "softmax_axis_1",
                                              "transpose_all_permutations_3",
                                              "where_example"};

std::vector<std::string> all_models() {
  std::vector<std::string> made;
  for (auto const& entry : std::filesystem::directory_iterator(ttune_test::onnx_data / "node"))
    if (auto const name = entry.path().filename().string(); name.find("BFLOAT16") == std::string::npos)
      made.push_back(name.substr(5));
  std::sort(made.begin(), made.end());
  return made;
}

/// A stem with batch normalisation, a residual block, pooling and a classifier.
onnx::ModelProto small_cnn() {
  ttune_test::model_builder made;
  made.input("image", {1, 3, 12, 12});
  made.weights("stem", {8, 3, 3, 3}, 1);
  for (auto const* const name : {"gain", "shift", "mean"}) made.weights(name, {8}, 2);
  made.weights("variance", {8}, 3, 1.5);
  ttune_test::set_integers(made.node("Conv", {"image", "stem"}, "s"), "pads", {1, 1, 1, 1});
  made.node("BatchNormalization", {"s", "gain", "shift", "mean", "variance"}, "n");
  made.node("Relu", {"n"}, "r");
  made.weights("body", {8, 8, 3, 3}, 4);
  ttune_test::set_integers(made.node("Conv", {"r", "body"}, "b"), "pads", {1, 1, 1, 1});
  made.node("Add", {"b", "r"}, "sum");
  made.node("Relu", {"sum"}, "block");
  auto* const pool = made.node("MaxPool", {"block"}, "p");
  ttune_test::set_integers(pool, "kernel_shape", {2, 2});
  ttune_test::set_integers(pool, "strides", {2, 2});
  made.node("GlobalAveragePool", {"p"}, "g");
  made.node("Flatten", {"g"}, "flat");
  made.weights("classes", {8, 10}, 5);
  made.weights("bias", {10}, 6);
  made.node("Gemm", {"flat", "classes", "bias"}, "logits");
  made.node("Softmax", {"logits"}, "probabilities");
  made.output("probabilities");
  return made.model;
}

}  // namespace

TEST_CASE("models of one operator run as machine code") {
  TTUNE_SKIP_UNLESS("onnx-testdata", std::filesystem::exists(ttune_test::onnx_data),
                    "libonnx-testdata is not installed");
  auto by = fast_tuner();
  for (auto const& name : ttune_test::long_run() ? all_models() : some_models) {
    CAPTURE(name);
    auto const why = run_model(ttune_test::onnx_data / "node" / ("test_" + name), by);
    CHECK_MESSAGE((why.empty() || (why == "not read" && ttune_test::long_run())), why);
  }
}

TEST_CASE("a long sequence: recurrent layers of more steps than a kernel has operands") {
  for (std::string const kind : {"LSTM", "GRU", "RNN"}) {
    CAPTURE(kind);
    std::int64_t const gates = kind == "LSTM" ? 4 : kind == "GRU" ? 3 : 1;
    ttune_test::model_builder made;
    made.input("x", {70, 1, 6});
    made.weights("w", {1, 5 * gates, 6}, 1);
    made.weights("r", {1, 5 * gates, 5}, 2);
    made.weights("b", {1, 10 * gates}, 3);
    ttune_test::set_integer(made.node(kind, {"x", "w", "r", "b"}, "y"), "hidden_size", 5);
    made.output("y");
    auto const net = ttune_test::read(made.model);
    ir::ndarray x(dtype::f32, {70, 1, 6});
    for (std::size_t i = 0; i < x.reals.size(); ++i) x.set_number(i, static_cast<double>(i * 37 % 101) / 50 - 1);
    auto const expected = evaluate(net, {x}).front();
    auto by = fast_tuner();
    arrays all{{x.reals.begin(), x.reals.end()}, std::vector<float>(350)};
    call(tune_network(net, by, {.trials = 0}), all);
    for (std::size_t i = 0; i < 350; ++i)
      CHECK(static_cast<double>(all[1][i]) == doctest::Approx(expected.reals[i]).epsilon(1e-4));
  }
}

TEST_CASE("a small network of ONNX operators runs as machine code, with batch normalisation in the weights") {
  auto const net = ttune_test::read(small_cnn());
  for (auto const& op : net.operators()) CHECK(op.name.find("BatchNormalization") == std::string::npos);
  CHECK(net.operators().size() == 11);
  ir::ndarray image(dtype::f32, {1, 3, 12, 12});
  for (std::size_t i = 0; i < image.reals.size(); ++i) image.set_number(i, static_cast<double>(i * 37 % 101) / 50 - 1);
  auto const expected = evaluate(net, {image}).front();
  auto by = fast_tuner();
  arrays all{{image.reals.begin(), image.reals.end()}, std::vector<float>(10)};
  call(tune_network(net, by, {.trials = 4}), all);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(static_cast<double>(all[1][i]) == doctest::Approx(expected.reals[i]).epsilon(1e-4));
}

}  // namespace machine_code_tests
