// SPDX-License-Identifier: Apache-2.0
// `ttune run`: networks of ONNX models.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "run_tool.hpp"
#include "support/require.hpp"
#include "support/temporary_folder.hpp"

using ttune_test::run;

TEST_CASE("ttune run: refuses what it cannot read, with the reason") {
  ttune_test::temporary_folder const folder;
  auto const missing = run({"run", folder / "none.onnx", "--time", "0"});
  CHECK(missing.status == 1);
  CHECK((missing.says("none.onnx") || missing.says("built without")));
  CHECK(run({"run"}).status == 2);
  CHECK(run({"run", folder / "none.onnx", "--time", "-1"}).status == 2);
  for (auto const* const wrong : {"batch", "batch=", "batch=0", "=1"})
    CHECK(run({"run", folder / "none.onnx", "--dimension", wrong}).status == 1);
  CHECK(run({"run", folder / "none.onnx", "--shape", "x=1xx2"}).status == 1);
}

TEST_CASE("ttune run: shows the steps of a model") {
  auto const model = "/usr/share/libonnx-testdata/data/node/test_basic_conv_with_padding/model.onnx";
  TTUNE_SKIP_UNLESS("onnx-testdata", std::filesystem::exists(model), "libonnx-testdata is not installed");
  ttune_test::temporary_folder const folder;
  auto const made = run({"run", model, "--time", "0", "--store", folder / "records.db"});
  if (made.says("built without")) return;
  CHECK(made.status == 0);
  for (auto const* const part : {"input  x f32 (1, 1, 5, 5)", "output y f32", "Conv_0", "share", "1 steps"})
    CHECK_MESSAGE(made.says(part), made.out);
}
