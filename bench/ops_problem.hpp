// SPDX-License-Identifier: Apache-2.0
// The cases of suite ops: operators other than convolutions and plain products of matrices, mostly limited by
// memory.
#pragma once

#include <string>
#include <vector>

#include "problem.hpp"

namespace ttune_bench {

enum class operation {
  conv_bias_relu,
  conv_nhwc,
  grouped_conv,
  depthwise,
  max_pool,
  avg_pool,
  softmax,
  layer_norm,
  bias_gelu,
  transpose,
  stencil,
  batched_matmul,
  matmul_nt,
  matmul_f64,
  sum,
  column_sums
};

/// An operator and its extents; unused extents are 1.
struct ops_shape {
  std::string name;
  operation what;
  std::int64_t batch = 1, m = 1, n = 1, k = 1;  ///< rows, columns (n of the cube, of the vector), reduced
  std::int64_t groups = 1;                      ///< for grouped_conv
  conv_shape image{};                           ///< for convolutions and pooling, batch 1

  /// Returns the number of operations: comparisons, functions such as exp, and moves of an element count as one.
  [[nodiscard]] double flops() const;
  /// Returns the bytes that must pass through memory at least: every operand once.
  [[nodiscard]] double bytes() const;
  /// Returns the GFLOP/s that the machine allows: the f32 peak of its multiply-adds, or those of memory at `copy` GB/s.
  [[nodiscard]] double attainable(double fma_peak, double copy) const;
  [[nodiscard]] std::int64_t outputs() const;
  [[nodiscard]] std::int64_t element_bytes() const { return what == operation::matmul_f64 ? 8 : 4; }
};

[[nodiscard]] std::vector<ops_shape> ops_cases();
/// Returns the same operators with small and uneven extents.
[[nodiscard]] std::vector<ops_shape> small_ops_cases();

struct ops_problem {
  explicit ops_problem(ops_shape s);
  [[nodiscard]] double expected(std::int64_t index) const;
  [[nodiscard]] std::int64_t outputs() const { return shape.outputs(); }
  ops_shape shape;
  std::vector<buffer> in;  ///< in the order of the operands; matmul_f64 stores doubles in them
};

}  // namespace ttune_bench
