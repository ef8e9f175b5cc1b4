// SPDX-License-Identifier: Apache-2.0
// Instructions that an application brings along: in machine code of this machine where it has them, of 64-bit ARM in an
// emulator; where the machine has none, other code computes the same; a wrong statement is noticed.
#include "ttune/runtime/add_instruction.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernel_runs.hpp"
#include "support/added_instructions.hpp"
#include "support/emulator.hpp"
#include "support/require.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/tune/record_keys.hpp"

namespace added_instruction_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

template <class Element>
auto product(std::int64_t m, std::int64_t n, std::int64_t depth) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", Element, 2> const A{{m, depth}};
  tensor<"B", Element, 2> const B{{depth, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), cast<int>(A(i, k)) * cast<int>(B(k, j)));
  return op(inputs(A, B), outputs(C), "product");
}

std::string seed_text(orc_backend const& backend, handle<ir::program> const& program) {
  auto const s = derive_space(program, backend.target());
  return backend.source(lower(s, s.seed), signature_of(program));
}

/// Compares derived kernels of three products with the interpreter. Returns the text of one of them.
std::string checked_seed(orc_backend backend) {
  check_derived(backend, run_here, product<std::int16_t>(7, 35, 21), 6);
  check_derived(backend, run_here, product<std::int16_t>(32, 64, 48), 6);
  check_derived(backend, run_here, product<std::int16_t>(1, 100, 2), 3);
  return seed_text(backend, product<std::int16_t>(32, 64, 48).program());
}

}  // namespace

TEST_CASE("own_instruction: derived kernels use it and compute the same") {
  TTUNE_SKIP_UNLESS("x86-64", is_host_architecture("x86_64"), "its instruction is one of x86-64");
  auto machine = probe_host();
  REQUIRE(add_pairs_of_words(machine, false));
  CHECK(checked_seed(orc_backend(machine)).find("vpdpwssd") == std::string::npos);
}

TEST_CASE("own_instruction: derived kernels use one that takes sums, and compute the same") {
  auto machine = probe_host();
  TTUNE_SKIP_UNLESS("vnni", is_host_architecture("x86_64") && add_pairs_of_words(machine, true),
                    "this processor has no vpdpwssd");
  CHECK(checked_seed(orc_backend(machine)).find("vpdpwssd") != std::string::npos);
}

TEST_CASE("own_instruction: a machine that lacks it computes the sums by other code") {
  auto here = probe_host();
  auto const of_others = is_host_architecture("x86_64") ? "toaster" : "avx512vnni";
  if (!missing_features("+" + std::string(of_others)).empty())
    CHECK_FALSE(add_instruction(here, {.name = "missing",
                                       .intrinsic = "llvm.toaster.add",
                                       .feature = of_others,
                                       .semantics = sums_of_products<std::int16_t>(4, 2)}));
  auto machine = named_target("x86-64-v3");
  REQUIRE(add_pairs_of_words(machine, true));  // of 8 lanes: it needs AVX-VNNI
  orc_backend const backend(machine);
  CHECK(seed_text(backend, product<std::int16_t>(32, 64, 48).program()).find("vpdpwssd") == std::string::npos);
}

TEST_CASE("own_instruction: a wrong statement gives wrong results, which a comparison notices") {
  TTUNE_SKIP_UNLESS("x86-64", is_host_architecture("x86_64"), "its instruction is one of x86-64");
  auto machine = probe_host();
  auto const lanes = machine.lanes(dtype::i32);
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"L", std::int16_t, 2> const L{{lanes, 2}};
  tensor<"R", std::int16_t, 2> const R{{lanes, 2}};
  auto const S = compute<"S">(i) = sum(over(k), cast<int>(L(i, k)) - cast<int>(R(i, k)));
  REQUIRE(add_instruction(machine, {.name = "wrong",
                                    .intrinsic = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"  // it multiplies
                                                 : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                                              : "llvm.x86.sse2.pmadd.wd",
                                    .feature = "sse2",
                                    .semantics = op(inputs(L, R), outputs(S), "differences").program(),
                                    .takes_sums = false}));
  tensor<"A", std::int16_t, 2> const A{{8, 32}};
  tensor<"B", std::int16_t, 2> const B{{32, 64}};
  auto const C = compute<"C">(i, j) = sum(over(k), cast<int>(A(i, k)) - cast<int>(B(k, j)));
  auto const program = op(inputs(A, B), outputs(C), "differences").program();
  orc_backend backend(machine);
  workload const work(derive_space(program, backend.target()), backend.target());
  rng random(ttune_test::seed());
  auto const operands = random_operands(work, random);
  CHECK(difference(backend, run_here, work, work.seed(), operands, ir::evaluate(*program, operands)) != "");
}

TEST_CASE("own_instruction: it is part of the records' keys") {
  auto machine = probe_host();
  auto const program = product<std::int16_t>(8, 8, 8).program();
  auto const s = derive_space(program, machine);
  auto const before = key_of(s, machine, objective::warm).target;
  TTUNE_SKIP_UNLESS("x86-64", is_host_architecture("x86_64"), "its instruction is one of x86-64");
  REQUIRE(add_pairs_of_words(machine, false));
  CHECK(key_of(s, machine, objective::warm).target == before + " +pmaddwd");
}

TEST_CASE("own_instruction: bytes on 64-bit ARM, in an emulator") {
  auto machine = named_target("aarch64");
  machine.cores = 2;
  REQUIRE(add_sdot(machine));
  orc_backend backend(machine);
  TTUNE_SKIP_UNLESS("aarch64", backend.availability(), backend.availability().reason);
  auto const text = seed_text(backend, product<std::int8_t>(16, 32, 64).program());
  CHECK_MESSAGE(text.find("@llvm.aarch64.neon.sdot.v4i32.v16i8(") != std::string::npos, text);
  TTUNE_SKIP_UNLESS("aarch64", !emulator().empty(),
                    "g++-aarch64-linux-gnu or qemu-user is not installed, or TTUNE_AARCH64_RUN does not name it");
  check_derived(backend, run_emulated, product<std::int8_t>(7, 37, 21), 3);
  check_derived(backend, run_emulated, product<std::int8_t>(16, 32, 64), 3);
}

}  // namespace added_instruction_tests
