// SPDX-License-Identifier: Apache-2.0
// The cases of suite fusion: operators for which libraries have no single kernel, or only a limited one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem.hpp"

namespace ttune_bench {

enum class fusion {
  conv_residual,        ///< relu(conv(I, W) + bias + R)
  matmul_gelu,          ///< gelu(A B + bias)
  attention,            ///< softmax(Q K^T / sqrt(d)) V, one head
  depthwise_pointwise,  ///< 3x3 of each channel, then 1x1 over the channels
  layer_norm,
  mttkrp,               ///< M(i, r) = sum over j, k of X(i, j, k) B(j, r) C(k, r)
  small_products,       ///< many products of small matrices
  stencil27,            ///< all neighbours in a cube, a coefficient for each distance
  chain,                ///< ten element-wise operations
  absolute_differences  ///< sums for blocks of 16x16 bytes at all displacements in a window
};

/// An operation and its extents; unused extents are 1.
struct fusion_shape {
  std::string name;
  fusion what;
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  conv_shape image{};  ///< for convolutions, batch 1

  /// Returns the number of operations: comparisons and functions such as exp count as one.
  [[nodiscard]] double flops() const;
  /// Returns the bytes that must pass through memory at least: every operand once.
  [[nodiscard]] double bytes() const;
  /// Returns the GFLOP/s that the machine allows: the peak of its multiply-adds, or the limit of memory at `copy` GB/s.
  [[nodiscard]] double attainable(double fma_peak, double copy) const;
  [[nodiscard]] std::int64_t outputs() const;
  /// Returns the positions along an axis of the window of absolute_differences, which run from -k to k - 1; m and n are
  /// the rows and columns of blocks.
  [[nodiscard]] std::int64_t displacements() const { return 2 * k; }
  /// Returns the width of the image in which blocks are searched: it extends past the blocks on all sides.
  [[nodiscard]] std::int64_t search_width() const { return n * 16 + 2 * k - 1; }
  [[nodiscard]] std::int64_t search_height() const { return m * 16 + 2 * k - 1; }
};

[[nodiscard]] std::vector<fusion_shape> fusion_cases();
/// Returns the same operations with small and uneven extents.
[[nodiscard]] std::vector<fusion_shape> small_fusion_cases();

/// Coefficients of stencil27, by the number of different indices.
inline constexpr float stencil27_weights[] = {-2.5F, 0.3F, 0.1F, 0.05F};

struct fusion_problem {
  explicit fusion_problem(fusion_shape s);
  [[nodiscard]] double expected(std::int64_t index) const;
  /// Returns an element of a result. Outputs of absolute_differences are integers in the memory of the floats.
  [[nodiscard]] double result(buffer const& out, std::int64_t index) const;
  [[nodiscard]] std::int64_t outputs() const { return shape.outputs(); }
  fusion_shape shape;
  std::vector<buffer> in;  ///< in the order of the operands; absolute_differences stores bytes in them
};

[[nodiscard]] inline std::uint8_t* bytes_of(buffer const& b) { return reinterpret_cast<std::uint8_t*>(b.data()); }
[[nodiscard]] inline std::int32_t* integers_of(buffer const& b) { return reinterpret_cast<std::int32_t*>(b.data()); }

/// The ten operations of case chain on (x, y), as one text for all systems. `f` has exp, tanh, abs, max, sqrt.
template <class F, class X, class Y>
[[nodiscard]] auto chained(F const& f, X const& x, Y const& y) {
  auto const scaled = x * 0.5F + y;                   // 1, 2
  auto const gate = f.tanh(scaled);                   // 3
  auto const power = f.exp(gate * -1.5F);             // 4, 5
  auto const root = f.sqrt(f.abs(power - y) + 0.1F);  // 6, 7, 8, 9
  return f.max(root, x);                              // 10
}

}  // namespace ttune_bench
