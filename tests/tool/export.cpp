// SPDX-License-Identifier: Apache-2.0
// `ttune export`: the command line, and its messages. What it writes is tested in tests/unit/records and
// tests/unit/orc.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "run_tool.hpp"
#include "support/machine_code.hpp"
#include "support/require.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/runtime/image_io.hpp"

namespace export_tests {

using namespace ttune;
using ttune_test::run;

namespace {

void put(record_store& store, kernel_image image, std::string const& name, std::string const& features = "") {
  image.signature.name = name;
  image.features = features;
  image.target = "x86_64 test" + features;
  record r;
  r.key.compute = static_cast<std::uint64_t>(name[0]);
  r.key.compute_text = name + "(A f# (#)) -> C f# (#)";
  r.key.extents = {1000, 1000};
  r.key.target = image.target;
  r.lowering_version = lowering_version;
  r.result.seconds = 1;
  store.put_image(r, to_bytes(image));
}

/// A database with a copy for two instruction sets, one of which no processor has, and a kernel with a constant.
struct database {
  ttune_test::temporary_folder folder;
  std::string path = folder / "kernels.db";
  database() {
    sqlite store(path);
    put(store, ttune_test::copy_image(), "copy");
    put(store, ttune_test::copy_and(ttune_test::code::illegal_instruction()), "copy", "+fma4,+amx-int8,+xop");
    put(store, ttune_test::prepared_image(), "packed");
  }
};

}  // namespace

TEST_CASE("ttune export: writes a library that a C program links, and names its files and functions") {
  TTUNE_SKIP_UNLESS("cc", std::system("command -v cc > /dev/null") == 0, "no C compiler is installed");
  database const db;
  auto const to = db.folder / "out";
  auto const made = run({"export", db.path, "-o", to, "--name", "small", "--kernel", "copy=duplicate", "--kernel",
                         "packed", "--archive"});
  CHECK_MESSAGE(made.status == 0, made.out);
  for (auto const* const part : {"small_duplicate  copy(A 1000)", "    x86_64 test\n", "small_packed  packed(A 1000)",
                                 "/small.h\n", "/small.c\n", "/small_code.S\n", "/libsmall.a\n"})
    CHECK_MESSAGE(made.says(part), made.out);
  for (auto const& entry : std::filesystem::directory_iterator(to))
    CHECK(entry.path().filename().string().find("small") != std::string::npos);
#if defined(__x86_64__)
  std::ofstream(to + "/main.c") << R"(#include "small.h"
int main(void) {
  static float a[1000] = {[999] = 3}, c[1000], d[1000];
  void *prepared = 0;
  if (small_duplicate(a, c, 0) != SMALL_OK || c[999] != 3) return 1;
  if (small_packed_prepare(a, &prepared, 0) != SMALL_OK) return 2;
  if (small_packed(a, d, prepared, 0) != SMALL_OK || d[999] != 3) return 3;
  small_free(prepared);
  return 0;
}
)";
  CHECK(std::system(
            ("cd " + to + " && cc -Wall -Wextra -Werror -pedantic main.c libsmall.a -lm -o main && ./main").c_str()) ==
        0);
#endif
}

TEST_CASE("ttune export: refuses with the culprit and the fix") {
  database const db;
  auto const says = [&](std::vector<std::string> const& words, std::string const& text) {
    auto line = std::vector<std::string>{"export"};
    line.insert(line.end(), words.begin(), words.end());
    auto const made = run(line);
    CHECK(made.status == 1);
    CHECK_MESSAGE(made.says("ttune: " + text), made.out);
  };
  auto const to = db.folder / "out";
  says({db.folder / "none.db", "-o", to}, db.folder / "none.db");
  CHECK(!std::filesystem::exists(to));
  sqlite(db.folder / "empty.db").append({});
  says({db.folder / "empty.db", "-o", to}, db.folder / "empty.db has no kernels to export: tune with a database");
  says({db.path, "-o", to, "--kernel", "cpy"}, db.path + " has no kernel \"cpy\" to export; there are copy, packed");
  says({db.path, "-o", to, "--target", "aarch64"}, db.path + " has no kernel for the target \"aarch64\"; there are");
  says({db.path, "-o", to, "--name", "a-b"}, "\"a-b\" cannot begin the names of functions");
  says({db.path, "-o", db.path}, db.path + " cannot be made");
  auto const locked = db.folder / "locked";
  std::filesystem::create_directory(locked);
  ::chmod(locked.c_str(), 0500);
  if (::geteuid() != 0)
    says({db.path, "-o", locked}, locked + " cannot be written to: Permission denied; name another");
  CHECK(run({"export"}).status == 2);
  CHECK(run({"export", db.path, "--archive", "--sources"}).status == 2);
}

TEST_CASE("ttune export: sources without a compiler, and images left out") {
  database const db;
  {
    sqlite store(db.path);
    auto image = ttune_test::copy_image();
    image.device = "cuda";
    put(store, image, "blocks");
  }
  ::setenv("CC", "no-such-compiler", 1);
  auto const to = db.folder / "out";
  auto const made = run({"export", db.path, "--to", to});
  auto const strict = run({"export", db.path, "--to", to, "--archive"});
  ::unsetenv("CC");
  CHECK(made.status == 1);
  CHECK_MESSAGE(made.says("ttune: left out: blocks(A 1000) for x86_64 test ("), made.out);
  CHECK_MESSAGE(made.says("ttune: no archive is made: no-such-compiler is no program here: CC names"), made.out);
  CHECK(std::filesystem::exists(to + "/kernels.h"));
  CHECK(strict.status == 1);
  CHECK(strict.says("ttune: no-such-compiler is no program here"));
}

TEST_CASE("ttune export: killed while it compiles, it leaves no archive, old or half, and no file of its own") {
  database const db;
  auto const to = db.folder / "out", killer = db.folder / "compiler";
  std::ofstream(killer) << "#!/bin/sh\nkill -9 $PPID\n";
  ::chmod(killer.c_str(), 0700);
  std::filesystem::create_directory(to);
  ::setenv("CC", killer.c_str(), 1);
  auto const killed = run({"export", db.path, "-o", to, "| cat"});
  ::unsetenv("CC");
  CHECK_MESSAGE(killed.out.find("kernels.h") == std::string::npos, killed.out);
  for (auto const& entry : std::filesystem::directory_iterator(to))
    CHECK(entry.path().filename().string().starts_with(".kernels-"));  // an unfinished draft
}

}  // namespace export_tests
