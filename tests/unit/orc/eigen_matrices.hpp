// SPDX-License-Identifier: Apache-2.0
// Matrices of Eigen in both orders of memory, for the tests that pass them to kernels.
#pragma once

#include <Eigen/Core>

namespace eigen_matrices {

using columns = Eigen::MatrixXf;
using rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace eigen_matrices
