// SPDX-License-Identifier: Apache-2.0
// The backend: its targets, what it refuses, the way of a text to a cubin or to PTX, and images that are loaded.
#include "ttune/backends/cuda.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "support/cuda_toolkit.hpp"
#include "support/plus_kernel.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/schedule.hpp"

namespace cuda_tests {

using namespace ttune;
using ttune_test::plus_kernel;
using ttune_test::plus_signature;

TEST_CASE("cuda_backend: no device is a value with a reason") {
  TTUNE_SKIP_UNLESS("no device", cuda_backend::devices().empty(), "this machine has a device");
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
  CHECK(backend.compile(plus_kernel(4, 1025), {}).diagnostics ==
        "plus_one_kernel_0 has blocks of 1025 threads, the device takes 1024");
  cuda_backend small(cuda::target_of_architecture(61));
  CHECK(small.compile(plus_kernel(4, 32, {.group_elements = 12289}), {}).diagnostics ==
        "plus_one_kernel_0 wants 49168 bytes of shared memory, the device has 49152");
  CHECK(backend.compile(plus_kernel(4, 32, {.group_elements = 163 * 256 + 1}), {}).diagnostics ==
        "plus_one_kernel_0 wants 166928 bytes of shared memory, the device has 166912");
}

TEST_CASE("cuda: more shared memory than a text may declare is one array whose size the launch says") {
  auto const machine = cuda::target_of_architecture(80);
  auto const declared = codegen::cuda(plus_kernel(4, 32, {.group_elements = 12288}), machine);
  CHECK(declared.source.find("extern __shared__") == std::string::npos);
  CHECK(declared.main[0].group_bytes == 48 << 10);
  CHECK(declared.main[0].launch_bytes == 0);
  auto const asked = codegen::cuda(plus_kernel(4, 32, {.group_elements = 12289}), machine);
  CHECK(asked.source.find("extern __shared__ __align__(16) unsigned char ttune_group_memory[];") != std::string::npos);
  CHECK(asked.source.find("float* const G = (float*)(ttune_group_memory + 0);") != std::string::npos);
  CHECK(asked.main[0].launch_bytes == 49168);
  CHECK(asked.main[0].group_bytes == 49168);
}

TEST_CASE("cuda: a loop of thousands of iterations is unrolled in part: NVRTC takes minutes for all of them") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 1> const A{{4096}};
  auto const text_with = [&](std::int64_t iterations) {
    auto const C = compute<"C">(i.in(1), j.in(iterations)) = A(j) + 1.0f;
    auto const s = schedule(C).bind(i, ir::loop_kind::block_x).unroll(j).space();
    return codegen::cuda(lower(s, s.seed), cuda::target_of_architecture(80)).source;
  };
  CHECK(text_with(32).find("#pragma unroll\n") != std::string::npos);
  auto const long_loop = text_with(3008);
  CHECK_MESSAGE(long_loop.find("#pragma unroll 8\n") != std::string::npos, long_loop);
  CHECK(long_loop.find("#pragma unroll\n") == std::string::npos);
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
  auto const made = backend.compile(plus_kernel(4, 96), {});
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

TEST_CASE("cuda: a portable kernel is PTX, which sm_90's own instructions cannot be") {
  TTUNE_SKIP_UNLESS_NVRTC();
  cuda_backend backend(cuda::target_of_architecture(80), {.portable = true});
  auto const of = derive_space(ops::softmax<float>(3, 300).program(), backend.target());
  auto const result = backend.compile(lower(of, of.seed), {});
  REQUIRE_MESSAGE(result.image, result.diagnostics);
  auto const payload = codegen::payload_from_bytes(result.image->code);
  CHECK(payload.device == "compute_80");
  std::string const text(payload.binary.begin(), payload.binary.end());
  CHECK(text.find(".target sm_80") != std::string::npos);
  CHECK(text.back() == '\0');
  cuda_backend newest(cuda::target_of_architecture(90), {.portable = true});
  auto const product = derive_space(ops::matmul<f16>(256, 256, 256).program(), newest.target());
  auto const refused = newest.compile(lower(product, product.seed), {});
  CHECK_FALSE(refused.image);
  CHECK(refused.diagnostics ==
        "products of four warps (wgmma) run on sm_90 alone: tune a portable kernel for "
        "cuda::target_of_architecture(80)");
}

TEST_CASE("cuda: a kernel runs on the device") {
  TTUNE_SKIP_UNLESS_CUDA();
  cuda_backend backend;
  auto const made = backend.compile(plus_kernel(4, 96), plus_signature(384));
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
  auto const program = plus_kernel(4, 96);
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
  TTUNE_SKIP_UNLESS("no device", cuda::devices().empty(), "this machine has a device");
  cuda_backend backend(cuda::target_of_architecture(90));
  auto const made = backend.compile(plus_kernel(1, 32), {});
  REQUIRE(made.image);
  CHECK_THROWS_AS((void)load(*made.image), backend_error);
}

}  // namespace cuda_tests
