// SPDX-License-Identifier: Apache-2.0
// expect-error: this object is column-major: declare the operand with col_major or pass a RowMajor object
// expect-culprit: "?A
#include <ttune/eigen.hpp>
#include <ttune/kernel.hpp>

using operand = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;

void mistake(ttune::kernel<operand> const& kernel) {
#ifdef TTUNE_CONTROL
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> const a(8, 4);
#else
  Eigen::MatrixXf const a(8, 4);
#endif
  kernel(a);
}
