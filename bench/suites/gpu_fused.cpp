// SPDX-License-Identifier: Apache-2.0
// Suite gpu-fused: cases of suite fusion on the first NVIDIA GPU, f32, compared with the sequence of calls of cuBLAS
// and cuDNN that computes the same. In mode tf32 these may use TF32.
#include <ttune/ops/attention.hpp>
#include <ttune/ops/fused.hpp>
#include <ttune/ops/matmul.hpp>

#include <cmath>

#include "../fusion_problem.hpp"
#include "gpu_cublas.hpp"
#include "gpu_cudnn.hpp"

namespace {

using namespace ttune_bench;

/// Returns the cases for which the libraries need few calls, with small and larger products.
std::vector<fusion_shape> cases() {
  auto all = fusion_cases();
  std::erase_if(all, [](fusion_shape const& s) {
    return s.what != fusion::conv_residual && s.what != fusion::attention && s.what != fusion::small_products;
  });
  all.push_back({"products_128", fusion::small_products, 64, 128, 128, 128});
  return all;
}

using operands = std::vector<std::unique_ptr<gpu::memory>>;  // the output is the last one

gpu::contender tuned(fusion_shape const& s, operands const& in, gpu::device const& on, options const& chosen) {
  std::vector<ttune::cuda::device_pointer> at;
  for (auto const& o : in) at.push_back(o->at());
  auto const& c = s.image;
  switch (s.what) {
    case fusion::conv_residual:
      return gpu::tuned(ttune::ops::conv2d_bias_residual_relu(
                            {1, c.channels, c.height, c.width, c.filters, c.kernel, c.stride, c.padding}),
                        std::move(at), on, chosen);
    case fusion::attention:
      return gpu::tuned(ttune::ops::attention_alternatives(s.m, s.n, s.k), std::move(at), on, chosen);
    default: return gpu::tuned(ttune::ops::batched_matmul(s.batch, s.m, s.n, s.k), std::move(at), on, chosen);
  }
}

/// Prepares softmax(Q K^T / sqrt(k)) V: two products, and a softmax between them.
std::function<void()> attention(fusion_shape const& s, operands const& in, gpu::device const& on,
                                std::string const& mode) {
  struct sequence {
    gpu::blas products;
    gpu::softmax_of_rows softmax;
    gpu::memory scores;  // (m, n)
    sequence(fusion_shape const& s, gpu::device const& on, std::string const& mode)
        : products(on, mode), softmax(s.m, s.n, on), scores(static_cast<std::size_t>(s.m * s.n) * sizeof(float)) {}
  };
  auto const by = std::make_shared<sequence>(s, on, mode);
  gpu::product const scores{s.m, s.n, s.k, 1, 1 / std::sqrt(static_cast<float>(s.k)), true};
  gpu::product const values{s.m, s.k, s.n};
  return [by, scores, values, &in] {
    by->products.enqueue(scores, *in[0], *in[1], by->scores);
    by->softmax.enqueue(by->scores);
    by->products.enqueue(values, by->scores, *in[2], *in[3]);
  };
}

gpu::contender libraries(fusion_shape const& s, operands const& in, gpu::device const& on, std::string const& mode) {
  return gpu::contender_of("libraries", [&](gpu::contender& made) {
    if (s.what == fusion::conv_residual)
      made.enqueue = gpu::fastest_convolution(s.image, mode, on, [&in](auto const& by, auto const& how) {
        return by.enqueue(how, *in[0], *in[1], *in[2], *in[3], *in[4]);
      });
    else if (s.what == fusion::attention) made.enqueue = attention(s, in, on, mode);
    else
      made.enqueue = [by = gpu::blas(on, mode), p = gpu::product{s.m, s.n, s.k, s.batch}, &in] {
        by.enqueue(p, *in[0], *in[1], *in[2]);
      };
  });
}

int run(options const& given) {
  auto chosen = given;
  chosen.mode = mode_of(given, "gpu-fused", {"f32", "tf32"});
  if (!gpu::has_device("gpu-fused")) return skipped;
  gpu::device const on;
  reporter report("gpu-fused", ", " + chosen.mode, {"ttune", "libraries"}, chosen);
  for (auto const& s : cases()) {
    if (!chosen.wants_case(s.name)) continue;
    fusion_problem const problem(s);
    buffer const result(problem.outputs());
    operands all;
    for (auto const& o : problem.in) all.push_back(std::make_unique<gpu::memory>(o));
    all.push_back(std::make_unique<gpu::memory>(result));
    std::vector<gpu::contender> systems;
    systems.push_back(tuned(s, all, on, chosen));
    systems.push_back(libraries(s, all, on, chosen.mode));
    std::erase_if(systems, [&](auto const& c) { return !chosen.wants_system(c.system); });
    gpu::run_case("gpu-fused", problem, *all.back(), result, std::move(systems), on, chosen, report);
  }
  return report.finish();
}

add_suite const suite{{"gpu-fused",
                       "batched products, a fused convolution and attention on the first NVIDIA GPU, against libraries",
                       run}};

}  // namespace
