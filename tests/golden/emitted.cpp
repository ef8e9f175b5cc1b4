// SPDX-License-Identifier: Apache-2.0
// Compares the emitted text of small kernels with the files in this folder. TTUNE_UPDATE_GOLDEN=1 writes the files
// instead: check the difference before committing it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/ir/make.hpp"

namespace emitted_tests {

using namespace ttune;

namespace {

/// A machine with masks and fused products, and below one without them; independent of this machine.
target wide_machine() {
  target machine;
  machine.triple = "x86_64-unknown-linux-gnu";
  machine.features = "+avx512f";
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  machine.has_fma = true;
  machine.has_masks = true;
  return machine;
}

target plain_machine() {
  target machine;
  machine.triple = "x86_64-unknown-linux-gnu";
  return machine;
}

handle<ir::buffer> operand(std::string name, dtype type, std::vector<std::int64_t> extents, int slot) {
  return share(ir::buffer{{}, std::move(name), type, std::move(extents), ir::memory::operand, slot, {}});
}

handle<ir::buffer> registers(std::string name, std::vector<std::int64_t> extents) {
  return share(ir::buffer{{}, std::move(name), dtype::f32, std::move(extents), ir::memory::registers, 0, {}});
}

ir::expr var(char const* name) { return ir::make_variable(name); }

ir::stmt loop(char const* name, std::int64_t end, ir::stmt body, ir::loop_kind kind = ir::loop_kind::serial) {
  return ir::make_loop(name, ir::make_index(0), ir::make_index(end), kind, std::move(body));
}

ir::lowered program(std::vector<handle<ir::buffer>> operands, ir::stmt body) {
  ir::lowered made;
  made.name = "golden";
  made.operands = std::move(operands);
  made.body = std::move(body);
  return made;
}

/// C (n) = A (n) + B (n)
ir::lowered sum_of_vectors(std::int64_t n, ir::loop_kind kind) {
  auto const a = operand("A", dtype::f32, {n}, 0);
  auto const b = operand("B", dtype::f32, {n}, 1);
  auto const c = operand("C", dtype::f32, {n}, 2);
  return program(
      {a, b, c},
      loop("i", n, ir::make_store(c, {var("i")}, ir::make_access(a, {var("i")}) + ir::make_access(b, {var("i")})),
           kind));
}

/// C (4, 32) = A (4, 100) B (100, 32), with all of C in registers
ir::lowered product_tile() {
  auto const a = operand("A", dtype::f32, {4, 100}, 0);
  auto const b = operand("B", dtype::f32, {100, 32}, 1);
  auto const c = operand("C", dtype::f32, {4, 32}, 2);
  auto const acc = registers("acc", {4, 32});
  auto const tile = [&](ir::stmt s) {
    return loop("i", 4, loop("j", 32, std::move(s), ir::loop_kind::vectorized), ir::loop_kind::unrolled);
  };
  auto const at = std::vector<ir::expr>{var("i"), var("j")};
  auto const product = ir::make_access(a, {var("i"), var("k")}) * ir::make_access(b, {var("k"), var("j")});
  return program(
      {a, b, c},
      ir::make_allocate(
          acc, ir::make_block({tile(ir::make_store(acc, at, ir::make_real(dtype::f32, 0))),
                               loop("k", 100, tile(ir::make_store(acc, at, ir::make_access(acc, at) + product))),
                               tile(ir::make_store(c, at, ir::make_access(acc, at)))})));
}

/// B (7) = sums of the rows of A (7, 10)
ir::lowered sums_of_rows() {
  auto const a = operand("A", dtype::f32, {7, 10}, 0);
  auto const b = operand("B", dtype::f32, {7}, 1);
  auto const sum = registers("sum", {1});
  auto const at = std::vector<ir::expr>{ir::make_index(0)};
  auto const add = ir::make_store(sum, at, ir::make_access(sum, at) + ir::make_access(a, {var("i"), var("k")}));
  return program(
      {a, b}, loop("i", 7,
                   ir::make_allocate(
                       sum, ir::make_block({ir::make_store(sum, at, ir::make_real(dtype::f32, 0)), loop("k", 10, add),
                                            ir::make_store(b, {var("i")}, ir::make_access(sum, at))}))));
}

/// B (16) = A (15) shifted by one, 0 outside
ir::lowered shifted() {
  auto const a = operand("A", dtype::f32, {15}, 0);
  auto const b = operand("B", dtype::f32, {16}, 1);
  auto const inside = ir::make_binary(ir::binary_op::less_equal, ir::make_index(1), var("i"));
  auto const value = ir::make_select(inside, ir::make_access(a, {var("i") + (-1)}), ir::make_real(dtype::f32, 0));
  return program({a, b}, loop("i", 16, ir::make_store(b, {var("i")}, value), ir::loop_kind::vectorized));
}

/// B (3, 16) = A (3, 16) moved down by a row and right by an element, 0 outside
ir::lowered moved() {
  auto const a = operand("A", dtype::f32, {3, 16}, 0);
  auto const b = operand("B", dtype::f32, {3, 16}, 1);
  auto const from = [](char const* name) {
    return ir::make_binary(ir::binary_op::less_equal, ir::make_index(1), var(name));
  };
  auto const value =
      ir::make_select(ir::make_binary(ir::binary_op::logical_and, from("i"), from("j")),
                      ir::make_access(a, {var("i") + (-1), var("j") + (-1)}), ir::make_real(dtype::f32, 0));
  auto const row = loop("j", 16, ir::make_store(b, {var("i"), var("j")}, value), ir::loop_kind::vectorized);
  return program({a, b}, loop("i", 3, row));
}

/// B (16, 8) = A (8, 16) transposed, through registers
ir::lowered transposed() {
  auto const a = operand("A", dtype::f32, {8, 16}, 0);
  auto const b = operand("B", dtype::f32, {16, 8}, 1);
  auto const tile = registers("tile", {8, 16});
  auto const in =
      loop("i", 8,
           loop("j", 16, ir::make_store(tile, {var("i"), var("j")}, ir::make_access(a, {var("i"), var("j")})),
                ir::loop_kind::vectorized),
           ir::loop_kind::unrolled);
  auto const out =
      loop("j", 16,
           loop("i", 8, ir::make_store(b, {var("j"), var("i")}, ir::make_access(tile, {var("i"), var("j")})),
                ir::loop_kind::vectorized),
           ir::loop_kind::unrolled);
  return program({a, b}, ir::make_allocate(tile, ir::make_block({in, out})));
}

/// C (8) = A (8) / B (8) for integers, in parallel over the two halves
ir::lowered quotients() {
  auto const a = operand("A", dtype::i32, {8}, 0);
  auto const b = operand("B", dtype::i32, {8}, 1);
  auto const c = operand("C", dtype::i32, {8}, 2);
  auto const at = std::vector<ir::expr>{var("o") * 4 + var("i")};
  auto const value = ir::make_binary(ir::binary_op::divide, ir::make_access(a, at), ir::make_access(b, at));
  return program({a, b, c}, loop("o", 2, loop("i", 4, ir::make_store(c, at, value), ir::loop_kind::vectorized),
                                 ir::loop_kind::parallel));
}

/// B (20) = f(A (20))
ir::lowered mapped(dtype type, ir::expr (*f)(ir::expr const&)) {
  auto const a = operand("A", type, {20}, 0);
  auto const b = operand("B", type, {20}, 1);
  return program({a, b}, loop("i", 20, ir::make_store(b, {var("i")}, f(ir::make_access(a, {var("i")}))),
                              ir::loop_kind::vectorized));
}

std::vector<std::string> lines(std::string const& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// Makes texts comparable. The goldens come from g++. The compiler chooses the order in which operands of a C++
/// operator are evaluated: with other compilers the text must have the same instructions, with any numbers and order.
std::vector<std::string> comparable(std::vector<std::string> all) {
#if defined(__clang__)
  for (auto& line : all) line = std::regex_replace(line, std::regex("%v[0-9]+"), "%v");
  std::ranges::sort(all);
#endif
  return all;
}

void compare(std::string const& name, ir::lowered const& what, target const& machine) {
  auto const path = std::string(TTUNE_TESTS_DIR) + "/golden/" + name + ".ll";
  auto const text = codegen::llvm_ir(what, machine);
  if (std::getenv("TTUNE_UPDATE_GOLDEN")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  std::stringstream stored;
  stored << in.rdbuf();
  REQUIRE_MESSAGE(in, path << " is not there; TTUNE_UPDATE_GOLDEN=1 writes it");
  auto const wanted = comparable(lines(stored.str()));
  auto const got = comparable(lines(text));
  for (std::size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
    INFO(name, ".ll, line ", i + 1);
    REQUIRE(got[i] == wanted[i]);
  }
  REQUIRE(got.size() == wanted.size());
}

}  // namespace

TEST_CASE("golden: a scalar loop") { compare("sum_scalar", sum_of_vectors(5, ir::loop_kind::serial), plain_machine()); }
TEST_CASE("golden: vectors and a masked tail") {
  compare("sum_masked", sum_of_vectors(21, ir::loop_kind::vectorized), wide_machine());
}
TEST_CASE("golden: vectors and a tail in halves") {
  compare("sum_halves", sum_of_vectors(7, ir::loop_kind::vectorized), plain_machine());
}
TEST_CASE("golden: a register tile of a matrix product") { compare("product_tile", product_tile(), wide_machine()); }
TEST_CASE("golden: a reduction") { compare("sums_of_rows", sums_of_rows(), wide_machine()); }
TEST_CASE("golden: a boundary in a vector") { compare("shifted", shifted(), wide_machine()); }
TEST_CASE("golden: guarded rows without a branch") { compare("moved", moved(), wide_machine()); }
TEST_CASE("golden: a transposed tile") { compare("transposed", transposed(), wide_machine()); }
TEST_CASE("golden: a parallel loop, a division that does not trap") {
  compare("quotients", quotients(), plain_machine());
}
TEST_CASE("golden: a function") {
  compare("exponentials", mapped(dtype::f32, [](ir::expr const& x) { return ir::make_unary(ir::unary_op::exp, x); }),
          wide_machine());
}
TEST_CASE("golden: f32 rounded to TF32") {
  compare("tf32", mapped(dtype::f32, [](ir::expr const& x) { return ir::make_unary(ir::unary_op::round_to_tf32, x); }),
          wide_machine());
}
TEST_CASE("golden: 16-bit floats, with and without instructions for them") {
  auto const twice = mapped(dtype::f16, [](ir::expr const& x) { return x + x; });
  compare("halves_wide", twice, wide_machine());
  compare("halves_plain", twice, plain_machine());
}

}  // namespace emitted_tests
