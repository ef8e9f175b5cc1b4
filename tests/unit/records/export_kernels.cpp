// SPDX-License-Identifier: Apache-2.0
#include "ttune/records/export_kernels.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/machine_code.hpp"
#include "support/require.hpp"
#include "support/shape_images.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/records/export/exported_kernel.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/shape_keys.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/support/hash.hpp"

namespace export_kernels_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

record put(record_store& store, kernel_image image, std::string const& name, std::string const& target = "x86_64 old",
           std::string const& features = "", std::uint64_t compute = 0, double seconds = 1) {
  image.signature.name = name;
  image.target = target;
  image.features = features;
  record r;
  r.key.compute = compute ? compute : hasher{}.add(name).value();
  r.key.compute_text = name + "(A f# (#)) -> C f# (#)";
  r.key.extents = {image.signature.operands[0].elements()};
  r.key.target = target + " x2";
  r.lowering_version = lowering_version;
  r.result.seconds = seconds;
  store.put_image(r, to_bytes(image));
  return r;
}

std::string read(std::string const& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns the bytes between a label and its size in an exported assembler file.
std::vector<std::uint8_t> bytes_of(std::string const& code, std::string const& symbol) {
  auto const begin = code.find("\n" + symbol + ":");
  REQUIRE(begin != std::string::npos);
  std::istringstream lines(code.substr(begin, code.find(".size " + symbol + ",") - begin));
  std::vector<std::uint8_t> made;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  .byte ")) continue;
    std::istringstream numbers(line.substr(8));
    for (std::string one; std::getline(numbers, one, ',');) made.push_back(static_cast<std::uint8_t>(std::stoi(one)));
  }
  return made;
}

/// Returns the message of the exception that an export throws.
std::string refusal(record_store const& store, export_options options) {
  try {
    options.archive = export_archive::never;
    (void)export_kernels(store, options);
  } catch (error const& e) {
    return e.what();
  }
  return "it was exported";
}

export_report write(record_store const& store, temporary_folder const& folder, std::vector<std::string> kernels = {}) {
  return export_kernels(
      store, {.folder = folder.path(), .name = "lib", .kernels = std::move(kernels), .archive = export_archive::never});
}

}  // namespace

TEST_CASE("export_kernels: the assembler has the bytes of the images") {
  memory_store store;
  auto const copy = copy_image(10), prepared = prepared_image(20);
  put(store, copy, "copy");
  put(store, prepared, "packed");
  temporary_folder const folder;
  auto const made = write(store, folder);
  CHECK(made.left_out.empty());
  CHECK(made.no_archive.empty());
  REQUIRE(made.functions.size() == 2);
  CHECK(made.functions[0].name == "lib_copy");
  CHECK(made.functions[0].title == "copy(A 10)");
  CHECK(made.functions[0].targets == std::vector<std::string>{"x86_64 old"});
  auto const code = read(folder / "lib_code.S");
  CHECK(bytes_of(code, "lib_copy_0_old") == copy.code);
  auto both = bytes_of(code, "lib_packed_0_old");
  auto const second = bytes_of(code, "lib_packed_0_old_prepare");
  both.insert(both.end(), second.begin(), second.end());
  CHECK(both == prepared.code);
  auto const header = read(folder / "lib.h");
  CHECK(header.find("lib_packed_prepare(float const *") != std::string::npos);
  CHECK(header.find("lib_copy_prepare(") == std::string::npos);
}

TEST_CASE("export_kernels: variants are tried with the most instructions first, the faster of equals alone") {
  memory_store store;
  put(store, copy_image(), "copy", "x86_64 v2", "+sse4.2", 5, 1);
  put(store, copy_image(), "copy", "x86_64 slow", "+avx2,+sse4.2", 5, 3);
  put(store, copy_image(), "copy", "x86_64 fast", "+sse4.2,+avx2,+tuned-for-tests", 5, 2);
  put(store, copy_image(), "copy", "aarch64 a", "+neon", 5, 1);
  temporary_folder const folder;
  auto const made = write(store, folder);
  REQUIRE(made.functions.size() == 1);
  CHECK(made.functions[0].targets == std::vector<std::string>{"aarch64 a", "x86_64 fast", "x86_64 v2"});
  auto const only = export_kernels(
      store,
      {.folder = folder.path(), .name = "lib", .targets = {"x86_64 v", "aarch64"}, .archive = export_archive::never});
  CHECK(only.functions.at(0).targets == std::vector<std::string>{"aarch64 a", "x86_64 v2"});
}

TEST_CASE("export_kernels: names of functions differ, and can be chosen") {
  memory_store store;
  put(store, copy_image(10), "copy", "x86_64 old", "", 1);
  auto const other = put(store, copy_image(20), "copy", "x86_64 old", "", 2);
  put(store, copy_image(20), "copy", "x86_64 old", "", 3);  // the same shape, another program
  put(store, copy_image(5), "int", "x86_64 old", "", 4);
  put(store, copy_image(5), "a-b", "x86_64 old", "", 5);
  put(store, copy_image(5), "status", "x86_64 old", "", 6);
  temporary_folder const folder;
  std::vector<std::string> names;
  for (auto const& f : write(store, folder).functions) names.push_back(f.name);
  CHECK(names == std::vector<std::string>{"lib_a_b", "lib_copy_10", "lib_copy_20", "lib_copy_20_0000000000000003",
                                          "lib_int_", "lib_status_5"});
  names.clear();
  auto const id = id_of(other.key);
  for (auto const& f : write(store, folder, {"int=small", id.substr(0, 12) + "=big"}).functions)
    names.push_back(f.name);
  CHECK(names == std::vector<std::string>{"lib_big", "lib_small"});
  CHECK(refusal(store, {.folder = folder.path(), .kernels = {"copy=same"}}).find("two functions would be called") == 0);
}

TEST_CASE("export_kernels: what cannot be exported is named, with the reason") {
  memory_store store;
  put(store, copy_image(), "copy");
  auto device = copy_image();
  device.device = "opencl";
  put(store, device, "blocks");
  auto open = copy_image();
  operand_info extents;
  extents.name = "extents";
  extents.type = dtype::i64;
  extents.shape = {1};
  extents.direction = operand_direction::extents;
  open.signature.operands.push_back(extents);
  put(store, open, "open");
  auto const stale = put(store, copy_image(), "stale");
  auto older = stale;
  older.lowering_version = lowering_version - 1;
  older.timestamp = 5;
  auto image = copy_image();
  store.put_image(older, to_bytes(image));
  put(store, image, "risc", "riscv64 x");
  auto const broken = put(store, image, "broken");
  store.put_image(broken, std::vector<std::uint8_t>{1, 2, 3});
  temporary_folder const folder;
  auto const made = write(store, folder);
  CHECK(made.functions.size() == 1);
  REQUIRE(made.left_out.size() == 5);
  CHECK(made.left_out[0].find("is code for opencl; only code of CPUs") != std::string::npos);
  CHECK(made.left_out[1].find("takes extents from each call, but which calls is not in the store: `tune_shapes`") !=
        std::string::npos);
  CHECK(made.left_out[2].find("another version of ttune: tune it again") != std::string::npos);
  CHECK(made.left_out[3].find("is code for \"riscv64 x\"") != std::string::npos);
  CHECK(made.left_out[4].starts_with("broken(A 1000) for x86_64 old x2 ("));
}

TEST_CASE("export_kernels: kernels for many shapes are one function, with the choice among them") {
  memory_store store;
  auto const all = two_copies();
  record part = put(store, all.kernels[0].image, "copy"), together = part;
  together.key.compute_text += detail::text_of_shapes;
  together.key.space = 7;
  store.put_image(together, to_bytes(all));
  temporary_folder const folder;
  auto const made = write(store, folder);
  CHECK(made.left_out.empty());  // the part needs no function of its own
  REQUIRE(made.functions.size() == 1);
  CHECK(made.functions[0].name == "lib_copy");
  CHECK(made.functions[0].title == "copy(A N)");
  auto const header = read(folder / "lib.h");
  CHECK(header.find("lib_copy(float const *A, float *C, int64_t N, lib_context const *context)") != std::string::npos);
  CHECK(header.find(" *   N  within [1, 100]\n") != std::string::npos);
  auto const source = read(folder / "lib.c");
  CHECK(source.find("  if (e[0] <= 16) {\n    return 1;\n  }\n  return 0;\n") != std::string::npos);
  CHECK(source.find("  if (N < 1 || N > 100) return LIB_BAD_EXTENT;\n") != std::string::npos);
  auto const code = read(folder / "lib_code.S");
  CHECK(bytes_of(code, "lib_copy_0_generic_shapes_0") == all.kernels[0].image.code);
  CHECK(bytes_of(code, "lib_copy_0_generic_shapes_1") == all.kernels[1].image.code);
}

TEST_CASE("export_kernels: wrong requests are refused with the culprit and the fix") {
  memory_store store;
  temporary_folder const folder;
  auto const at = [&](export_options options) {
    options.from = "my.db";
    if (options.folder == ".") options.folder = folder.path();
    return refusal(store, options);
  };
  CHECK(at({}).find("my.db has no kernels to export: tune with a database") == 0);
  put(store, copy_image(), "copy");
  put(store, copy_image(), "blur", "aarch64 b");
  CHECK(at({.kernels = {"blurr"}}) == "my.db has no kernel \"blurr\" to export; there are blur, copy");
  CHECK(at({.kernels = {"copy=3d"}}) == "\"copy=3d\": \"3d\" cannot be the name of a function in C");
  CHECK(at({.kernels = {"copy=for"}}).find("cannot be the name") != std::string::npos);
  CHECK(at({.kernels = {"=x"}}).find("names no kernel: write OPERATOR") != std::string::npos);
  CHECK(at({.targets = {"sparc"}}) ==
        "my.db has no kernel for the target \"sparc\"; there are aarch64 b x2, x86_64 old x2");
  CHECK(at({.name = "my-lib"}).find("\"my-lib\" cannot begin the names of functions in C") == 0);
  CHECK(at({.name = "namespace"}).find("\"namespace\" cannot begin") == 0);
  std::ofstream(folder / "file") << "x";
  CHECK(at({.folder = folder / "file"}).find("cannot be made") != std::string::npos);
  CHECK(at({.folder = folder / "file/below"}).find("cannot be made") != std::string::npos);
  CHECK(at({.folder = "/proc/self/nothing"}).find("name another folder") != std::string::npos);
  CHECK(std::filesystem::directory_iterator(folder.path()) != std::filesystem::directory_iterator());
  for (auto const& entry : std::filesystem::directory_iterator(folder.path())) CHECK(entry.path().filename() == "file");
}

TEST_CASE("export_kernels: without a compiler there are sources, and no archive of other sources stays") {
  memory_store store;
  put(store, copy_image(), "copy");
  temporary_folder const folder;
  std::ofstream(folder / "liblib.a") << "an older archive";
  export_options options{.folder = folder.path(), .name = "lib", .compiler = "no-such-compiler -O2"};
  auto const made = export_kernels(store, options);
  CHECK(made.no_archive == "no-such-compiler is no program here: CC names the C compiler");
  CHECK(made.files.size() == 3);
  CHECK(!std::filesystem::exists(folder / "liblib.a"));
  options.archive = export_archive::always;
  CHECK_THROWS_WITH_AS((void)export_kernels(store, options), made.no_archive.c_str(), backend_error);
  options.compiler = "false";
  CHECK_THROWS_AS((void)export_kernels(store, options), backend_error);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3);  // no draft stays
}

TEST_CASE("export_kernels: operands of all types and names are C without warnings, in two libraries of one program") {
  TTUNE_SKIP_UNLESS("cc", std::system("command -v cc > /dev/null") == 0, "no C compiler is installed");
  auto image = image_of({}, code::ret());
  for (int t = 0; t < static_cast<int>(dtype::index); ++t) {
    auto const names =
        std::array{"int", "I", "I", "O.value", "a b", "", "2nd", "*/", "context", "x", "y", "z", "\"$NAME"};
    auto const directions = {operand_direction::in, operand_direction::constant, operand_direction::inout,
                             operand_direction::out};
    auto o = operand(names[static_cast<std::size_t>(t) % names.size()], 3, std::data(directions)[t % 4],
                     static_cast<dtype>(t));
    o.has_range = o.direction == operand_direction::in && is_integer(o.type);
    o.high = 7;
    if (t == 3) o.shape = {};
    image.signature.operands.push_back(o);
  }
  image.signature.prepared_bytes = {64, 10};
  image.prepare_offset = 0;
  memory_store store;
  put(store, image, "*/ all $NAME \"\\ types");
  temporary_folder const folder;
  std::string const flags = "-std=c11 -O1 -Wall -Wextra -Werror -pedantic -Wcast-qual -Wconversion";
  for (auto const* const name : {"one", "two"})
    CHECK(
        export_kernels(
            store, {.folder = folder.path(), .name = name, .archive = export_archive::always, .compiler_flags = flags})
            .files.size() == 4);
  std::ofstream(folder / "main.c") << R"(#include "one.h"
#include "two.h"
int main(void) { return one_free != two_free && ONE_OK == 0 && TWO_BAD_BUFFER == 4 && TWO_BAD_EXTENT == 5 ? 0 : 1; }
)";
  auto const at = folder.path();
  CHECK(std::system(("cd " + at + " && cc " + flags + " main.c libone.a libtwo.a -lm -o main && ./main").c_str()) == 0);
}

}  // namespace export_kernels_tests
