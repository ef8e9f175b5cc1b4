// SPDX-License-Identifier: Apache-2.0
// Names and lines of machine code: asking for them changes no byte of it, and they are the right ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kernel_runs.hpp"
#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/backends/orc/elf_linker.hpp"
#include "ttune/backends/orc/line_program.hpp"
#include "ttune/backends/orc/map_of_object.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/runtime/tools/code_map.hpp"

namespace code_lines_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

orc::compiler_options with_lines() {
  orc::compiler_options made;
  made.lines = true;
  return made;
}

/// Compiles seed and random configurations of an operator with lines and without.
template <class Op>
void check_same_code(Op const& op, int configurations, target const& machine) {
  orc_backend plain(machine);
  orc_backend lined(machine, with_lines());
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  INFO(op.text());
  rng random(seed);
  workload const work(derive_space(op.program(), plain.target()), plain.target());
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = i == 0 ? work.seed() : work.sampler().draw(random);
    INFO("configuration ", i, ": ", ttune::detail::describe_choices(work.space().knobs, chosen));
    auto const program = work.lower(chosen);
    auto const a = plain.compile(program, work.signature());
    auto const b = lined.compile(program, work.signature());
    REQUIRE_MESSAGE(a.image, a.diagnostics);
    REQUIRE_MESSAGE(b.image, b.diagnostics);
    CHECK(a.image->code == b.image->code);
    CHECK(a.image->main_offset == b.image->main_offset);
    CHECK(a.image->prepare_offset == b.image->prepare_offset);
    CHECK_FALSE(a.image->map);
    REQUIRE(b.image->map);
    CHECK_FALSE(b.image->map->lines.empty());
  }
}

auto activations() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{32, 64}};
  constant<"W", float, 2> const W{{64, 48}};
  auto const Z = compute<"Z">(i, j) = sum(over(k), X(i, k) * W(k, j));
  auto const Y = compute<"Y">(i, j) = sin(Z(i, j) * 1e6F) + exp(Z(i, j)) * erf(Z(i, j)) + pow(abs(Z(i, j)), 1.7F);
  return op(inputs(X, W), outputs(Y), "activations");
}

void check_operators(target const& machine, int configurations) {
  check_same_code(ops::matmul(100, 77, 33), configurations, machine);
  check_same_code(ops::matmul<double>(23, 35, 11), configurations, machine);
  check_same_code(ops::matmul(40, 129, 17, {.a = true, .b = true}), configurations, machine);
  check_same_code(ops::conv2d_bias_relu({1, 4, 9, 11, 32, 3, 1, 1}), configurations, machine);
  check_same_code(ops::max_pool2d({1, 3, 9, 72, 3, 2, 1}), configurations, machine);
  check_same_code(ops::softmax(13, 37), configurations, machine);
  check_same_code(ops::layer_norm(9, 50), configurations, machine);
  check_same_code(activations(), configurations, machine);
}

/// Returns the image of a program that is not scheduled, so that its loops are known.
kernel_image image_of_loops() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{32, 48}};
  tensor<"B", float, 2> const B{{48, 64}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const product = op(inputs(A, B), outputs(C), "product");
  orc_backend backend(probe_host(), with_lines());
  workload const work(derive_space(product.program(), backend.target()), backend.target());
  auto made = backend.compile(work.lower(work.seed()), work.signature());
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  return std::move(*made.image);
}

/// Returns the lines of a text.
std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> made(1);
  for (char const c : text)
    if (c == '\n') made.emplace_back();
    else made.back() += c;
  return made;
}

/// Returns the bytes of code by the text of their line.
std::map<std::string, std::int64_t> bytes_of_lines(tools::code_map const& map) {
  auto const text = lines_of(map.loops);
  std::map<std::string, std::int64_t> made;
  for (std::size_t i = 0; i + 1 < map.lines.size(); ++i) {
    auto const line = map.lines[i].line;
    if (line == 0) continue;
    REQUIRE(line <= static_cast<int>(text.size()));
    auto const& all = text[static_cast<std::size_t>(line) - 1];
    made[all.substr(all.find_first_not_of(' '))] += map.lines[i + 1].offset - map.lines[i].offset;
  }
  return made;
}

}  // namespace

TEST_CASE("code lines: the same machine code with lines and without") { check_operators(orc_backend().target(), 8); }

TEST_CASE("code lines: the same machine code with lines and without, for other processors") {
  for (auto const* name : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    INFO(name);
    orc_backend const backend(named_target(name));
    if (auto const there = backend.availability(); !there) {
      note_skip(there.reason);
      continue;
    }
    check_operators(named_target(name), 2);
  }
}

TEST_CASE("code lines: functions are named after the kernel, and lie side by side") {
  auto const image = image_of_loops();
  auto const& functions = image.map->functions;
  REQUIRE(functions.size() >= 2);
  CHECK(functions.back().name == "product.main");
  CHECK(functions.back().offset == image.main_offset);
  CHECK(functions.front().name.starts_with("product.parallel_"));
  for (std::size_t f = 0; f + 1 < functions.size(); ++f)
    CHECK(functions[f].offset + functions[f].bytes <= functions[f + 1].offset);
  CHECK(tools::functions_of(image).size() == functions.size());
}

TEST_CASE("code lines: the table names the lines whose statements are computed") {
  auto const image = image_of_loops();
  auto const bytes = bytes_of_lines(*image.map);
  INFO(image.map->loops);
  std::int64_t all = 0;
  for (auto const& f : image.map->functions) all += f.bytes;
  std::int64_t lined = 0;
  std::int64_t sum = 0;
  for (auto const& [text, n] : bytes) {
    lined += n;
    if (text.find(" += A[") != std::string::npos) sum += n;
  }
  CHECK(lined >= all * 95 / 100);
  CHECK(sum >= all / 5);
  CHECK(std::any_of(bytes.begin(), bytes.end(), [](auto const& b) { return b.first.starts_with("C["); }));
  CHECK(std::any_of(bytes.begin(), bytes.end(), [](auto const& b) { return b.first.starts_with("parallel "); }));
}

TEST_CASE("code lines: a function begins with a line of its own") {
  auto const image = image_of_loops();
  auto const& lines = image.map->lines;
  for (auto const& f : image.map->functions)
    CHECK(std::any_of(lines.begin(), lines.end(), [&](auto const& l) { return l.offset == f.offset; }));
}

#if defined(__x86_64__)
TEST_CASE("code lines: both linkers place the sections of an object with lines, and leave out those of debuggers") {
  auto const image = image_of_loops();
  std::string diagnostics;
  auto const code = orc::elf_linker(image.map->object).link(diagnostics);
  REQUIRE_MESSAGE(code, diagnostics);
  for (auto const& s : code->sections) CHECK_FALSE(s.name.starts_with(".debug"));
  tools::code_map map;
  orc::read_object(image.map->object, code->sections, {}, map);
  CHECK(map.functions.size() == image.map->functions.size());
  CHECK(map.lines.size() == image.map->lines.size());
}
#endif

TEST_CASE("code lines: a line program is read opcode by opcode") {
  // Version 4, opcode_base 13, line_base -5, line_range 14; the header's tables are empty.
  std::vector<std::uint8_t> unit = {0,  0, 0, 0, 4, 0, 20, 0, 0, 0, 1, 1, 1, 0xFB, 14,
                                    13, 0, 1, 1, 1, 1, 0,  0, 0, 1, 0, 0, 1, 0,    0};
  auto const add = [&](std::initializer_list<int> bytes) {
    for (int const b : bytes) unit.push_back(static_cast<std::uint8_t>(b));
  };
  add({0, 9, 2});  // set_address
  auto const address = unit.size();
  add({0, 0, 0, 0, 0, 0, 0, 0});
  add({3, 6, 1});                 // advance_line 6, copy: line 7 at 0x10
  add({13 + 5 + 2 + 14});         // special: one byte on, two lines on
  add({2, 0x80, 1, 3, 0x7F, 1});  // advance_pc 128, advance_line -1, copy
  add({8, 9, 4, 0, 1});           // const_add_pc (17), fixed_advance_pc 4, copy
  add({5, 3, 10});                // set_column, set_prologue_end: no row
  add({2, 1, 0, 1, 1});           // advance_pc 1, end_sequence
  auto const length = static_cast<std::uint32_t>(unit.size() - 4);
  std::memcpy(unit.data(), &length, sizeof length);
  std::map<std::uint64_t, orc::object_place> const addresses = {{address, {3, 0x10}}};
  auto const rows = orc::line_program(unit, addresses).run();
  REQUIRE(rows.size() == 5);
  auto const is = [&](std::size_t r, std::int64_t offset, int line) {
    CHECK(rows[r].at.section == 3);
    CHECK(rows[r].at.offset == offset);
    CHECK(rows[r].line == line);
  };
  is(0, 0x10, 7);
  is(1, 0x11, 9);
  is(2, 0x91, 8);
  is(3, 0x91 + 17 + 4, 8);
  is(4, 0x91 + 17 + 4 + 1, 0);
}

}  // namespace code_lines_tests
