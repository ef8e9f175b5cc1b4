// SPDX-License-Identifier: Apache-2.0
// Compilers in processes of their own: what they refuse, and that they start again.
#include <doctest/doctest.h>

#include <string>

#include "support/cuda_toolkit.hpp"
#include "ttune/backends/cuda/remote_compiler.hpp"
#include "ttune/runtime/worker/compile_process.hpp"

namespace compile_process_tests {

using namespace ttune;

TEST_CASE("compile processes: a device without a compiler, and malformed requests, are refused; the next one works") {
  worker::compile_process process;
  REQUIRE(process.available());
  CHECK_THROWS_WITH_AS((void)process.compile("toaster", {}), "this worker has no compiler for toaster", backend_error);
  CHECK_THROWS_WITH_AS((void)process.compile("cuda", {}), "malformed bytes: they end too early", backend_error);
  TTUNE_SKIP_UNLESS_NVRTC();
  std::string said;
  CHECK_FALSE(cuda::compile_in(process, "__global__ void k( {", 80, said, {}));
  CHECK(said.find("error") != std::string::npos);
  auto const text = "extern \"C\" __global__ void k(float* a) { a[threadIdx.x] += 1; }";
  auto const made = cuda::compile_in(process, text, 80, said, {});
  REQUIRE_MESSAGE(made, said);
  auto const here = cuda::compile(text, 80, said);
  REQUIRE(here);
  REQUIRE(here->kernels.size() == 1);  // compiled again, not taken from a cache without its log
  CHECK(made->code == here->code);
  REQUIRE(made->kernels.size() == 1);
  CHECK(made->kernels[0].kernel == "k");
  CHECK(made->kernels[0].registers == here->kernels[0].registers);
}

TEST_CASE("compile processes: a compiler that takes too long is ended, and started again") {
  TTUNE_SKIP_UNLESS_NVRTC();
  worker::compile_process process;
  REQUIRE(process.available());
  byte_sink request;
  request.put(std::string("__global__ void k() {}"));
  request.put(std::int32_t{80});
  request.put(false);
  request.put(false);
  CHECK_THROWS_WITH_AS((void)process.compile("cuda", request.take(), 1e-3),
                       "the compiler for cuda takes longer than 0.001 s", backend_error);
  std::string said;
  CHECK_MESSAGE(cuda::compile_in(process, "__global__ void k() {}", 80, said, {}), said);
}

TEST_CASE("compile processes: those of a backend serve one user after the other") {
  cuda::compile_processes all;
  auto first = all.idle();
  REQUIRE(first);
  auto const* const known = first.get();
  auto const second = all.idle();
  CHECK(second.get() != known);
  first.reset();
  CHECK(all.idle().get() == known);
}

}  // namespace compile_process_tests
