// SPDX-License-Identifier: Apache-2.0
// Suite gpu-conv: the convolutions of ResNet-18 on the first NVIDIA GPU, f32, against the best of cuDNN's algorithms;
// in mode tf32 these may use TF32.
#include <ttune/ops/conv2d.hpp>

#include "gpu_cases.hpp"

namespace {

using namespace ttune_bench;

/// Descriptors of one convolution, and scratch memory for its hungriest algorithm.
class cudnn_convolution {
 public:
  cudnn_convolution(conv_shape const& s, int math, gpu::device const& on) {
    gpu::check(gpu::cudnnCreate(&library_), "cudnnCreate");
    gpu::check(gpu::cudnnSetStream(library_, on.stream()), "cudnnSetStream");
    constexpr int nchw = 0;
    constexpr int f32 = 0;
    constexpr int cross_correlation = 1;
    auto const size = [](std::int64_t n) { return static_cast<int>(n); };
    gpu::check(gpu::cudnnCreateTensorDescriptor(&in_), "cudnnCreateTensorDescriptor");
    gpu::check(gpu::cudnnCreateTensorDescriptor(&out_), "cudnnCreateTensorDescriptor");
    gpu::check(gpu::cudnnCreateFilterDescriptor(&weights_), "cudnnCreateFilterDescriptor");
    gpu::check(gpu::cudnnCreateConvolutionDescriptor(&convolution_), "cudnnCreateConvolutionDescriptor");
    gpu::check(gpu::cudnnSetTensor4d(in_, nchw, f32, size(s.batch), size(s.channels), size(s.height), size(s.width)),
               "cudnnSetTensor4dDescriptor");
    gpu::check(gpu::cudnnSetTensor4d(out_, nchw, f32, size(s.batch), size(s.filters), size(s.out_height()),
                                     size(s.out_width())),
               "cudnnSetTensor4dDescriptor");
    gpu::check(
        gpu::cudnnSetFilter4d(weights_, f32, nchw, size(s.filters), size(s.channels), size(s.kernel), size(s.kernel)),
        "cudnnSetFilter4dDescriptor");
    gpu::check(gpu::cudnnSetConvolution2d(convolution_, size(s.padding), size(s.padding), size(s.stride),
                                          size(s.stride), 1, 1, cross_correlation, f32),
               "cudnnSetConvolution2dDescriptor");
    gpu::check(gpu::cudnnSetConvolutionMathType(convolution_, math), "cudnnSetConvolutionMathType");
    for (int number = 0; number < gpu::cudnn_algorithms; ++number) {
      std::size_t bytes = 0;
      if (gpu::cudnnGetConvolutionForwardWorkspaceSize(library_, in_, weights_, convolution_, out_, number, &bytes) !=
              0 ||
          bytes > most_scratch)
        continue;
      served_.push_back({number, bytes});
      scratch_bytes_ = std::max(scratch_bytes_, bytes);
    }
    scratch_ = std::make_unique<gpu::memory>(scratch_bytes_);
  }
  cudnn_convolution(cudnn_convolution const&) = delete;
  cudnn_convolution& operator=(cudnn_convolution const&) = delete;
  ~cudnn_convolution() {
    (void)gpu::cudnnDestroyConvolutionDescriptor(convolution_);
    (void)gpu::cudnnDestroyFilterDescriptor(weights_);
    (void)gpu::cudnnDestroyTensorDescriptor(in_);
    (void)gpu::cudnnDestroyTensorDescriptor(out_);
    (void)gpu::cudnnDestroy(library_);
  }

  struct algorithm {
    int number;
    std::size_t scratch_bytes;
  };
  [[nodiscard]] std::vector<algorithm> const& algorithms() const noexcept { return served_; }
  /// The library's status.
  [[nodiscard]] int enqueue(algorithm const& by, gpu::memory const& in, gpu::memory const& weights,
                            gpu::memory const& out) const {
    float const one = 1;
    float const zero = 0;
    return gpu::cudnnConvolutionForward(library_, &one, in_, in.floats(), weights_, weights.floats(), convolution_,
                                        by.number, scratch_->floats(), by.scratch_bytes, &zero, out_, out.floats());
  }

 private:
  static constexpr std::size_t most_scratch = std::size_t{1} << 32;
  gpu::handle library_ = nullptr;
  gpu::handle in_ = nullptr;
  gpu::handle out_ = nullptr;
  gpu::handle weights_ = nullptr;
  gpu::handle convolution_ = nullptr;
  std::vector<algorithm> served_;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<gpu::memory> scratch_;
};

/// The fastest of its algorithms on this device.
gpu::contender cudnn(int math, conv_problem const& problem, gpu::memory const& in, gpu::memory const& weights,
                     gpu::memory const& out, gpu::device const& on) {
  return gpu::contender_of("cudnn", [&](gpu::contender& made) {
    auto const convolution = std::make_shared<cudnn_convolution>(problem.shape, math, on);
    double best = std::numeric_limits<double>::infinity();
    for (auto const& by : convolution->algorithms()) {
      if (convolution->enqueue(by, in, weights, out) != 0) continue;  // it has no kernel for this shape
      auto const enqueue = [convolution, by, &in, &weights, &out] {
        gpu::check(convolution->enqueue(by, in, weights, out), "cudnnConvolutionForward");
      };
      auto const seconds = on.seconds(enqueue, 10);
      if (seconds >= best) continue;
      best = seconds;
      made.enqueue = enqueue;
    }
    if (!made.enqueue) throw ttune::backend_error("no algorithm of cuDNN takes this convolution");
  });
}

int run(options const& given) {
  auto chosen = given;
  chosen.mode = mode_of(given, "gpu-conv", {"f32", "tf32"});
  if (!gpu::has_device("gpu-conv")) return skipped;
  gpu::device const on;
  reporter report("gpu-conv", ", " + chosen.mode, {"ttune", "cudnn"}, chosen);
  int const math = chosen.mode == "tf32" ? gpu::cudnn_tf32_math : gpu::cudnn_fma_math;
  for (auto const& s : conv_cases()) {
    if (!chosen.wants_case(s.name)) continue;
    conv_problem const problem(s);
    buffer const result(problem.outputs());
    gpu::memory const in(problem.in), weights(problem.weights), out(result);
    ttune::ops::conv2d_shape const shape{s.batch,   s.channels, s.height, s.width,
                                         s.filters, s.kernel,   s.stride, s.padding};
    std::vector<gpu::contender> all;
    all.push_back(gpu::tuned(ttune::ops::conv2d(shape), {in.at(), weights.at(), out.at()}, on, chosen));
    all.push_back(cudnn(math, problem, in, weights, out, on));
    std::erase_if(all, [&](auto const& c) { return !chosen.wants_system(c.system); });
    gpu::run_case("gpu-conv", problem, out, result, std::move(all), on, chosen, report);
  }
  return report.finish();
}

add_suite const suite{{"gpu-conv", "convolutions of ResNet-18 on the first NVIDIA GPU, against cuDNN", run}};

}  // namespace
