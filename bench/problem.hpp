// SPDX-License-Identifier: Apache-2.0
// The cases: shapes, their operands, and a slow computation of the right result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ttune_bench {

/// C = A * B, all row-major and dense: A (m, k), B (k, n), C (m, n).
struct gemm_shape {
  std::string name;  ///< MxNxK
  std::int64_t m = 0, n = 0, k = 0;
  std::string mode = "plain";  ///< "plain", or "packed": a system may prepare B
  int threads = 0;             ///< maximum; 0: all
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// out (batch, filters, oh, ow) = in (batch, channels, height, width) * weights (filters, channels, kernel, kernel).
/// Systems may prepare weights.
struct conv_shape {
  std::string name;
  std::int64_t batch = 1, channels = 0, height = 0, width = 0, filters = 0, kernel = 1, stride = 1, padding = 0;
  std::string mode = "nchw";  ///< "nchw" or "nhwc" for `in` and `out`; "free": nchw, converted before the call
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  [[nodiscard]] bool channels_last() const { return mode == "nhwc"; }
  [[nodiscard]] std::int64_t out_height() const { return positions(height); }
  [[nodiscard]] std::int64_t out_width() const { return positions(width); }
  [[nodiscard]] std::int64_t group_channels() const { return channels / groups; }
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(batch * filters * out_height() * out_width() * group_channels() * kernel * kernel);
  }

 private:
  [[nodiscard]] std::int64_t positions(std::int64_t extent) const {
    auto const room = extent + 2 * padding - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
  }
};

[[nodiscard]] gemm_shape make_gemm(std::int64_t m, std::int64_t n, std::int64_t k);
/// Returns sizes 16 … 128 in powers of two on one core, 256 … 2048 on all cores, and odd and skinny ones.
[[nodiscard]] std::vector<gemm_shape> gemm_cases(std::string const& mode = "plain");
/// Returns C1 … C12 of ResNet-18, batch 1.
[[nodiscard]] std::vector<conv_shape> conv_cases(std::string const& mode = "nchw");

/// Returns the shapes given by `--shape` as MxNxK. Throws std::invalid_argument.
[[nodiscard]] std::vector<gemm_shape> gemm_shapes(std::vector<std::string> const& texts, std::string const& mode);
/// Returns shapes given as batch x channels x height x width x filters x kernel x stride x padding, or the same
/// followed by dilation x groups.
[[nodiscard]] std::vector<conv_shape> conv_shapes(std::vector<std::string> const& texts, std::string const& mode);

/// Returns the case with its extents changed by `by`: "C6+1". Extents of 1 stay, and no extent falls below 1.
[[nodiscard]] gemm_shape varied(gemm_shape s, std::int64_t by);
/// Changes height and width, and channels and filters unless they lie in groups.
[[nodiscard]] conv_shape varied(conv_shape s, std::int64_t by);

/// Floats, aligned to 64 bytes.
class buffer {
 public:
  explicit buffer(std::int64_t elements);
  /// Fills with uniform numbers in [-1, 1).
  buffer(std::int64_t elements, std::uint64_t seed);
  [[nodiscard]] float* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  void fill(float value) const noexcept;

 private:
  struct release {
    void operator()(float* p) const noexcept;
  };
  std::unique_ptr<float[], release> data_;
  std::int64_t size_;
};

/// Returns the same memory as half as many doubles.
[[nodiscard]] inline double* doubles(buffer const& b) { return reinterpret_cast<double*>(b.data()); }

/// Two inputs, and the expected elements of the output.
struct gemm_problem {
  explicit gemm_problem(gemm_shape s);
  [[nodiscard]] double expected(std::int64_t index) const;
  [[nodiscard]] std::int64_t outputs() const { return shape.m * shape.n; }
  /// Returns the bytes of the inputs.
  [[nodiscard]] std::int64_t bytes() const { return 4 * (a.size() + b.size()); }
  gemm_shape shape;
  buffer a, b;
};
struct conv_problem {
  explicit conv_problem(conv_shape s);
  [[nodiscard]] double expected(std::int64_t index) const;
  [[nodiscard]] std::int64_t outputs() const {
    return shape.batch * shape.filters * shape.out_height() * shape.out_width();
  }
  [[nodiscard]] std::int64_t bytes() const { return 4 * (in.size() + weights.size()); }
  conv_shape shape;
  buffer in, weights;
};

}  // namespace ttune_bench
