// SPDX-License-Identifier: Apache-2.0
#include "ttune/backends/orc.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernel_texts.hpp"
#include "ttune/ir/make.hpp"

namespace orc_tests {

using namespace ttune;
using namespace ttune_test;

TEST_CASE("orc_backend: is available and names its LLVM") {
  orc_backend backend;
  CHECK(backend.availability());
  CHECK(backend.name().starts_with("orc (LLVM "));
  CHECK(backend.target().name == probe_host().name);
}

TEST_CASE("orc_backend: a text becomes an image with its signature") {
  orc_backend backend;
  kernel_signature signature;
  signature.name = "add";
  auto const result = backend.compile_text(add_text(), signature);
  REQUIRE_MESSAGE(result.image, result.diagnostics);
  CHECK(result.image->signature.name == "add");
  CHECK(result.image->abi == abi_version);
  CHECK(result.image->target == backend.target().name);
  CHECK(result.seconds > 0);
  CHECK(result.seconds == doctest::Approx(backend.last_phases().total()));
  float a = 1, b = 2, c = 0;
  void* operands[] = {&a, &b, &c};
  load(*result.image)->main()(operands, nullptr, nullptr);
  CHECK(c == 3);
}

namespace {

/// C (n) = A (n) + B (n), vectorised, the tail included.
ir::lowered add_program(std::int64_t n) {
  ir::lowered program;
  program.name = "add";
  for (char const* name : {"A", "B", "C"})
    program.operands.push_back(share(
        ir::buffer{{}, name, dtype::f32, {n}, ir::memory::operand, static_cast<int>(program.operands.size()), {}}));
  auto const i = ir::make_variable("i");
  auto const read = [&](std::size_t slot) { return ir::make_access(program.operands[slot], {i}); };
  auto const sum = ir::make_binary(ir::binary_op::add, read(0), read(1));
  program.body = ir::make_loop("i", ir::make_index(0), ir::make_index(n), ir::loop_kind::vectorized,
                               ir::make_store(program.operands[2], {i}, sum));
  return program;
}

}  // namespace

TEST_CASE("orc_backend: a lowered program is emitted, compiled and runs") {
  orc_backend backend;
  auto const program = add_program(53);
  CHECK(backend.source(program, {}).find("@ttune_main") != std::string::npos);
  auto const result = backend.compile(program, {});
  REQUIRE_MESSAGE(result.image, result.diagnostics);
  CHECK(backend.last_phases().emit > 0);
  std::vector<float> a(53, 2), b(53, 3), c(53);
  void* operands[] = {a.data(), b.data(), c.data()};
  load(*result.image)->main()(operands, nullptr, nullptr);
  CHECK(c == std::vector<float>(53, 5));
}

TEST_CASE("orc_backend: a failure is a value with diagnostics") {
  orc_backend backend;
  auto const result = backend.compile_text("nonsense", {});
  CHECK_FALSE(result.image);
  CHECK(result.diagnostics.find("kernel.ll:1:") != std::string::npos);
  CHECK_FALSE(backend.assembly("nonsense"));
}

TEST_CASE("orc_backend: a target that LLVM does not know is unavailable, with the reason") {
  target none;
  none.triple = "abacus-unknown-none";
  orc_backend backend(none);
  CHECK_FALSE(backend.availability());
  CHECK(backend.availability().reason.find("abacus") != std::string::npos);
  CHECK(backend.compile_text(add_text(), {}).diagnostics == backend.availability().reason);
}

}  // namespace orc_tests
