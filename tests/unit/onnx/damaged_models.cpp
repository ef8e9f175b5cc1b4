// SPDX-License-Identifier: Apache-2.0
// Models that are cut off, or have wrong bytes, are read or refused by onnx_error: nothing else happens.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model_builder.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/support/rng.hpp"

namespace damaged_models_tests {

using namespace ttune;

namespace {

/// Reads the bytes. Returns true if they were refused; other exceptions fail the test.
bool is_refused(std::string const& bytes) {
  try {
    (void)read_onnx(ttune_test::bytes_of(bytes));
  } catch (onnx_error const&) {
    return true;
  } catch (std::exception const& failure) {
    FAIL_CHECK(failure.what());
  }
  return false;
}

/// A model with many kinds of operators, whose attributes and extents can be damaged.
std::string bytes_of_model() {
  ttune_test::model_builder made;
  made.input("x", {1, 2, 6, 6});
  made.weights("w", {4, 2, 3, 3}, 1);
  ttune_test::set_integers(made.node("Conv", {"x", "w"}, "c"), "pads", {1, 1, 1, 1});
  ttune_test::set_integers(made.node("MaxPool", {"c"}, "p"), "kernel_shape", {2, 2});
  made.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  made.node("Pad", {"p", "pads"}, "q");
  made.node("Shape", {"q"}, "s");
  made.integers("first", {0});
  made.node("Gather", {"s", "first"}, "n");
  made.integers("rest", {-1});
  ttune_test::set_integer(made.node("Concat", {"n", "rest"}, "flat"), "axis", 0);
  made.node("Reshape", {"q", "flat"}, "f");
  made.integers("starts", {1});
  made.integers("ends", {100});
  made.node("Slice", {"f", "starts", "ends", "starts"}, "sliced");
  made.node("ConstantOfShape", {"n"}, "zeros");
  made.node("Add", {"sliced", "zeros"}, "sum");
  ttune_test::set_integer(made.node("Softmax", {"sum"}, "y"), "axis", 1);
  made.output("y");
  return made.model.SerializeAsString();
}

void flip_bytes(std::string& bytes, rng& random) {
  for (auto flips = 1 + random.below(3); flips > 0; --flips)
    bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
}

}  // namespace

TEST_CASE("models that are cut off are refused, or read") {
  auto const whole = bytes_of_model();
  REQUIRE(!is_refused(whole));
  std::size_t refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) refused += is_refused(whole.substr(0, length)) ? 1 : 0;
  CHECK(refused > whole.size() / 2);
}

TEST_CASE("models with wrong bytes are refused, or read") {
  auto const whole = bytes_of_model();
  rng random(ttune_test::seed());
  std::size_t refused = 0;
  std::size_t const count = ttune_test::long_run() ? 100000 : 3000;
  for (std::size_t i = 0; i < count; ++i) {
    auto bytes = whole;
    flip_bytes(bytes, random);
    refused += is_refused(bytes) ? 1 : 0;
  }
  CHECK(refused > count / 10);
}

TEST_CASE("models of the test data with wrong bytes are refused, or read") {
  TTUNE_SKIP_UNLESS("onnx-testdata", std::filesystem::exists(ttune_test::onnx_data),
                    "libonnx-testdata is not installed");
  rng random(ttune_test::seed());
  std::size_t refused = 0;
  for (auto const& entry : std::filesystem::directory_iterator(ttune_test::onnx_data / "node")) {
    auto bytes = ttune_test::bytes_of_file(entry.path() / "model.onnx");
    for (int i = 0; i < (ttune_test::long_run() ? 100 : 3); ++i) {
      auto damaged = bytes;
      flip_bytes(damaged, random);
      refused += is_refused(damaged) ? 1 : 0;
    }
  }
  CHECK(refused > 0);
}

}  // namespace damaged_models_tests
