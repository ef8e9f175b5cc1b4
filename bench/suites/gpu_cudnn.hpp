// SPDX-License-Identifier: Apache-2.0
// Convolutions and softmax by cuDNN, on the stream of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gpu_cases.hpp"

namespace ttune_bench::gpu {

/// cuDNN and its descriptors of operands, which this object destroys.
class dnn {
 public:
  explicit dnn(device const& on) {
    check(cudnnCreate(&library_), "cudnnCreate");
    check(cudnnSetStream(library_, on.stream()), "cudnnSetStream");
  }
  dnn(dnn const&) = delete;
  dnn& operator=(dnn const&) = delete;
  ~dnn() {
    for (auto const t : tensors_) (void)cudnnDestroyTensorDescriptor(t);
    (void)cudnnDestroy(library_);
  }
  [[nodiscard]] handle library() const noexcept { return library_; }
  /// Returns a descriptor of f32, NCHW.
  [[nodiscard]] handle tensor(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    handle made = nullptr;
    check(cudnnCreateTensorDescriptor(&made), "cudnnCreateTensorDescriptor");
    tensors_.push_back(made);
    check(cudnnSetTensor4d(made, cudnn_nchw, cudnn_f32, static_cast<int>(n), static_cast<int>(c), static_cast<int>(h),
                           static_cast<int>(w)),
          "cudnnSetTensor4dDescriptor");
    return made;
  }

 private:
  handle library_ = nullptr;
  std::vector<handle> tensors_;
};

/// One convolution with scratch memory for its largest algorithm, optionally with bias, residual and rectifier.
class convolution {
 public:
  convolution(conv_shape const& s, std::string const& mode, device const& on) : dnn_(on) {
    constexpr int cross_correlation = 1;
    constexpr int rectifier = 1;
    auto const size = [](std::int64_t n) { return static_cast<int>(n); };
    in_ = dnn_.tensor(s.batch, s.channels, s.height, s.width);
    out_ = dnn_.tensor(s.batch, s.filters, s.out_height(), s.out_width());
    bias_ = dnn_.tensor(1, s.filters, 1, 1);
    check(cudnnCreateFilterDescriptor(&weights_), "cudnnCreateFilterDescriptor");
    check(cudnnCreateConvolutionDescriptor(&convolution_), "cudnnCreateConvolutionDescriptor");
    check(cudnnCreateActivationDescriptor(&activation_), "cudnnCreateActivationDescriptor");
    check(cudnnSetFilter4d(weights_, cudnn_f32, cudnn_nchw, size(s.filters), size(s.channels), size(s.kernel),
                           size(s.kernel)),
          "cudnnSetFilter4dDescriptor");
    check(cudnnSetConvolution2d(convolution_, size(s.padding), size(s.padding), size(s.stride), size(s.stride), 1, 1,
                                cross_correlation, cudnn_f32),
          "cudnnSetConvolution2dDescriptor");
    check(cudnnSetConvolutionMathType(convolution_, mode == "tf32" ? cudnn_tf32_math : cudnn_fma_math),
          "cudnnSetConvolutionMathType");
    check(cudnnSetActivation(activation_, rectifier, 0, 0), "cudnnSetActivationDescriptor");
    std::size_t scratch_bytes = 0;
    for (int number = 0; number < cudnn_algorithms; ++number) {
      std::size_t bytes = 0;
      if (cudnnGetConvolutionForwardWorkspaceSize(dnn_.library(), in_, weights_, convolution_, out_, number, &bytes) !=
              0 ||
          bytes > most_scratch)
        continue;
      served_.push_back({number, bytes});
      scratch_bytes = std::max(scratch_bytes, bytes);
    }
    scratch_ = std::make_unique<memory>(scratch_bytes);
  }
  convolution(convolution const&) = delete;
  convolution& operator=(convolution const&) = delete;
  ~convolution() {
    (void)cudnnDestroyActivationDescriptor(activation_);
    (void)cudnnDestroyConvolutionDescriptor(convolution_);
    (void)cudnnDestroyFilterDescriptor(weights_);
  }

  struct algorithm {
    int number;
    std::size_t scratch_bytes;
  };
  [[nodiscard]] std::vector<algorithm> const& algorithms() const noexcept { return served_; }
  /// Enqueues the convolution; returns the library's status.
  [[nodiscard]] int enqueue(algorithm const& by, memory const& in, memory const& weights, memory const& out) const {
    float const one = 1;
    float const zero = 0;
    return cudnnConvolutionForward(dnn_.library(), &one, in_, in.pointer(), weights_, weights.pointer(), convolution_,
                                   by.number, scratch_->pointer(), by.scratch_bytes, &zero, out_, out.pointer());
  }
  /// Enqueues out = relu(convolution + bias + residual); returns the library's status.
  [[nodiscard]] int enqueue(algorithm const& by, memory const& in, memory const& weights, memory const& bias,
                            memory const& residual, memory const& out) const {
    float const one = 1;
    return cudnnConvolutionBiasActivationForward(dnn_.library(), &one, in_, in.pointer(), weights_, weights.pointer(),
                                                 convolution_, by.number, scratch_->pointer(), by.scratch_bytes, &one,
                                                 out_, residual.pointer(), bias_, bias.pointer(), activation_, out_,
                                                 out.pointer());
  }

 private:
  static constexpr std::size_t most_scratch = std::size_t{1} << 32;
  dnn dnn_;
  handle in_ = nullptr;
  handle out_ = nullptr;
  handle bias_ = nullptr;
  handle weights_ = nullptr;
  handle convolution_ = nullptr;
  handle activation_ = nullptr;
  std::vector<algorithm> served_;
  std::unique_ptr<memory> scratch_;
};

/// Prepares a convolution by the fastest of its algorithms on this device; `enqueue(convolution, algorithm)` returns
/// the library's status.
template <class Enqueue>
std::function<void()> fastest_convolution(conv_shape const& s, std::string const& mode, device const& on,
                                          Enqueue const& enqueue) {
  auto const made = std::make_shared<convolution>(s, mode, on);
  std::function<void()> best;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (auto const& by : made->algorithms()) {
    if (enqueue(*made, by) != 0) continue;  // there is no kernel for this shape
    auto const call = [made, by, enqueue] { check(enqueue(*made, by), "cuDNN's convolution"); };
    auto const seconds = on.seconds(call, 10);
    if (seconds >= best_seconds) continue;
    best_seconds = seconds;
    best = call;
  }
  if (!best) throw ttune::backend_error("no algorithm of cuDNN takes this convolution");
  return best;
}

/// Softmax of each row of a matrix, in place.
class softmax_of_rows {
 public:
  softmax_of_rows(std::int64_t rows, std::int64_t columns, device const& on)
      : dnn_(on), matrix_(dnn_.tensor(rows, columns, 1, 1)) {}
  void enqueue(memory const& values) const {
    constexpr int accurate = 1;
    constexpr int of_each_row = 0;
    float const one = 1;
    float const zero = 0;
    check(cudnnSoftmaxForward(dnn_.library(), accurate, of_each_row, &one, matrix_, values.pointer(), &zero, matrix_,
                              values.pointer()),
          "cudnnSoftmaxForward");
  }

 private:
  dnn dnn_;
  handle matrix_;
};

}  // namespace ttune_bench::gpu
