// SPDX-License-Identifier: Apache-2.0
// The cases of suite ops: operators that are neither convolutions nor plain products of matrices, mostly bound by
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

/// An operator and its extents; those it has no use for stay 1.
struct ops_shape {
  std::string name;
  operation what;
  std::int64_t batch = 1, m = 1, n = 1, k = 1;  ///< rows, columns (n of the cube, of the vector), reduced
  std::int64_t groups = 1;                      ///< of grouped_conv
  conv_shape image{};                           ///< of convolutions and pooling, batch 1

  /// Arithmetic: comparisons and functions such as exp count as one, and so does an element that is only moved.
  [[nodiscard]] double flops() const;
  /// What must pass through memory at least: every operand once.
  [[nodiscard]] double bytes() const;
  /// GFLOP/s that the machine allows: the peak of its multiply-adds (of f32), or what memory can feed at `copy` GB/s.
  [[nodiscard]] double attainable(double fma_peak, double copy) const;
  [[nodiscard]] std::int64_t outputs() const;
  [[nodiscard]] std::int64_t element_bytes() const { return what == operation::matmul_f64 ? 8 : 4; }
};

[[nodiscard]] std::vector<ops_shape> ops_cases();
/// The same operators, small and uneven.
[[nodiscard]] std::vector<ops_shape> small_ops_cases();

struct ops_problem {
  explicit ops_problem(ops_shape s);
  [[nodiscard]] double expected(std::int64_t index) const;
  [[nodiscard]] std::int64_t outputs() const { return shape.outputs(); }
  ops_shape shape;
  std::vector<buffer> in;  ///< in the order of the operands; of matmul_f64 they hold doubles
};

}  // namespace ttune_bench
