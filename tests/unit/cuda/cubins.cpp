// SPDX-License-Identifier: Apache-2.0
// Kernels of operators become cubins for several architectures.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/cuda_on_cpu.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/space/sampler.hpp"

namespace cubins_tests {

using namespace ttune;
using ttune_test::wanted_architectures;

TEST_CASE("cuda: the convolution that AutoTVM was published with, for all architectures") {
  TTUNE_SKIP_UNLESS_NVRTC();
  ops::conv2d_shape const c7{1, 256, 28, 28, 128, 3, 2, 1};
  auto const space = ops::within_limits(ops::cuda_conv2d_template(c7), c7);
  configuration chosen{std::vector<std::int32_t>(space.knobs.size())};
  auto const choose = [&](std::size_t k, std::vector<std::int32_t> const& tuple) {
    for (std::int32_t i = 0; i < space.knobs[k].choices(); ++i)
      if (std::ranges::equal(space.knobs[k].choice(i), tuple)) chosen.choices[k] = i;
  };
  choose(0, {4, 2, 8, 2});
  choose(1, {2, 1, 7, 1});
  choose(2, {7, 1, 2, 1});
  choose(3, {32, 2, 4});
  choose(4, {3, 1, 1});
  choose(5, {1, 1, 3});
  auto const made = lower(space, chosen);
  for (int const architecture : wanted_architectures()) {
    INFO("sm_", architecture);
    cuda_backend backend(cuda::target_of_architecture(architecture));
    auto const result = backend.compile(made, {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    REQUIRE(backend.last_resources().size() == 1);
    auto const& used = backend.last_resources()[0];
    CHECK(used.registers > 0);
    CHECK(used.block_bytes == 4 * (8 * 15 * 3 + 32 * 8 * 3));
    MESSAGE("sm_", architecture, ": ", used.registers, " registers, compiled in ", 1e3 * result.seconds, " ms");
  }
}

TEST_CASE("cuda: derived spaces become cubins") {
  TTUNE_SKIP_UNLESS_NVRTC();
  for (int const architecture : wanted_architectures()) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    for (auto const& program :
         {ops::matmul<float>(256, 512, 128).program(), ops::conv2d({1, 64, 28, 28, 64, 3, 1, 1}).program(),
          ops::matmul_bias_gelu<float>(256, 512, 128).program(),
          ops::conv2d_bias_residual_relu<float>({1, 64, 28, 28, 64, 3, 1, 1}).program()}) {
      auto const of = derive_space(program, backend.target());
      auto const result = backend.compile(lower(of, of.seed), {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources().size() == 1);
      for (auto const& used : backend.last_resources()) CHECK(used.spill_bytes == 0);
      MESSAGE(program->name, ", sm_", architecture, ": ", backend.last_resources()[0].registers,
              " registers, compiled in ", 1e3 * result.seconds, " ms");
    }
  }
}

TEST_CASE("cuda: accumulators of threads are in registers, also at edges") {
  TTUNE_SKIP_UNLESS_NVRTC();
  cuda_backend backend(cuda::target_of_architecture(80));
  auto const of = derive_space(ops::conv2d({1, 32, 28, 28, 32, 3, 1, 1}).program(), backend.target());
  sampler const draws(of.knobs, of.constraints);
  rng random(7);
  for (int i = 0; i < 4; ++i) {
    auto const chosen = draws.draw(random);
    INFO(detail::describe_choices(of.knobs, chosen));
    auto const result = backend.compile(lower(of, chosen), {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    for (auto const& used : backend.last_resources()) CHECK(used.stack_bytes <= used.spill_bytes);
  }
}

TEST_CASE("cuda: derived tiles beyond 48 KiB of shared memory compute the same and become cubins") {
  auto const program = ops::matmul<f16>(256, 256, 256).program();
  rng random(ttune_test::seed());
  auto const operands = ttune_test::random_operands(*program, random);
  auto const wanted = ir::evaluate(*program, operands);
  for (int const architecture : {80, 86, 90}) {
    auto const machine = cuda::target_of_architecture(architecture);
    auto const of = derive_space(program, machine);
    sampler const draws(of.knobs, of.constraints);
    bool found = false;
    for (int draw = 0; draw < 200 && !found; ++draw) {
      auto const chosen = draws.draw(random);
      auto const made = lower(of, chosen);
      auto const text = codegen::cuda(made, machine);
      INFO("sm_", architecture, "\n", detail::describe_choices(of.knobs, chosen));
      REQUIRE(text.main[0].group_bytes <= machine.block_bytes);
      found = text.main[0].launch_bytes > 64 << 10;
      if (!found) continue;
      if (ttune_test::can_run_cuda_on_cpu())
        CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-3) == "",
                      text.source);
      if (!ttune_test::has_nvrtc()) continue;
      cuda_backend backend(machine);
      auto const result = backend.compile(made, {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].block_bytes == 0);
    }
    CHECK(found);
  }
}

TEST_CASE("cuda: products of few rows and long sums are shared by blocks, in two kernels that spill nothing") {
  TTUNE_SKIP_UNLESS_NVRTC();
  auto const [i, k] = axes<"i", "k">;
  tensor<"A", float, 1> const A{{10'000'000}};
  auto const S = compute<"S">(i.in(1)) = sum(over(k), A(k));
  auto machine = cuda::target_of_architecture(90);
  machine.cores = 132;
  cuda_backend backend(machine);
  for (auto const& program : {op(inputs(A), outputs(S), "total").program(), ops::matmul<float>(8, 4096, 1024).program(),
                              ops::matmul<float>(1, 4096, 1024).program()}) {
    auto const of = derive_space(program, backend.target());
    auto const made = lower(of, of.seed);
    auto const text = codegen::cuda(made, backend.target());
    REQUIRE(text.main.size() == 2);
    CHECK(text.main[0].groups[0] >= 3 * backend.target().cores);
    auto const result = backend.compile(made, {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    for (auto const& used : backend.last_resources()) CHECK(used.spill_bytes == 0);
  }
}

}  // namespace cubins_tests
