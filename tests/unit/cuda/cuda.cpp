// SPDX-License-Identifier: Apache-2.0
// The way to cubin: NVRTC compiles kernels of all kinds for several architectures. If there is a device, they
// run.
#include "ttune/backends/cuda.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "support/cuda_on_cpu.hpp"
#include "support/device_run.hpp"
#include "support/random_program.hpp"
#include "support/random_schedule.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/space/sampler.hpp"

using namespace ttune;

#define TTUNE_SKIP_UNLESS_NVRTC() TTUNE_SKIP_UNLESS("nvrtc", cuda::nvrtc().failure().empty(), cuda::nvrtc().failure())
#define TTUNE_SKIP_UNLESS_CUDA() TTUNE_SKIP_UNLESS("cuda", !cuda::devices().empty(), cuda::why_no_devices())

namespace {

/// Returns sm_61 if the toolkit still has it, sm_80, sm_90 and its newest architecture.
std::vector<int> wanted_architectures() {
  auto const all = cuda::architectures();
  std::vector<int> made;
  for (int const a : {61, 80, 90, all.empty() ? 90 : *std::max_element(all.begin(), all.end())})
    if (std::find(all.begin(), all.end(), a) != all.end() && std::find(made.begin(), made.end(), a) == made.end())
      made.push_back(a);
  return made;
}

ir::lowered lowered_of(space const& s, configuration const& chosen) { return lower(s, chosen); }

/// C (n) = A (n) + 1 over blocks and threads
ir::lowered plus_one(std::int64_t blocks, std::int64_t threads, std::int64_t group_elements = 0) {
  ir::lowered made;
  made.name = "plus_one";
  auto const n = blocks * threads;
  auto const a = share(ir::buffer{{}, "A", dtype::f32, {n}, ir::memory::operand, 0, {}});
  auto const c = share(ir::buffer{{}, "C", dtype::f32, {n}, ir::memory::operand, 1, {}});
  made.operands = {a, c};
  auto const at = ir::make_variable("b") * threads + ir::make_variable("t");
  auto body = ir::make_store(c, {at}, ir::make_access(a, {at}) + ir::make_real(dtype::f32, 1));
  body = ir::make_loop("t", ir::make_index(0), ir::make_index(threads), ir::loop_kind::thread_x, body);
  if (group_elements > 0)
    body =
        ir::make_allocate(share(ir::buffer{{}, "G", dtype::f32, {group_elements}, ir::memory::shared, -1, {}}), body);
  made.body = ir::make_loop("b", ir::make_index(0), ir::make_index(blocks), ir::loop_kind::block_x, body);
  return made;
}

}  // namespace

TEST_CASE("cuda_backend: no device is a value with a reason") {
  if (!cuda_backend::devices().empty()) return;
  cuda_backend const none;
  CHECK_FALSE(none.availability());
  CHECK_FALSE(none.availability().reason.empty());
  CHECK_FALSE(cuda::why_no_devices().empty());
}

TEST_CASE("cuda_backend: a target that is no NVIDIA GPU is refused") {
  target other;
  other.name = "toaster";
  CHECK_THROWS_WITH_AS(cuda_backend{other},
                       "the target \"toaster\" is no NVIDIA GPU: its cpu is \"generic\", not as sm_80", argument_error);
  CHECK(cuda::architecture_of(cuda::target_of_architecture(103)) == 103);
  CHECK(cuda::target_of_architecture(61).block_bytes == 48 << 10);
  CHECK(cuda::target_of_architecture(90).block_bytes == 227 << 10);
  CHECK(cuda::target_of_architecture(62).block_bytes == 48 << 10);  // an architecture that is not in the table
}

TEST_CASE("cuda_backend: programs that no device can run are refused before compilation") {
  cuda_backend backend(cuda::target_of_architecture(80));
  CHECK(backend.compile(plus_one(4, 1025), {}).diagnostics ==
        "plus_one_kernel_0 has blocks of 1025 threads, the device takes 1024");
  cuda_backend small(cuda::target_of_architecture(61));
  CHECK(small.compile(plus_one(4, 32, 12289), {}).diagnostics ==
        "plus_one_kernel_0 wants 49168 bytes of shared memory, the device has 49152");
  CHECK(backend.compile(plus_one(4, 32, 163 * 256 + 1), {}).diagnostics ==
        "plus_one_kernel_0 wants 166928 bytes of shared memory, the device has 166912");
}

TEST_CASE("cuda: more shared memory than a text may declare is one array whose size the launch says") {
  auto const machine = cuda::target_of_architecture(80);
  auto const declared = codegen::cuda(plus_one(4, 32, 12288), machine);
  CHECK(declared.source.find("extern __shared__") == std::string::npos);
  CHECK(declared.main[0].group_bytes == 48 << 10);
  CHECK(declared.main[0].launch_bytes == 0);
  auto const asked = codegen::cuda(plus_one(4, 32, 12289), machine);
  CHECK(asked.source.find("extern __shared__ __align__(16) unsigned char ttune_group_memory[];") != std::string::npos);
  CHECK(asked.source.find("float* const G = (float*)(ttune_group_memory + 0);") != std::string::npos);
  CHECK(asked.main[0].launch_bytes == 49168);
  CHECK(asked.main[0].group_bytes == 49168);
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
      auto const made = lowered_of(of, chosen);
      auto const text = codegen::cuda(made, machine);
      INFO("sm_", architecture, "\n", detail::describe_choices(of.knobs, chosen));
      REQUIRE(text.main[0].group_bytes <= machine.block_bytes);
      found = text.main[0].launch_bytes > 64 << 10;
      if (!found) continue;
      if (ttune_test::can_run_cuda_on_cpu())
        CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-3) == "",
                      text.source);
      if (!cuda::nvrtc().failure().empty()) continue;
      cuda_backend backend(machine);
      auto const result = backend.compile(made, {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].block_bytes == 0);
    }
    CHECK(found);
  }
}

TEST_CASE("cuda: resources from the assembler's log") {
  auto const found = cuda::resources_of(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k2' for 'sm_80'\n"
      "ptxas info    : Function properties for k2\n"
      "ptxas         .     40 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 256 bytes smem, 368 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].kernel == "k2");
  CHECK(found[0].registers == 168);
  CHECK(found[0].spill_bytes == 28);
  CHECK(found[0].stack_bytes == 40);
  CHECK(found[0].block_bytes == 256);
  CHECK(found[1].kernel == "k");
  CHECK(found[1].registers == 8);
  CHECK(found[1].block_bytes == 0);
}

TEST_CASE("cuda: a text becomes a cubin, a wrong one diagnostics") {
  TTUNE_SKIP_UNLESS_NVRTC();
  cuda_backend backend(cuda::target_of_architecture(80));
  CHECK(backend.availability());
  auto const made = backend.compile(plus_one(4, 96), {});
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  CHECK(made.image->device == "cuda");
  CHECK(made.image->target == "cuda sm_80");
  REQUIRE(backend.last_resources().size() == 1);
  CHECK(backend.last_resources()[0].kernel == "plus_one_kernel_0");
  CHECK(backend.last_resources()[0].registers > 0);
  CHECK(backend.last_resources()[0].spill_bytes == 0);
  std::string said;
  CHECK_FALSE(cuda::compile("__global__ void k( {", 80, said));
  CHECK(said.find("error") != std::string::npos);
  CHECK_FALSE(cuda::compile("", 7, said));  // no such architecture
  CHECK_FALSE(said.empty());
}

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
  auto const made = lowered_of(space, chosen);
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

TEST_CASE("cuda: a portable kernel is PTX, which sm_90's own instructions cannot be") {
  TTUNE_SKIP_UNLESS_NVRTC();
  cuda_backend backend(cuda::target_of_architecture(80), {.portable = true});
  auto const of = derive_space(ops::softmax<float>(3, 300).program(), backend.target());
  auto const result = backend.compile(lowered_of(of, of.seed), {});
  REQUIRE_MESSAGE(result.image, result.diagnostics);
  auto const payload = codegen::payload_from_bytes(result.image->code);
  CHECK(payload.device == "compute_80");
  std::string const text(payload.binary.begin(), payload.binary.end());
  CHECK(text.find(".target sm_80") != std::string::npos);
  CHECK(text.back() == '\0');
  cuda_backend newest(cuda::target_of_architecture(90), {.portable = true});
  auto const product = derive_space(ops::matmul<f16>(256, 256, 256).program(), newest.target());
  auto const refused = newest.compile(lowered_of(product, product.seed), {});
  CHECK_FALSE(refused.image);
  CHECK(refused.diagnostics ==
        "products of four warps (wgmma) run on sm_90 alone: tune a portable kernel for "
        "cuda::target_of_architecture(80)");
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
      auto const result = backend.compile(lowered_of(of, of.seed), {});
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
    auto const result = backend.compile(lowered_of(of, chosen), {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    for (auto const& used : backend.last_resources()) CHECK(used.stack_bytes <= used.spill_bytes);
  }
}

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
      auto const made = lowered_of(of, chosen);
      auto const text = codegen::cuda(made, cuda::target_of_architecture(80));
      INFO(detail::describe_choices(of.knobs, chosen), "\n", text.source);
      CHECK(text.main.size() == 1);
      CHECK(text.source.find("__shfl_xor_sync(0xffffffffu, ") != std::string::npos);
      if (ttune_test::can_run_cuda_on_cpu())
        CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-5) == "");
    }
    if (!cuda::nvrtc().failure().empty()) continue;
    for (int const architecture : wanted_architectures()) {
      cuda_backend backend(cuda::target_of_architecture(architecture));
      auto const result = backend.compile(lowered_of(of, of.seed), {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].spill_bytes == 0);
    }
  }
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
      auto const made = lowered_of(of, chosen);
      auto const text = codegen::cuda(made, cuda::target_of_architecture(90));
      INFO(detail::describe_choices(of.knobs, chosen), "\n", text.source);
      CHECK(text.main.size() == kernels);
      if (ttune_test::can_run_cuda_on_cpu())
        CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-3) == "");
    }
  }
  if (!cuda::nvrtc().failure().empty()) return;
  for (int const architecture : wanted_architectures()) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    for (auto const& program : {ops::attention_in_chunks<float>(1024, 1024, 64, 64).program(),
                                ops::attention_in_chunks<f16>(1024, 1024, 64, 64).program()}) {
      auto const of = derive_space(program, backend.target());
      auto const result = backend.compile(lowered_of(of, of.seed), {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      for (auto const& used : backend.last_resources()) CHECK(used.spill_bytes == 0);
      MESSAGE(program->name, ", sm_", architecture, ": ", backend.last_resources()[0].registers,
              " registers, compiled in ", 1e3 * result.seconds, " ms");
    }
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
    auto const made = lowered_of(of, of.seed);
    auto const text = codegen::cuda(made, backend.target());
    REQUIRE(text.main.size() == 2);
    CHECK(text.main[0].groups[0] >= 3 * backend.target().cores);
    auto const result = backend.compile(made, {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    for (auto const& used : backend.last_resources()) CHECK(used.spill_bytes == 0);
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

TEST_CASE("cuda: random programs on blocks and threads become cubins, and run where there is a device") {
  TTUNE_SKIP_UNLESS_NVRTC();
  auto const architectures = wanted_architectures();
  auto const devices = cuda::devices();
  ttune_test::primitive_counts counts;
  auto const seed = ttune_test::seed();
  int compiled = 0;
  for (std::uint64_t n = 0; compiled < 24; ++n) {
    rng random(seed + n);
    auto const p = ttune_test::random_program(random);
    auto const s = ttune_test::random_schedule(random, p, counts, ttune_test::gpu_schedules());
    auto const chosen = ttune_test::random_choices(random, s.knobs);
    ir::lowered made;
    try {
      made = lowered_of(s, chosen);
    } catch (schedule_error const&) {
      continue;  // a place chosen by a knob does not suit all readers
    }
    cuda_backend backend(devices.empty() ? cuda::target_of_architecture(architectures[n % architectures.size()])
                                         : cuda::target_of(devices[0]));
    auto const result = backend.compile(made, {});
    if (result.diagnostics.find(", a device takes ") != std::string::npos) continue;  // too many threads were drawn
    REQUIRE_MESSAGE(result.image, "TTUNE_SEED=", seed + n, "\n", result.diagnostics, "\n", ir::print(made));
    ++compiled;
    if (devices.empty()) continue;
    auto const operands = ttune_test::random_operands(*p, random);
    auto const got = ttune_test::run_on(backend, made, p, operands);
    CHECK_MESSAGE(got.how.ok(), "TTUNE_SEED=", seed + n, "\n", name_of(got.how.status), ": ", got.how.message);
    if (got.how.ok()) CHECK(ttune_test::difference(ir::evaluate(*p, operands), got.results, 1e-4) == "");
  }
}

TEST_CASE("cuda: a kernel runs on the device") {
  TTUNE_SKIP_UNLESS_CUDA();
  cuda_backend backend;
  kernel_signature signature;
  signature.name = "plus_one";
  for (auto const direction : {operand_direction::in, operand_direction::out}) {
    operand_info o;
    o.name = direction == operand_direction::in ? "A" : "C";
    o.shape = {384};
    o.direction = direction;
    signature.operands.push_back(o);
  }
  auto const made = backend.compile(plus_one(4, 96), signature);
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  std::vector<float> a(384, 2);
  std::vector<float> c(384);
  void* operands[] = {a.data(), c.data()};
  kernel_call const call(load(*made.image));
  call(operands);
  CHECK(c == std::vector<float>(384, 3));
}

TEST_CASE("cuda: fewer optimizations give the same kernels, and another compiler works beside the first") {
  TTUNE_SKIP_UNLESS_NVRTC();
  cuda_backend thorough(cuda::target_of_architecture(90));
  cuda_backend fast(cuda::target_of_architecture(90), {.fast = true});
  auto const program = plus_one(4, 96);
  auto const a = thorough.compile(program, {});
  auto const b = fast.compile(program, {});
  REQUIRE_MESSAGE(b.image, b.diagnostics);
  REQUIRE(fast.last_resources().size() == thorough.last_resources().size());
  CHECK(fast.last_resources()[0].kernel == thorough.last_resources()[0].kernel);
  auto const other = thorough.another();
  REQUIRE(other);
  compile_result beside;
  {
    std::jthread const thread([&] { beside = other->compile(program, {}); });
    CHECK(thorough.compile(program, {}).image);
  }
  REQUIRE(beside.image);
  CHECK(beside.image->code == a.image->code);
}

TEST_CASE("cuda: images say what is missing where they cannot run") {
  TTUNE_SKIP_UNLESS_NVRTC();
  if (!cuda::devices().empty()) return;
  cuda_backend backend(cuda::target_of_architecture(90));
  auto const made = backend.compile(plus_one(1, 32), {});
  REQUIRE(made.image);
  CHECK_THROWS_AS((void)load(*made.image), backend_error);
}
