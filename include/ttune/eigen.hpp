// SPDX-License-Identifier: Apache-2.0
// Eigen objects as operands: dense matrices, vectors, maps (contiguous), and tensors of the unsupported module.
#pragma once

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include "ttune/runtime/argument.hpp"

namespace ttune::inline v0 {

template <>
struct foreign_dtype<Eigen::half> {
  static constexpr bool known = true;
  static constexpr dtype value = dtype::f16;
};
template <>
struct foreign_dtype<Eigen::bfloat16> {
  static constexpr bool known = true;
  static constexpr dtype value = dtype::bf16;
};

/// Vectors have rank 1, matrices rank 2 (row-major, unless one extent is 1 at compile time).
template <class Derived>
  requires std::is_base_of_v<Eigen::PlainObjectBase<Derived>, Derived>
struct argument_traits<Derived> {
  static constexpr bool known = true;
  using element = typename Derived::Scalar;
  static constexpr int rank = Derived::IsVectorAtCompileTime ? 1 : 2;
  static constexpr bool column_major = !Derived::IsVectorAtCompileTime && !Derived::IsRowMajor;
  static auto* data(auto& m) { return m.data(); }
  static std::int64_t extent(Derived const& m, int d) { return rank == 1 ? m.size() : d == 0 ? m.rows() : m.cols(); }
};

/// A map without strides is as contiguous as a matrix.
template <class Plain, int Options>
struct argument_traits<Eigen::Map<Plain, Options, Eigen::Stride<0, 0>>> {
  using map = Eigen::Map<Plain, Options, Eigen::Stride<0, 0>>;
  static constexpr bool known = true;
  using element = std::conditional_t<std::is_const_v<Plain>, typename map::Scalar const, typename map::Scalar>;
  static constexpr int rank = map::IsVectorAtCompileTime ? 1 : 2;
  static constexpr bool column_major = !map::IsVectorAtCompileTime && !map::IsRowMajor;
  static element* data(map const& m) { return const_cast<element*>(m.data()); }
  static std::int64_t extent(map const& m, int d) { return rank == 1 ? m.size() : d == 0 ? m.rows() : m.cols(); }
};

template <class Scalar, int Rank, int Options, class Index>
struct argument_traits<Eigen::Tensor<Scalar, Rank, Options, Index>> {
  using tensor_type = Eigen::Tensor<Scalar, Rank, Options, Index>;
  static constexpr bool known = true;
  using element = Scalar;
  static constexpr int rank = Rank;
  static constexpr bool column_major = Rank > 1 && (Options & Eigen::RowMajor) == 0;
  static auto* data(auto& t) { return t.data(); }
  static std::int64_t extent(tensor_type const& t, int d) { return t.dimension(d); }
};

}  // namespace ttune::inline v0
