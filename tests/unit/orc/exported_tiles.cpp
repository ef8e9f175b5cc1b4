// SPDX-License-Identifier: Apache-2.0
// An exported kernel that uses registers for tiles asks the system for them, or another one runs.
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "support/require.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/export_kernels.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/tune/record_keys.hpp"
#include "ttune/tune/workload.hpp"

namespace exported_tiles_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

constexpr char const* program = R"(
#include "tiles.h"
#include <stdio.h>
#include <string.h>
static int8_t a[64 * 64], b[64 * 64];
static int32_t c[64 * 64];
int main(int count, char **words) {
  if (count > 1 && !tiles_forbid(words[1])) return 2;
  memset(a, 3, sizeof a);
  memset(b, -2, sizeof b);
  if (tiles_matmul(a, b, c, NULL) != TILES_OK) return 1;
  for (int i = 0; i < 64 * 64; ++i)
    if (c[i] != 64 * 3 * -2) return 1;
  puts(tiles_matmul_target());
  return 0;
}
)";

void put(record_store& store, target const& machine, double seconds) {
  orc_backend backend(machine);
  workload const work(derive_space(ops::matmul<std::int8_t>(64, 64, 64).program(), backend.target()), backend.target());
  auto const made = backend.compile(work.lower(work.seed()), work.signature());
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  record r;
  r.key = key_of(work.space(), backend.target(), objective::warm);
  r.lowering_version = lowering_version;
  r.result.status = trial_status::ok;
  r.result.seconds = seconds;
  store.put_image(r, to_bytes(*made.image));
}

}  // namespace

TEST_CASE("exported tiles: a program asks for the registers, and runs another kernel without them") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  TTUNE_SKIP_UNLESS("amx", probe_host().has_tiles, "this processor has no registers for tiles");
  TTUNE_SKIP_UNLESS("cc", has_program("cc"), "no C compiler is installed");
  memory_store store;
  put(store, named_target("x86-64-v4-amx"), 1);
  put(store, named_target("x86-64-v3"), 2);
  temporary_folder const folder;
  auto const made = export_kernels(store, {.folder = folder.path(),
                                           .name = "tiles",
                                           .archive = export_archive::always,
                                           .compiler = "cc",
                                           .compiler_flags = "-O2 -std=c11"});
  REQUIRE(made.functions.size() == 1);
  std::ofstream(folder / "main.c") << program;
  auto const built = shell("cc -std=c11 -I'" + folder.path() + "' '" + folder.path() + "/main.c' '" + folder.path() +
                           "/libtiles.a' -lm -o '" + folder.path() + "/main'");
  REQUIRE_MESSAGE(built.status == 0, built.text);
  auto const best = shell("'" + folder.path() + "/main'");
  CHECK_MESSAGE(best.status == 0, best.text);
  CHECK_MESSAGE(best.text.find("x86-64-v4-amx") != std::string::npos, best.text);
  auto const next = shell("'" + folder.path() + "/main' amx-tile");
  CHECK_MESSAGE(next.status == 0, next.text);
  CHECK_MESSAGE(next.text.find("x86-64-v3") != std::string::npos, next.text);
}

}  // namespace exported_tiles_tests
