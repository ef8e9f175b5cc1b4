// SPDX-License-Identifier: Apache-2.0
// Suite gpu-gemm: matrix products on the first NVIDIA GPU, compared with cuBLAS: in f32; in mode tf32 with operands
// rounded to TF32; in modes f16 and bf16 with such operands and sums of f32, on tensor cores. In f16_mma and bf16_mma
// ttune uses the products of single warps, where four could multiply together.
#include <ttune/ops/matmul.hpp>

#include "../types_problem.hpp"
#include "gpu_cublas.hpp"

namespace {

using namespace ttune_bench;

std::vector<gemm_shape> cases(options const& chosen) {
  std::vector<gemm_shape> all;
  for (std::int64_t n = 1024; n <= 8192; n *= 2) all.push_back(make_gemm(n, n, n));
  all.push_back(make_gemm(16, 4096, 4096));
  all.push_back(make_gemm(128, 4096, 1024));
  if (!chosen.cases.empty()) {
    auto const small = gemm_cases();  // only for their names
    for (auto const& s : small)
      if (std::ranges::find(all, s.name, &gemm_shape::name) == all.end()) all.push_back(s);
  }
  std::erase_if(all, [&](auto const& s) { return !chosen.wants_case(s.name); });
  return all;
}

/// Prepares one case: operands of a problem, a product of the same shape.
template <class Problem, class Op>
void run_product(Problem const& problem, Op const& op, gpu::device const& on, options const& chosen, reporter& report,
                 bool four_warps = true) {
  buffer const out(problem.outputs());
  gpu::memory const a(problem.a), b(problem.b), c(out);
  std::vector<gpu::contender> all;
  all.push_back(gpu::tuned(op, {a.at(), b.at(), c.at()}, on, chosen, gpu::first_device(four_warps)));
  all.push_back(gpu::contender_of("cublas", [&](gpu::contender& made) {
    auto const& s = problem.shape;
    made.enqueue = [by = gpu::blas(on, chosen.mode), p = gpu::product{s.m, s.n, s.k}, &a, &b, &c] {
      by.enqueue(p, a, b, c);
    };
  }));
  std::erase_if(all, [&](auto const& s) { return !chosen.wants_system(s.system); });
  gpu::run_case("gpu-gemm", problem, c, out, std::move(all), on, chosen, report);
}

int run(options const& given) {
  auto chosen = given;
  chosen.mode = mode_of(given, "gpu-gemm", {"f32", "tf32", "f16", "bf16", "f16_mma", "bf16_mma"});
  if (!gpu::has_device("gpu-gemm")) return skipped;
  gpu::device const on;
  reporter report("gpu-gemm", ", " + chosen.mode, {"ttune", "cublas"}, chosen);
  auto const single = chosen.mode.find("_mma");
  bool const four_warps = single == std::string::npos;
  chosen.mode.resize(std::min(single, chosen.mode.size()));  // for the peers this is the same mode
  for (auto const& s : cases(chosen)) {
    using ttune::ops::matmul;
    auto const narrow = [&](narrow_type type) { return types_problem(types_shape{s.name, type, s.m, s.n, s.k}); };
    if (chosen.mode == "f16")
      run_product(narrow(narrow_type::f16), matmul<ttune::f16>(s.m, s.n, s.k), on, chosen, report, four_warps);
    else if (chosen.mode == "bf16")
      run_product(narrow(narrow_type::bf16), matmul<ttune::bf16>(s.m, s.n, s.k), on, chosen, report, four_warps);
    else if (chosen.mode == "tf32")
      run_product(gemm_problem(s), ttune::ops::matmul_tf32(s.m, s.n, s.k), on, chosen, report);
    else run_product(gemm_problem(s), matmul(s.m, s.n, s.k), on, chosen, report);
  }
  return report.finish();
}

add_suite const suite{{"gpu-gemm", "matrix products of f32, f16 or bf16 on the first NVIDIA GPU, against cuBLAS", run}};

}  // namespace
