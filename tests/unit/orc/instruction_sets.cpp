// SPDX-License-Identifier: Apache-2.0
// The same operators for other instruction sets: smaller ones run here, 64-bit ARM in an emulator.
#include <doctest/doctest.h>

#include <string>

#include "kernel_runs.hpp"
#include "support/emulator.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ops/block_differences.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"

namespace instruction_sets_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

target two_cores(char const* name) {
  auto machine = named_target(name);
  machine.cores = 2;
  return machine;
}

/// C = A B of narrow elements.
template <class X, class Y>
auto narrow_matmul(std::int64_t m, std::int64_t n, std::int64_t depth) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", X, 2> const A{{m, depth}};
  tensor<"B", Y, 2> const B{{depth, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), cast<std::int32_t>(A(i, k)) * cast<std::int32_t>(B(k, j)));
  return op(inputs(A, B), outputs(C), "narrow");
}

/// Checks bytes and bfloats, of which the machine adds several products at once.
template <class Run>
void check_dot_products(orc_backend& backend, Run const& run, int configurations) {
  auto const each = [&](auto const& op) { check_derived(backend, run, op, configurations); };
  each(narrow_matmul<std::uint8_t, std::int8_t>(19, 37, 33));
  each(narrow_matmul<std::int8_t, std::uint8_t>(8, 64, 32));
  each(narrow_matmul<std::int8_t, std::int8_t>(13, 50, 27));
  each(narrow_matmul<std::uint8_t, std::uint8_t>(7, 20, 9));
  each(narrow_matmul<std::int16_t, std::int16_t>(7, 35, 21));
  each(ops::matmul<std::int8_t>(9, 33, 40, {.b = true}));
  each(ops::matmul<bf16>(21, 70, 35));
  each(ops::matmul<bf16>(6, 32, 64, {.b = true}));
  each(ops::batched_matmul<std::int8_t>(2, 11, 24, 17));
  each(ops::conv2d_nhwc<std::int8_t>({1, 8, 9, 9, 20, 3, 1, 1}));
  each(ops::block_differences({1, 3, 16, 37}));
  each(ops::block_differences<std::int32_t>({2, 2, 11, 20}));
  each(ops::block_differences<std::uint32_t>({1, 2, 8, 8}));
}

template <class Run>
void check_operators(orc_backend& backend, Run const& run, int configurations) {
  auto const each = [&](auto const& op) { check_derived(backend, run, op, configurations); };
  each(ops::matmul(37, 29, 23));
  each(ops::matmul(19, 40, 33, {.b = true}));
  each(ops::matmul<double>(9, 21, 13));
  each(ops::matmul<std::int32_t>(9, 21, 13));
  each(ops::matmul<std::int8_t>(17, 35, 19));
  each(ops::matmul<bf16>(9, 37, 13));
  each(ops::matmul<f16>(9, 37, 13));
  each(ops::conv2d({1, 5, 12, 11, 20, 3, 1, 1}));
  each(ops::conv2d({1, 3, 15, 15, 8, 7, 2, 3}));
  each(ops::conv2d_bias_relu({1, 4, 7, 7, 17, 3, 1, 1}));
  each(ops::depthwise_conv2d({1, 6, 11, 13, 3, 1, 1}));
  each(ops::max_pool2d({1, 3, 9, 37, 3, 2, 1}));
  each(ops::softmax(7, 53));
  each(ops::layer_norm(5, 45));
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{13, 27}};
  auto const T = compute<"T">(j, i) = A(i, j);
  each(op(inputs(A), outputs(T), "transpose"));
  auto const R = compute<"R">(i, j) = floor(A(i, j) * 3) + sqrt(abs(A(i, j))) + sin(A(i, j)) + erf(A(i, j));
  each(op(inputs(A), outputs(R), "functions"));
  auto const a = zero_outside(A);
  auto const S = compute<"S">(i.in(13), j.in(27)) = a(i - 1, j - 1) + a(i - 1, j + 1) + a(i, j - 1) + a(i + 1, j + 2);
  check_derived(backend, run, op(inputs(A), outputs(S), "stencil"), 4 * configurations);  // few have rows at an edge
  tensor<"H", f16, 2> const H{{5, 33}};
  auto const G = compute<"G">(i, j) = cast<f16>(cast<float>(H(i, j)) * 2.0F);
  each(op(inputs(H), outputs(G), "halves"));
}

}  // namespace

TEST_CASE("instruction sets: operators with SSE 4.2 and with AVX2 alone") {
  for (auto const* name : {"x86-64-v2", "x86-64-v3"}) {
    orc_backend backend(two_cores(name));
    auto const lacks = missing_features(backend.target().features);
    TTUNE_SKIP_UNLESS("x86", backend.availability() && is_host_architecture(backend.target().name) && lacks.empty(),
                      "this machine has no " + std::string(name));
    check_operators(backend, run_here, 4);
    check_dot_products(backend, run_here, 4);
  }
}

TEST_CASE("instruction sets: operators on 64-bit ARM, in an emulator") {
  orc_backend backend(two_cores("aarch64"));
  TTUNE_SKIP_UNLESS("aarch64", backend.availability(), backend.availability().reason);
  TTUNE_SKIP_UNLESS("aarch64", !emulator().empty(),
                    "g++-aarch64-linux-gnu or qemu-user is not installed, or TTUNE_AARCH64_RUN does not name it");
  check_operators(backend, run_emulated, 2);
  check_dot_products(backend, run_emulated, 2);
}

TEST_CASE("instruction sets: dot products of bytes and bfloats on this machine") {
  orc_backend backend;
  check_dot_products(backend, run_here, 12);
}

TEST_CASE("instruction sets: an image for another processor is refused here, and says so") {
  orc_backend backend(two_cores("aarch64"));
  TTUNE_SKIP_UNLESS("aarch64", backend.availability(), backend.availability().reason);
  workload const work(derive_space(ops::matmul(8, 8, 8).program(), backend.target()), backend.target());
  auto const& signature = work.signature();
  auto const made = backend.compile(work.lower(work.seed()), signature);
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  TTUNE_SKIP_UNLESS("x86-64", !is_host_architecture("aarch64"), "this processor can run it");
  auto const answer = can_load(*made.image);
  CHECK_FALSE(answer);
  CHECK(answer.reason.find("aarch64") != std::string::npos);
  CHECK(answer.reason.find("another kind of processor") != std::string::npos);
}

TEST_CASE("instruction sets: code has no instructions beyond its set") {
  for (auto const* name : {"x86-64-v2", "x86-64-v3"}) {
    orc_backend backend(two_cores(name));
    TTUNE_SKIP_UNLESS("x86", backend.availability(), backend.availability().reason);
    workload const work(derive_space(ops::matmul(64, 64, 64).program(), backend.target()), backend.target());
    auto const& signature = work.signature();
    auto const text = backend.assembly(backend.source(work.lower(work.seed()), signature));
    REQUIRE(text);
    CHECK(text->find("%zmm") == std::string::npos);
    bool const fused = std::string(name) == "x86-64-v3";
    CHECK((text->find("vfmadd") != std::string::npos) == fused);
    CHECK((text->find("%ymm") != std::string::npos) == fused);
    CHECK(text->find("%xmm") != std::string::npos);
  }
}

TEST_CASE("instruction sets: an unknown name is refused with a list of the known ones") {
  std::string said;
  try {
    (void)named_target("x86-64-v9");
  } catch (argument_error const& e) {
    said = e.what();
  }
  CHECK(said.find("x86-64-v9") != std::string::npos);
  CHECK(said.find("aarch64") != std::string::npos);
  for (auto const* name : {"x86-64-v2", "x86-64-v3-vnni", "x86-64-v4", "x86-64-v4-vnni-bf16"})
    CHECK(named_target(name).triple == "x86_64-unknown-linux-gnu");
}

}  // namespace instruction_sets_tests
