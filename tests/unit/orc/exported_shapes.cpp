// SPDX-License-Identifier: Apache-2.0
// Exported libraries with kernels for many shapes, compiled as C and run: the same bits as the kernels that the library
// loads, for shapes of each kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernel_runs.hpp"
#include "open_product.hpp"
#include "support/emulator.hpp"
#include "support/require.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/open/shape_records.hpp"
#include "ttune/open/shape_spaces.hpp"
#include "ttune/records/export_kernels.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/strided_operand.hpp"

namespace exported_shapes_tests {

using namespace ttune;
using namespace ttune_test;
using detail::call_shape;
using detail::shape_images;

namespace {

dim const height{"M", 1, 150};
dim const depth{"K", 1, 90};
dim const width{"N", 1, 200};
constexpr std::int64_t few_rows = 16;  ///< at most so many are computed by the second kernel

/// Shape: A (M, K), B (K, N) -> C (M, N)
auto product() { return ttune_test::open_product(height, width, depth); }

/// Shape: X (M, 48), W (48, 40) -> Y (M, 40), with constants that are laid out
auto layer() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  dim const rows{"M", 1, 1000};
  tensor<"X", float, 2> const X{{rows, 48}};
  constant<"W", float, 2> const W{{48, 40}};
  auto const Y = compute<"Y">(i, j) = sum(over(k), X(i, k) * W(k, j));
  return op(inputs(X, W), outputs(Y), "layer");
}

/// Returns the untuned kernels that are derived for large shapes and for few rows, with a choice among them.
shape_images compiled(handle<ir::program> const& program, call_shape few, target const& machine) {
  shape_images made;
  made.range.name = program->name;
  for (auto const& d : ir::open_extents(*capture::keep_open(program))) {
    made.range.extents.push_back(d->name);
    made.range.smallest.push_back(d->low);
    made.range.largest.push_back(d->high);
  }
  orc_backend backend(machine);
  auto const tried = detail::shape_spaces(program, made.range, machine, {}).run({made.range.largest, few});
  auto needed = made.range.largest;
  needed[0] = few_rows;
  auto const add = [&](std::size_t which) {
    workload const work(tried.spaces[which], machine);
    auto compiled = backend.compile(work.lower(work.seed()), work.signature());
    REQUIRE_MESSAGE(compiled.image, compiled.diagnostics);
    made.kernels.push_back({std::move(*compiled.image)});
  };
  add(0);
  for (auto k = tried.spaces.size(); k-- > 1 && made.kernels.size() == 1;)
    if (std::ranges::equal(needed, tried.largest[k], std::ranges::less_equal{})) add(k);
  REQUIRE(made.kernels.size() == 2);
  CHECK(made.kernels[0].image.code != made.kernels[1].image.code);
  detail::extent_product const rows{{0, detail::extent_product::none, detail::extent_product::none}};
  made.tree = detail::shape_tree({{rows, few_rows, 1, 2}, {{}, 0, 1, 0}, {{}, 0, 0, 0}});
  return made;
}

/// Puts the kernels of an operator into a store.
template <class Op>
shape_images put(memory_store& store, Op const& op, call_shape few, target const& machine) {
  auto made = compiled(op.program(), std::move(few), machine);
  tuner const by{orc_backend{machine}, {.worker = worker::in_process{}}};
  record r;
  r.key = detail::key_of_shapes(capture::keep_open(op.program()), {}, by);
  r.lowering_version = lowering_version;
  r.result.seconds = 1e-6;
  store.put_image(r, to_bytes(made));
  return made;
}

std::vector<std::uint8_t> random_bytes(std::int64_t floats, rng& random) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(floats) * sizeof(float));
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
    auto const value = static_cast<float>(random.uniform() * 2 - 1);
    std::memcpy(&bytes[i], &value, sizeof value);
  }
  return bytes;
}

template <class T>
std::vector<std::uint8_t> bytes_of(std::vector<T> const& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Returns what the chosen kernel writes for random operands, which it leaves in files. `files` are the names of the
/// operands' files; the last one is that of the result.
template <class Run>
std::vector<std::uint8_t> expected(shape_images const& all, call_shape const& shape, Run const& run,
                                   temporary_folder const& folder, std::vector<std::string> const& files) {
  rng random(seed());
  auto const& image = all.kernels[all.tree.choose(shape)].image;
  auto const signature = at_extents(image.signature, shape);
  std::vector<std::int64_t> strides;
  for (auto const& o : signature.operands)
    if (o.strides != operand_strides::dense) {
      auto const own = dense_strides(o.shape);
      strides.insert(strides.end(), own.begin(), own.end());
    }
  operand_bytes memory;
  std::size_t next = 0;
  for (auto const& o : signature.operands) {
    if (o.direction == operand_direction::strides) memory.push_back(bytes_of(strides));
    else if (o.direction == operand_direction::extents) memory.push_back(bytes_of(shape));
    else if (o.direction == operand_direction::out) memory.emplace_back(static_cast<std::size_t>(o.bytes()));
    else {
      memory.push_back(random_bytes(o.elements(), random));
      std::ofstream(folder / files[next++], std::ios::binary)
          .write(reinterpret_cast<char const*>(memory.back().data()), std::ssize(memory.back()));
    }
  }
  auto const fault = run(image, memory);
  REQUIRE_MESSAGE(fault.empty(), fault);
  return memory.back();
}

std::vector<std::uint8_t> read(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void build(record_store const& store, std::string const& folder, std::string const& compiler, std::string const& more) {
  std::string const warnings = " -std=c11 -Wall -Wextra -Werror -pedantic -Wshadow -Wstrict-prototypes ";
  auto const made = export_kernels(store, {.folder = folder,
                                           .name = "shapes",
                                           .archive = export_archive::always,
                                           .compiler = compiler,
                                           .compiler_flags = "-O2" + warnings});
  CHECK(made.left_out.empty());
  REQUIRE(made.functions.size() == 2);
  CHECK(made.functions[0].name == "shapes_layer");
  CHECK(made.functions[1].title == "product(A M x K, B K x N)");
  auto const linked = shell(compiler + warnings + more + " -D_DEFAULT_SOURCE -I'" + folder +
                            "' '" TTUNE_TESTS_DIR "/unit/orc/exported_shapes_main.c' '" + folder +
                            "/libshapes.a' -lm -o '" + folder + "/exported'");
  REQUIRE_MESSAGE(linked.status == 0, linked.text);
}

/// Kernels of a product and of a layer.
struct both_operators {
  shape_images product, layer;
};

both_operators put_both(memory_store& store, target const& machine) {
  return {put(store, product(), {few_rows, 90, 40}, machine), put(store, layer(), {few_rows}, machine)};
}

/// Checks that the program writes what the kernels do, for shapes of both kernels. `start` starts the program.
template <class Run>
void check_bits(both_operators const& of, Run const& run, temporary_folder const& folder, std::string const& start,
                std::string const& forbidden, std::string const& target) {
  for (auto const& shape : std::vector<call_shape>{
           {1, 1, 1}, {16, 90, 200}, {17, 89, 199}, {150, 90, 200}, {3, 7, 33}, {100, 64, 64}, {149, 1, 16}}) {
    auto const c = expected(of.product, shape, run, folder, {"a", "b"});
    auto const y = expected(of.layer, {shape[0]}, run, folder, {"x", "w"});
    std::string command = start + folder.path() + "/exported " + folder.path();
    for (auto const extent : shape) command += " " + std::to_string(extent);
    auto const done = shell(command + forbidden);
    CHECK_MESSAGE(done.status == 0, done.text);
    CHECK_MESSAGE(done.text.find("target: " + target) != std::string::npos, done.text);
    CHECK_MESSAGE(read(folder / "c") == c, command);
    CHECK_MESSAGE(read(folder / "y") == y, command);
  }
}

target two_cores(char const* name) {
  auto machine = named_target(name);
  machine.cores = 2;
  return machine;
}

}  // namespace

TEST_CASE("exported shapes: the bits of each kernel, with the next instruction set where one is missing") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  auto const lacks = missing_features(named_target("x86-64-v3").features);
  TTUNE_SKIP_UNLESS("x86", is_host_architecture("x86_64") && lacks.empty(), "this machine has no x86-64-v3");
  TTUNE_SKIP_UNLESS("cc", has_program("cc") && has_program("nm"), "no C compiler is installed");
  memory_store store;
  auto const older = put_both(store, two_cores("x86-64-v2"));
  auto const newer = put_both(store, two_cores("x86-64-v3"));
  CHECK(older.layer.kernels[0].image.prepare_offset >= 0);
  CHECK(older.layer.kernels[1].image.prepare_offset >= 0);
  temporary_folder const folder;
  build(store, folder.path(), "cc", "");
  check_bits(newer, run_here, folder, "", "", "x86_64 x86-64-v3");
  check_bits(older, run_here, folder, "", " avx2", "x86_64 x86-64-v2");
  auto const none = shell(folder.path() + "/exported " + folder.path() + " 1 1 1 avx2 sse4.2");
  CHECK_MESSAGE(none.status == 10, none.text);
}

TEST_CASE("exported shapes: kernels of 64-bit ARM, in an emulator") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  TTUNE_SKIP_UNLESS("aarch64", !emulator().empty() && has_program("aarch64-linux-gnu-gcc"),
                    "g++-aarch64-linux-gnu or qemu-user is not installed, or TTUNE_AARCH64_RUN does not name it");
  memory_store store;
  auto const images = put_both(store, two_cores("aarch64"));
  temporary_folder const folder;
  build(store, folder.path(), "aarch64-linux-gnu-gcc", "-static");
  auto const command = emulator();
  check_bits(images, run_emulated, folder, command.substr(0, command.find(' ')) + " ", "", "aarch64 aarch64");
}

TEST_CASE("exported shapes: overloads of C++ check the sizes of spans") {
  TTUNE_SKIP_UNLESS("orc", orc_backend{}.availability(), orc_backend{}.availability().reason);
  TTUNE_SKIP_UNLESS("cc", has_program("cc") && has_program("c++"), "no C compiler is installed");
  memory_store store;
  put_both(store, orc_backend{}.target());
  temporary_folder const folder;
  (void)export_kernels(store, {.folder = folder.path(), .name = "shapes", .archive = export_archive::always});
  std::ofstream(folder / "spans.cpp") << R"(#include "shapes.h"
#include <vector>
int main() {
  std::vector<float> const a(3 * 5, 2), b(5 * 7, 3);
  std::vector<float> c(3 * 7);
  if (shapes::product(a, b, c, 3, 5, 7) != SHAPES_OK || c[20] != 30) return 1;
  if (shapes::product(a, b, c, 3, 7, 5) != SHAPES_BAD_OPERAND) return 2;
  if (shapes::product(a, b, c, -3, -5, -7) != SHAPES_BAD_EXTENT) return 3;
  if (shapes::product({}, {}, {}, 0, 0, 0) != SHAPES_BAD_EXTENT) return 4;
  std::vector<float> const x(2 * 48, 1), w(48 * 40, 1);
  std::vector<float> y(2 * 40);
  void *prepared = nullptr;
  if (shapes::layer_prepare(b, &prepared) != SHAPES_BAD_OPERAND) return 5;
  if (shapes::layer_prepare(w, &prepared) != SHAPES_OK) return 6;
  if (shapes::layer(x, w, y, 2, prepared) != SHAPES_OK || y[79] != 48) return 7;
  shapes_free(prepared);
}
)";
  auto const& at = folder.path();
  auto const compiled = shell("c++ -std=c++20 -Wall -Wextra -Werror -pedantic -I'" + at + "' " + at + "/spans.cpp " +
                              at + "/libshapes.a -lm -o " + at + "/spans");
  REQUIRE_MESSAGE(compiled.status == 0, compiled.text);
  CHECK(shell(at + "/spans").status == 0);
}

}  // namespace exported_shapes_tests
