// SPDX-License-Identifier: Apache-2.0
// The models of ONNX' own test suite, one operator each (libonnx-testdata): what is read computes the expected results
// in the interpreter, and what is not read is refused by onnx_error.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "model_files.hpp"
#include "support/require.hpp"
#include "ttune/network/network_text.hpp"

namespace node_models_tests {

using namespace ttune;

namespace {

struct outcomes {
  std::vector<std::string> read, refused, wrong;
};

/// Returns whether a network is the same after it was written as text and read back.
bool is_same_as_text(network_graph const& net) {
  std::ostringstream written;
  write_weights(net, written);
  auto const weights = std::make_shared<std::string>(written.str());
  auto const text = to_text(net);
  auto const read = network_from_text(text, {weights, weights->data()}, static_cast<std::int64_t>(weights->size()));
  return to_text(read) == text;
}

/// Returns why the results are wrong; empty if they are right.
std::string check_model(onnx::ModelProto const& model, std::vector<onnx::TensorProto> const& inputs,
                        std::vector<onnx::TensorProto> const& outputs) {
  // a scale that is computed in f32 rounds halves in another way than one in f64
  bool const by_computed_scale = model.graph().name().find("dynamicquantize") != std::string::npos;
  ttune_test::tolerance const tolerance{1e-3, by_computed_scale ? 1 : 0};
  std::vector<bool> constant;
  auto const net = ttune_test::read_with_constants(model, inputs, constant);
  std::vector<ir::ndarray> given;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!constant[i]) given.push_back(ttune_test::elements_of(inputs[i]));
  auto const found = evaluate(net, given);
  if (!is_same_as_text(net)) return "the network reads back from its text as another one";
  if (found.size() != outputs.size()) return "another number of results";
  for (std::size_t i = 0; i < found.size(); ++i)
    if (auto const why = ttune_test::difference(found[i], ttune_test::elements_of(outputs[i]), tolerance); !why.empty())
      return "result " + std::to_string(i) + ": " + why;
  return {};
}

void try_model(std::filesystem::path const& folder, outcomes& all) {
  auto const name = folder.filename().string();
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(ttune_test::bytes_of_file(folder / "model.onnx")));
  std::vector<onnx::TensorProto> inputs, outputs;
  bool const has_tensors =
      ttune_test::read_tensors(folder, "input", inputs) && ttune_test::read_tensors(folder, "output", outputs);
  try {
    if (!has_tensors) (void)ttune_test::read(model);
    auto const why = has_tensors ? check_model(model, inputs, outputs) : "no tensors";
    if (why.empty()) all.read.push_back(name);
    else all.wrong.push_back(name + ": " + why);
  } catch (onnx_error const& refusal) {
    all.refused.push_back(name + ": " + refusal.what());
  } catch (std::exception const& failure) {
    all.wrong.push_back(name + ": " + failure.what());
  }
}

/// Those with BFLOAT16 store tensors of that type as u16; `align_corners` is computed there with a result whose length
/// is not rounded.
bool has_wrong_tensors(std::string const& name) {
  auto const has = [&](char const* part) { return name.find(part) != std::string::npos; };
  return has("BFLOAT16") || (has("resize_downsample") && has("align_corners"));
}

outcomes try_models(std::string const& kind) {
  outcomes all;
  std::vector<std::filesystem::path> folders;
  for (auto const& entry : std::filesystem::directory_iterator(ttune_test::onnx_data / kind))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (auto const& folder : folders)
    if (!has_wrong_tensors(folder.string())) try_model(folder, all);
  if (ttune_test::long_run())
    for (auto const& one : all.refused) MESSAGE("refused: " << one);
  for (auto const& one : all.wrong) CHECK_MESSAGE(false, one);
  MESSAGE(kind << ": " << all.read.size() << " read, " << all.refused.size() << " refused");
  return all;
}

}  // namespace

TEST_CASE("ONNX models of one operator compute what ONNX expects") {
  TTUNE_SKIP_UNLESS("onnx-testdata", std::filesystem::exists(ttune_test::onnx_data),
                    "libonnx-testdata is not installed");
  CHECK(try_models("node").read.size() >= 661);
}

TEST_CASE("ONNX models that PyTorch wrote compute what ONNX expects") {
  TTUNE_SKIP_UNLESS("onnx-testdata", std::filesystem::exists(ttune_test::onnx_data),
                    "libonnx-testdata is not installed");
  CHECK(try_models("pytorch-converted").read.size() == 82);
  CHECK(try_models("pytorch-operator").read.size() == 35);
  CHECK(try_models("simple").read.size() >= 7);
}

}  // namespace node_models_tests
