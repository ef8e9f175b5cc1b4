// SPDX-License-Identifier: Apache-2.0
// Models as machine code: the kernels of `tune_network` compute what ONNX expects.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "model_files.hpp"
#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"

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
  return std::all_of(tensors.begin(), tensors.end(), [](auto const& t) { return t.data_type() == onnx::TensorProto::FLOAT; });
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
  for (auto const& input : inputs) constant.push_back(input.data_type() != onnx::TensorProto::FLOAT);
  network_graph net("none");
  try {
    net = ttune_test::read(ttune_test::with_constants(model, inputs, constant));
  } catch (onnx_error const&) {
    return "not read";
  }
  arrays all;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!constant[i]) {
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

}  // namespace

TEST_CASE("models of one operator run as machine code") {
  TTUNE_SKIP_UNLESS("onnx-testdata", std::filesystem::exists(ttune_test::onnx_data), "libonnx-testdata is not installed");
  auto by = fast_tuner();
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(ttune_test::onnx_data / "node")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  for (auto const& name : names) {
    if (char const* only = getenv("ONLY"); only && name.find(only) == std::string::npos) continue;
    fprintf(stderr, "%s\n", name.c_str());
    try { auto const why = run_model(ttune_test::onnx_data / "node" / name, by);
    if (why != "not read") CHECK_MESSAGE(why.empty(), name << ": " << why);
    } catch (std::exception const& e) { CHECK_MESSAGE(false, name << ": EXC " << e.what()); }
  }
}
