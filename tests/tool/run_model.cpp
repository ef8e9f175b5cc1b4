// SPDX-License-Identifier: Apache-2.0
// `ttune run` and `ttune emit-cpp`: networks of ONNX models.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "run_tool.hpp"
#include "support/require.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/sqlite.hpp"

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

TEST_CASE("ttune emit-cpp: refuses what it cannot read, with the reason") {
  ttune_test::temporary_folder const folder;
  CHECK(run({"emit-cpp", folder / "none.onnx"}).status == 2);  // no folder to write to
  auto const missing = run({"emit-cpp", folder / "none.onnx", "--to", folder / "out"});
  CHECK(missing.status == 1);
  auto const model = "/usr/share/libonnx-testdata/data/pytorch-converted/test_Conv2d/model.onnx";
  if (missing.says("built without") || !std::filesystem::exists(model)) return;
  CHECK(missing.says("none.onnx"));
  ttune::sqlite(folder / "empty.db").append({});
  auto const empty = run({"emit-cpp", model, "--to", folder / "out", "--store", folder / "empty.db"});
  CHECK(empty.status == 1);
  CHECK_MESSAGE(empty.says("empty.db has no kernels of networks: `ttune run MODEL --store"), empty.out);
}
