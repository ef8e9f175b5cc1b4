// SPDX-License-Identifier: Apache-2.0
// Exported libraries, compiled as C and run: the same bits as the kernels that the library loads, the choice of an
// instruction set, and 64-bit ARM in an emulator.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "kernel_runs.hpp"
#include "support/emulator.hpp"
#include "support/require.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/records/export_kernels.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/tune/record_keys.hpp"

namespace exported_library_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Shape: A (256, 300) -> B (256, 300), in parallel
auto blur() {
  auto const [y, x] = axes<"y", "x">;
  tensor<"A", float, 2> const A{{256, 300}};
  auto const a = clamp_outside(A);
  auto const B = compute<"B">(y, x) = (a(y - 1, x) + a(y, x) + a(y + 1, x) + a(y, x - 1) + a(y, x + 1)) / 5;
  return op(inputs(A), outputs(B), "blur");
}

/// Shape: X (32, 64), W (64, 48) -> Y (32, 48), with functions of libm, and constants that are laid out
auto layer() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{32, 64}};
  constant<"W", float, 2> const W{{64, 48}};
  auto const Z = compute<"Z">(i, j) = sum(over(k), X(i, k) * W(k, j));
  auto const Y = compute<"Y">(i, j) = sin(Z(i, j) * 1e6F) + exp(Z(i, j));
  return op(inputs(X, W), outputs(Y), "layer");
}

/// Shape: X (32, 64) -> S (32)
auto sums() {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", float, 2> const X{{32, 64}};
  auto const S = compute<"S">(i) = sum(over(k), X(i, k));
  return op(inputs(X), outputs(S), "sums");
}

/// Shape: X (32, 64), a part of a larger matrix -> S (32)
auto part_sums() {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", float, 2, strided<row_major>> const X{{32, 64}};
  auto const S = compute<"S">(i) = sum(over(k), X(i, k));
  return op(inputs(X), outputs(S), "part_sums");
}

/// Compiles the untuned kernel of an operator for a target and puts it into a store.
template <class Op>
kernel_image put(record_store& store, Op const& op, target const& machine, double seconds = 1) {
  orc_backend backend(machine);
  workload const work(derive_space(op.program(), backend.target()), backend.target());
  auto const made = backend.compile(work.lower(work.seed()), work.signature());
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  record r;
  r.key = key_of(work.space(), backend.target(), objective::warm);
  r.lowering_version = lowering_version;
  r.result.status = trial_status::ok;
  r.result.seconds = seconds;
  store.put_image(r, to_bytes(*made.image));
  return *made.image;
}

target two_cores(char const* name) {
  auto machine = named_target(name);
  machine.cores = 2;
  return machine;
}

void demand(std::string const& command) {
  auto const done = shell(command);
  REQUIRE_MESSAGE(done.status == 0, command << "\n" << done.text);
}

/// Operands in files, and what the loaded kernels make of them.
struct trial {
  temporary_folder folder;
  rng random{7};

  std::vector<float> write(std::string const& name, std::size_t count) {
    std::vector<float> values(count);
    for (auto& v : values) v = static_cast<float>(random.uniform() * 2 - 1);
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<char const*>(values.data()), static_cast<std::streamsize>(count * sizeof(float)));
    return values;
  }
  [[nodiscard]] std::vector<std::uint8_t> read(std::string const& name) const {
    std::ifstream in(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

std::vector<std::uint8_t> bytes_of(std::vector<float> const& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Checks that files have the same bits as the results of images: by `run(image, memory)`.
template <class Run>
void check_bits(trial const& of, Run const& run, std::vector<std::vector<float>> const& operands,
                std::vector<kernel_image> const& images) {
  auto const expect = [&](std::size_t image, operand_bytes memory, char const* file) {
    auto const fault = run(images[image], memory);
    REQUIRE_MESSAGE(fault.empty(), fault);
    CHECK_MESSAGE(memory.back() == of.read(file), file);
  };
  auto const [a, x, w] = std::tuple(bytes_of(operands[0]), bytes_of(operands[1]), bytes_of(operands[2]));
  expect(0, {a, std::vector<std::uint8_t>(a.size())}, "blurred");
  expect(1, {x, w, std::vector<std::uint8_t>(std::size_t{4} * 32 * 48)}, "features");
  expect(2, {x, std::vector<std::uint8_t>(std::size_t{4} * 32)}, "summed");
}

/// Returns true if the code of an operator's seed calls a function of the runtime table.
template <class Op>
bool calls_table(Op const& op, target const& machine, std::size_t offset) {
  orc_backend const backend(machine);
  workload const work(derive_space(op.program(), backend.target()), backend.target());
  auto const text = backend.source(work.lower(work.seed()), work.signature());
  return text.find("ptr %runtime, i64 " + std::to_string(offset) + "\n") != std::string::npos;
}

std::vector<kernel_image> put_all(record_store& store, target const& machine, double seconds = 1) {
  return {put(store, blur(), machine, seconds), put(store, layer(), machine, seconds),
          put(store, sums(), machine, seconds)};
}

constexpr char const* warnings = " -std=c11 -Wall -Wextra -Werror -pedantic -Wshadow -Wstrict-prototypes ";

/// Exports to a folder and links the C program there. `compiler` is of C.
void build(record_store const& store, std::string const& folder, std::string const& compiler, std::string const& more) {
  auto const made = export_kernels(store, {.folder = folder,
                                           .name = "imaging",
                                           .archive = export_archive::always,
                                           .compiler = compiler,
                                           .compiler_flags = std::string("-O2") + warnings});
  CHECK(made.left_out.empty());
  REQUIRE(made.functions.size() == 3);
  demand(compiler + warnings + more + " -D_DEFAULT_SOURCE -I'" + folder +
         "' '" TTUNE_TESTS_DIR "/unit/orc/exported_main.c' '" + folder + "/libimaging.a' -lm -o '" + folder +
         "/exported'");
}

}  // namespace

TEST_CASE("exported library: the better instruction set is chosen, without it the next, without any an error code") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  auto const lacks = missing_features(named_target("x86-64-v3").features);
  TTUNE_SKIP_UNLESS("x86", is_host_architecture("x86_64") && lacks.empty(), "this machine has no x86-64-v3");
  TTUNE_SKIP_UNLESS("cc", has_program("cc") && has_program("nm"), "no C compiler is installed");
  memory_store store;
  CHECK(calls_table(layer(), two_cores("x86-64-v3"), offsetof(runtime_table, sin_f32)));
  CHECK(calls_table(blur(), two_cores("x86-64-v3"), offsetof(runtime_table, parallel)));
  CHECK(!calls_table(sums(), two_cores("x86-64-v3"), offsetof(runtime_table, sin_f32)));
  auto const older = put_all(store, two_cores("x86-64-v2"));
  CHECK(older[1].prepare_offset >= 0);
  auto const newer = put_all(store, two_cores("x86-64-v3"), 2);
  trial files;
  auto const& folder = files.folder.path();
  std::vector const operands{files.write("image", 256 * 300), files.write("x", 32 * 64), files.write("w", 64 * 48)};
  build(store, folder, "cc", "");

  auto const run = [&](std::string const& forbidden) { return shell(folder + "/exported " + folder + forbidden); };
  auto const best = run("");
  CHECK_MESSAGE(best.status == 0, best.text);
  CHECK_MESSAGE(best.text.find("target: x86_64 x86-64-v3") != std::string::npos, best.text);
  check_bits(files, run_here, operands, newer);
  auto const next = run(" avx2");
  CHECK_MESSAGE(next.status == 0, next.text);
  CHECK_MESSAGE(next.text.find("target: x86_64 x86-64-v2") != std::string::npos, next.text);
  check_bits(files, run_here, operands, older);
  auto const none = run(" avx2 sse4.2");
  CHECK_MESSAGE(none.status == 10, none.text);

  if (has_program("qemu-x86_64")) {  // processors that lack instructions in truth
    auto const on = [&](std::string const& processor) {
      return shell("qemu-x86_64 -cpu " + processor + " " + folder + "/exported " + folder);
    };
    CHECK(on("core2duo").status == 10);
    auto const nehalem = on("Nehalem");
    CHECK_MESSAGE(nehalem.status == 0, nehalem.text);
    CHECK_MESSAGE(nehalem.text.find("target: x86_64 x86-64-v2") != std::string::npos, nehalem.text);
  }

  // what the archive needs: libc, libm and itself
  auto const needed = shell("nm -u '" + folder + "/libimaging.a'");
  CHECK(needed.status == 0);
  std::istringstream words(needed.text);
  std::vector<std::string> const allowed{"expf",   "logf",
                                         "sinf",   "cosf",
                                         "tanhf",  "erff",
                                         "powf",   "exp",
                                         "log",    "sin",
                                         "cos",    "tanh",
                                         "erf",    "pow",
                                         "fmod",   "free",
                                         "memcmp", "aligned_alloc",
                                         "memset", "memcpy",
                                         "strcmp", "__stack_chk_fail",
                                         "U",      "_GLOBAL_OFFSET_TABLE_"};
  for (std::string word; words >> word;) {
    bool const own = word.starts_with("imaging_") || word.ends_with(".o:");
    CHECK_MESSAGE((own || std::ranges::find(allowed, word) != allowed.end()), word);
  }
  auto const sections = shell("readelf -SW '" + folder + "/libimaging.a' | grep ' .text.ttune_imaging'").text;
  CHECK_MESSAGE(sections.find(" AX ") != std::string::npos, sections);
  CHECK_MESSAGE(sections.find(" 4096") != std::string::npos, sections);
  auto const symbols = shell("readelf -sW '" + folder + "/libimaging.a'").text;
  CHECK(symbols.find("FUNC    GLOBAL HIDDEN") != std::string::npos);
  CHECK(symbols.find("imaging_blur_0_x86_64_v3") != std::string::npos);
}

TEST_CASE("exported library: overloads of C++ check the sizes of spans") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  TTUNE_SKIP_UNLESS("cc", has_program("cc") && has_program("c++"), "no C compiler is installed");
  memory_store store;
  put_all(store, orc_backend{}.target());
  put(store, part_sums(), orc_backend{}.target());
  temporary_folder const folder;
  (void)export_kernels(store, {.folder = folder.path(), .name = "imaging", .archive = export_archive::always});
  std::ofstream(folder / "spans.cpp") << R"(#include "imaging.h"
#include <vector>
int main() {
  std::vector<float> const image(256 * 300, 2), x(32 * 64, 1), w(64 * 48);
  std::vector<float> out(256 * 300), features(32 * 48), few(7);
  void *prepared = nullptr;
  if (imaging::blur(image, out) != IMAGING_OK || out[1000] != 2) return 1;
  if (imaging::blur(image, few) != IMAGING_BAD_OPERAND) return 2;
  if (imaging::layer_prepare(few, &prepared) != IMAGING_BAD_OPERAND) return 3;
  std::vector<float> larger(32 * 80, 100), sums(32);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 64; ++column) larger[80 * row + column] = row;
  std::vector<int64_t> const strides{80, 1};
  if (imaging::part_sums(larger, strides, sums) != IMAGING_OK) return 7;
  for (int row = 0; row < 32; ++row)
    if (sums[row] != 64 * row) return 8;
  if (imaging::part_sums(few, strides, sums) != IMAGING_BAD_OPERAND) return 9;
  if (imaging::layer_prepare(w, &prepared) != IMAGING_OK) return 4;
  if (imaging::layer(x, w, features, prepared) != IMAGING_OK || features[5] != 1) return 5;
  imaging_free(prepared);
}
)";
  auto const& at = folder.path();
  demand("c++ -std=c++20 -Wall -Wextra -Werror -pedantic -I'" + at + "' " + at + "/spans.cpp " + at +
         "/libimaging.a -lm -o " + at + "/spans");
  demand(at + "/spans");
}

TEST_CASE("exported library: kernels of 64-bit ARM, in an emulator, beside those of x86-64") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  TTUNE_SKIP_UNLESS("aarch64", !emulator().empty() && has_program("aarch64-linux-gnu-gcc"),
                    "g++-aarch64-linux-gnu or qemu-user is not installed, or TTUNE_AARCH64_RUN does not name it");
  memory_store store;
  auto const images = put_all(store, two_cores("aarch64"));
  put_all(store, two_cores("x86-64-v2"));
  trial files;
  auto const& folder = files.folder.path();
  std::vector const operands{files.write("image", 256 * 300), files.write("x", 32 * 64), files.write("w", 64 * 48)};
  build(store, folder, "aarch64-linux-gnu-gcc", "-static");
  auto const command = emulator();
  auto const run = [&](std::string const& forbidden) {
    return shell(command.substr(0, command.find(' ')) + " " + folder + "/exported " + folder + forbidden);
  };
  auto const done = run("");
  CHECK_MESSAGE(done.status == 0, done.text);
  CHECK_MESSAGE(done.text.find("target: aarch64 aarch64") != std::string::npos, done.text);
  check_bits(files, run_emulated, operands, images);
  CHECK(run(" neon").status == 10);
}

}  // namespace exported_library_tests
