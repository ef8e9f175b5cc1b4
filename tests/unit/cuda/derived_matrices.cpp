// SPDX-License-Identifier: Apache-2.0
// Derived spaces for tensor cores: which programs get them, their results on the threads of a CPU, and their cubins.
// f32 is rounded to TF32 as everywhere else.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "support/cuda_on_cpu.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/kernel_passes.hpp"
#include "support/on_device.hpp"
#include "support/random_operands.hpp"
#include "support/seed.hpp"
#include "support/tf32_values.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule.hpp"
#include "ttune/space/sampler.hpp"

namespace derived_matrices_tests {

using namespace ttune;
using ttune_test::positive_operands;

namespace {

/// Checks the seed and some random configurations of the derived space.
void check_derived(handle<ir::program> const& program, int configurations, double tolerance = 1e-3) {
  auto const of = derive_space(program, cuda::target_of_architecture(80));
  auto const p = make_plan(of);
  sampler const draws(of.knobs, of.constraints);
  REQUIRE(draws.valid(of.seed));
  rng random(ttune_test::seed());
  auto const operands = positive_operands(*program, random);
  auto const wanted = ir::evaluate(*program, operands);
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = i == 0 ? of.seed : draws.draw(random);
    auto const made = lower(p, chosen);
    INFO(detail::describe_choices(of.knobs, chosen), "\n", ir::print(made));
    CHECK(ttune_test::difference(wanted, ir::run(made, *program, operands), tolerance) == "");
    auto const printed = ttune_test::after_kernel_passes(made, cuda::target_of_architecture(80));
    CHECK(ttune_test::difference(wanted, ir::run(printed, *program, operands), tolerance) == "");
    auto const text = codegen::cuda(made, cuda::target_of_architecture(80));
    CHECK(text.main.size() == 1);
    CHECK(text.source.find("mma.sync") != std::string::npos);
    if (ttune_test::can_run_cuda_on_cpu())
      CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), tolerance) == "",
                    text.source);
    CHECK(ttune_test::difference_on_device(80, made, program, operands, wanted, tolerance) == "");
  }
}

}  // namespace

TEST_CASE("derived for tensor cores: products and convolutions of 16-bit floats and bytes") {
  check_derived(ops::matmul<f16>(32, 64, 64).program(), 2);
  check_derived(ops::matmul<bf16>(32, 24, 48, {false, true}).program(), 2);
  check_derived(ops::matmul<f16>(32, 16, 32, {true, false}).program(), 1);
  check_derived(ops::batched_matmul<f16>(2, 16, 16, 16).program(), 1);
  check_derived(ops::matmul<std::int8_t>(16, 32, 64).program(), 1);
}

TEST_CASE("derived for tensor cores: f32 rounded to TF32, random shapes") {
  rng random(ttune_test::seed());
  auto const extent = [&](std::int64_t unit) { return unit * (1 + static_cast<std::int64_t>(random.below(4))); };
  for (int n = 0; n < 4; ++n) {
    ops::transposed const which{random.chance(0.5), random.chance(0.5)};
    auto const rows = extent(16), columns = extent(16), terms = n == 0 ? 4 * 7 : extent(8);
    INFO(rows, " x ", columns, " x ", terms);
    check_derived(ops::matmul_tf32(rows, columns, terms, which).program(), 1, 1e-5);
  }
}

/// A product with the identity gives the rounded operand, bit by bit.
TEST_CASE("derived for tensor cores: f32 is rounded to TF32 as the interpreter does it, every bit") {
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  std::int64_t const n = 32;
  auto const program = ops::matmul_tf32(n, n, n).program();
  auto const of = derive_space(program, cuda::target_of_architecture(80));
  auto const made = lower(of, of.seed);
  rng random(ttune_test::seed());
  auto operands = positive_operands(*program, random);
  auto values = ttune_test::tf32_values();
  std::erase_if(values, [](auto const& v) { return !std::isfinite(std::bit_cast<float>(v.rounded)); });  // times 0: NaN
  for (std::size_t i = 0; i < operands[0].reals.size(); ++i)
    operands[0].reals[i] = static_cast<double>(values[i % values.size()].from());
  for (std::int64_t i = 0; i < n * n; ++i) operands[1].reals[static_cast<std::size_t>(i)] = i % (n + 1) == 0 ? 1 : 0;
  auto const all_wanted = ir::evaluate(*program, operands);
  CHECK(ttune_test::difference_on_device(80, made, program, operands, all_wanted, 0) == "");
  auto const& wanted = all_wanted[0].reals;
  auto const found =
      ttune_test::run_on_cpu(codegen::cuda(made, cuda::target_of_architecture(80)), made, operands)[0].reals;
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const& value = values[i % values.size()];
    INFO(value.bits);
    CHECK(found[i] == wanted[i]);
    CHECK(found[i] == static_cast<double>(std::bit_cast<float>(value.rounded)));
  }
}

TEST_CASE("cuda: f32 is rounded to TF32 outside of tensor cores, every bit") {
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  auto const values = ttune_test::tf32_values();
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const X{{std::ssize(values)}};
  auto const Y = compute<"Y">(i) = round_to_tf32(X(i));
  auto const made = lower(schedule(Y).bind(i, ir::loop_kind::thread_x).space(), {});
  ir::ndarray x(dtype::f32, {std::ssize(values)});
  for (std::size_t e = 0; e < values.size(); ++e) x.reals[e] = static_cast<double>(values[e].from());
  auto const program = op(inputs(X), outputs(Y), "rounded").program();
  CHECK(ttune_test::difference_on_device(80, made, program, {x}, ir::evaluate(*program, std::vector{x}), 0) == "");
  auto const found = ttune_test::run_on_cpu(codegen::cuda(made, cuda::target_of_architecture(80)), made, {x})[0].reals;
  for (std::size_t e = 0; e < values.size(); ++e) {
    INFO(values[e].bits);
    CHECK(values[e].is(static_cast<float>(found[e])));
  }
}

TEST_CASE("derived for tensor cores: the stage that takes the results is in the same kernel") {
  check_derived(ops::matmul_bias_gelu<f16>(32, 64, 64).program(), 2);
  check_derived(ops::conv2d_bias_residual_relu<bf16>({1, 32, 4, 8, 16, 1, 1, 0}).program(), 2);
}

TEST_CASE("derived for tensor cores: configurations become cubins, the seed spills nothing") {
  TTUNE_SKIP_UNLESS_NVRTC();
  rng random(ttune_test::seed());
  for (int const architecture : {80, 90}) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    for (auto const& program :
         {ops::matmul<f16>(512, 512, 512).program(), ops::matmul<bf16>(256, 1024, 512, {false, true}).program(),
          ops::matmul_bias_gelu<f16>(512, 512, 256).program(), ops::matmul_tf32(512, 512, 512).program(),
          ops::matmul_tf32(256, 1024, 512, {false, true}).program()}) {
      auto const of = derive_space(program, backend.target());
      auto const p = make_plan(of);
      sampler const draws(of.knobs, of.constraints);
      REQUIRE(draws.valid(of.seed));
      for (int i = 0; i < 3; ++i) {
        auto const chosen = i == 0 ? of.seed : draws.draw(random);
        auto const result = backend.compile(lower(p, chosen), {});
        INFO(detail::describe_choices(of.knobs, chosen), "\n", result.diagnostics);
        REQUIRE(result.image);
        CHECK(backend.last_resources()[0].spill_bytes <= (i == 0 ? 0 : 256));  // some of a thread's 128 sums may spill
        if (i == 0)
          MESSAGE(program->name, ", sm_", architecture, ": ", backend.last_resources()[0].registers,
                  " registers, compiled in ", 1e3 * result.seconds, " ms");
      }
    }
  }
}

TEST_CASE("derived for tensor cores: none where there is no instruction, or no whole matrix") {
  auto const has = [](handle<ir::program> const& program, int architecture) {
    auto const of = derive_space(program, cuda::target_of_architecture(architecture));
    return std::any_of(of.steps.begin(), of.steps.end(), [](step const& s) { return s.what == primitive::tensorize; });
  };
  CHECK(has(ops::matmul<f16>(64, 64, 64).program(), 80));
  CHECK(has(ops::matmul<f16>(64, 64, 64).program(), 75));
  CHECK_FALSE(has(ops::matmul<bf16>(64, 64, 64).program(), 75));
  CHECK_FALSE(has(ops::matmul<f16>(64, 64, 64).program(), 61));
  CHECK_FALSE(has(ops::matmul<f16>(60, 64, 64).program(), 80));
  CHECK_FALSE(has(ops::matmul<float>(64, 64, 64).program(), 80));
  CHECK(has(ops::matmul_tf32(64, 64, 60).program(), 80));
  CHECK_FALSE(has(ops::matmul_tf32(64, 64, 64).program(), 75));
  CHECK_FALSE(has(ops::matmul_tf32(64, 64, 62).program(), 80));
}

}  // namespace derived_matrices_tests
