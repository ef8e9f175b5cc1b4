// SPDX-License-Identifier: Apache-2.0
// Suite gpu-gemm: matrix products of f32 on the first NVIDIA GPU, against cuBLAS; in mode tf32 it may use TF32.
#include <ttune/ops/matmul.hpp>

#include "gpu_cases.hpp"

namespace {

using namespace ttune_bench;

/// Row-major C = A B is column-major C' = B' A'.
gpu::contender cublas(int math, gemm_problem const& problem, gpu::memory const& a, gpu::memory const& b,
                      gpu::memory const& c, gpu::device const& on) {
  return gpu::contender_of("cublas", [&](gpu::contender& made) {
    gpu::handle library = nullptr;
    gpu::check(gpu::cublasCreate(&library), "cublasCreate");
    std::shared_ptr<void> const owner(library, [](gpu::handle h) { (void)gpu::cublasDestroy(h); });
    gpu::check(gpu::cublasSetStream(library, on.stream()), "cublasSetStream");
    gpu::check(gpu::cublasSetMathMode(library, math), "cublasSetMathMode");
    auto const size = [](std::int64_t n) { return static_cast<int>(n); };
    made.enqueue = [owner, m = size(problem.shape.m), n = size(problem.shape.n), k = size(problem.shape.k),
                    pa = a.floats(), pb = b.floats(), pc = c.floats()] {
      constexpr int as_it_is = 0;
      float const one = 1;
      float const zero = 0;
      gpu::check(gpu::cublasSgemm(owner.get(), as_it_is, as_it_is, n, m, k, &one, pb, n, pa, k, &zero, pc, n),
                 "cublasSgemm");
    };
  });
}

std::vector<gemm_shape> cases(options const& chosen) {
  std::vector<gemm_shape> all;
  for (std::int64_t n = 1024; n <= 8192; n *= 2) all.push_back(make_gemm(n, n, n));
  all.push_back(make_gemm(16, 4096, 4096));
  all.push_back(make_gemm(128, 4096, 1024));
  if (!chosen.cases.empty()) {
    auto const small = gemm_cases();  // by name only
    for (auto const& s : small)
      if (std::ranges::find(all, s.name, &gemm_shape::name) == all.end()) all.push_back(s);
  }
  std::erase_if(all, [&](auto const& s) { return !chosen.wants_case(s.name); });
  return all;
}

int run(options const& given) {
  auto chosen = given;
  chosen.mode = mode_of(given, "gpu-gemm", {"f32", "tf32"});
  if (!gpu::has_device("gpu-gemm")) return skipped;
  gpu::device const on;
  reporter report("gpu-gemm", ", " + chosen.mode, {"ttune", "cublas"}, chosen);
  int const math = chosen.mode == "tf32" ? gpu::cublas_tf32_math : gpu::cublas_default_math;
  for (auto const& shape : cases(chosen)) {
    gemm_problem const problem(shape);
    buffer const out(shape.m * shape.n);
    gpu::memory const a(problem.a), b(problem.b), c(out);
    std::vector<gpu::contender> all;
    all.push_back(gpu::tuned(ttune::ops::matmul(shape.m, shape.n, shape.k), {a.at(), b.at(), c.at()}, on, chosen));
    all.push_back(cublas(math, problem, a, b, c, on));
    std::erase_if(all, [&](auto const& s) { return !chosen.wants_system(s.system); });
    gpu::run_case("gpu-gemm", problem, c, out, std::move(all), on, chosen, report);
  }
  return report.finish();
}

add_suite const suite{{"gpu-gemm", "matrix products of f32 on the first NVIDIA GPU, against cuBLAS", run}};

}  // namespace
