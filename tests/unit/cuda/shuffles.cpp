// SPDX-License-Identifier: Apache-2.0
// Reductions of rows: threads of a warp exchange their parts by shuffles, in one kernel or in two.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "support/cuda_on_cpu.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/kernel_passes.hpp"
#include "support/on_device.hpp"
#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/space/sampler.hpp"

namespace shuffles_tests {

using namespace ttune;
using ttune_test::wanted_architectures;

TEST_CASE("cuda: rows are reduced by shuffles, in one kernel that spills nothing") {
  rng random(ttune_test::seed());
  for (auto const& program : {ops::softmax<float>(3, 300).program(), ops::softmax<double>(2, 200).program(),
                              ops::layer_norm<float>(3, 257).program(), ops::softmax<float>(1, 1024).program()}) {
    auto const of = derive_space(program, cuda::target_of_architecture(80));
    auto const p = make_plan(of);
    sampler const draws(of.knobs, of.constraints);
    auto const operands = ttune_test::random_operands(*program, random);
    auto const wanted = ir::evaluate(*program, operands);
    for (int i = 0; i < 3; ++i) {
      auto const chosen = i == 0 ? of.seed : draws.draw(random);
      auto const made = lower(of, chosen);
      auto const text = codegen::cuda(made, cuda::target_of_architecture(80));
      INFO(detail::describe_choices(of.knobs, chosen), "\n", text.source);
      CHECK(text.main.size() == 1);
      CHECK(text.source.find("__shfl_xor_sync(0xffffffffu, ") != std::string::npos);
      auto const printed = ttune_test::after_kernel_passes(made, cuda::target_of_architecture(80));
      CHECK(ir::print(printed).find("warp_reduce") != std::string::npos);
      CHECK(ttune_test::difference(wanted, ir::run(printed, *program, operands), 1e-5) == "");
      if (ttune_test::can_run_cuda_on_cpu())
        CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-5) == "");
      CHECK(ttune_test::difference_on_device(80, made, program, operands, wanted, 1e-5) == "");
    }
    if (!ttune_test::has_nvrtc()) continue;
    for (int const architecture : wanted_architectures()) {
      cuda_backend backend(cuda::target_of_architecture(architecture));
      auto const result = backend.compile(lower(of, of.seed), {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].spill_bytes == 0);
    }
  }
}

TEST_CASE("cuda: threads that are no whole warps, or go different ways, do not shuffle") {
  auto const text_of = [](std::int64_t threads, bool apart, std::int64_t columns) {
    auto const out = share(ir::buffer{{}, "C", dtype::f32, {threads}, ir::memory::operand, 0, {}});
    auto const shared = share(ir::buffer{{}, "G", dtype::f32, {columns * 32}, ir::memory::shared, -1, {}});
    auto const own = share(ir::buffer{{}, "S", dtype::f32, {1}, ir::memory::local, -1, {}});
    auto const t = ir::make_variable("t");
    auto const zero = ir::make_index(0);
    auto const sum = [&](ir::expr const& incoming) {
      return ir::make_store(own, {zero}, ir::make_access(own, {zero}) + incoming);
    };
    auto const row = columns == 1 ? zero : t;  // another row for each thread
    auto reduce = ir::make_loop("w", zero, ir::make_index(32), ir::loop_kind::unrolled,
                                sum(ir::make_access(shared, {row * 32 + ir::make_variable("w")})));
    if (apart)
      reduce = ir::make_conditional(ir::make_binary(ir::binary_op::less, t, ir::make_index(threads / 2 + 1)), reduce);
    ir::lowered made;
    made.name = "reduced";
    made.operands = {out};
    auto body = ir::make_block({ir::make_store(own, {zero}, ir::make_real(dtype::f32, 0)), reduce,
                                ir::make_store(out, {t}, ir::make_access(own, {zero}))});
    body = ir::make_loop("t", zero, ir::make_index(threads), ir::loop_kind::thread_x, ir::make_allocate(own, body));
    made.body = ir::make_loop("b", zero, ir::make_index(2), ir::loop_kind::block_x, ir::make_allocate(shared, body));
    return codegen::cuda(made, cuda::target_of_architecture(80)).source;
  };
  auto const shuffles = [](std::string const& text) { return text.find("__shfl") != std::string::npos; };
  CHECK(shuffles(text_of(64, false, 1)));
  CHECK_FALSE(shuffles(text_of(48, false, 1)));
  CHECK_FALSE(shuffles(text_of(64, true, 1)));
  CHECK_FALSE(shuffles(text_of(64, false, 64)));
}

TEST_CASE("cuda: attention in one kernel, or in two by chunks of the keys, computes the program") {
  rng random(ttune_test::seed());
  struct expected {
    handle<ir::program> program;
    std::size_t kernels;
  };
  for (auto const& [program, kernels] : {expected{ops::attention<float>(33, 64, 24).program(), 1},
                                         expected{ops::attention_in_chunks<float>(40, 96, 20, 32).program(), 2},
                                         expected{ops::attention_in_chunks<f16>(16, 64, 64, 64).program(), 2}}) {
    auto const of = derive_space(program, cuda::target_of_architecture(90));
    sampler const draws(of.knobs, of.constraints);
    auto const operands = ttune_test::random_operands(*program, random);
    auto const wanted = ir::evaluate(*program, operands);
    for (int i = 0; i < 3; ++i) {
      auto const chosen = i == 0 ? of.seed : draws.draw(random);
      auto const made = lower(of, chosen);
      auto const text = codegen::cuda(made, cuda::target_of_architecture(90));
      INFO(detail::describe_choices(of.knobs, chosen), "\n", text.source);
      CHECK(text.main.size() == kernels);
      if (ttune_test::can_run_cuda_on_cpu())
        CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-3) == "");
      CHECK(ttune_test::difference_on_device(90, made, program, operands, wanted, 1e-3) == "");
    }
  }
  if (!ttune_test::has_nvrtc()) return;
  for (int const architecture : wanted_architectures()) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    for (auto const& program : {ops::attention_in_chunks<float>(1024, 1024, 64, 64).program(),
                                ops::attention_in_chunks<f16>(1024, 1024, 64, 64).program()}) {
      auto const of = derive_space(program, backend.target());
      auto const result = backend.compile(lower(of, of.seed), {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      for (auto const& used : backend.last_resources()) CHECK(used.spill_bytes == 0);
      MESSAGE(program->name, ", sm_", architecture, ": ", backend.last_resources()[0].registers,
              " registers, compiled in ", 1e3 * result.seconds, " ms");
    }
  }
}

}  // namespace shuffles_tests
