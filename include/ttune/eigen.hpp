// SPDX-License-Identifier: Apache-2.0
// Eigen objects as operands: dense matrices, arrays, vectors, maps, references and blocks of them, and tensors and maps
// of the unsupported module. Objects with gaps in memory are for operands that are `strided` or of `any_strides`.
#pragma once

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include "ttune/complex.hpp"
#include "ttune/runtime/argument.hpp"

namespace ttune { inline namespace v0 {

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

namespace detail {

/// An object in memory, not an unevaluated expression.
template <class X>
concept eigen_in_memory = std::is_base_of_v<Eigen::DenseBase<X>, X> &&
                          (static_cast<int>(Eigen::internal::traits<X>::Flags) & Eigen::DirectAccessBit) != 0;

}  // namespace detail

/// Vectors have rank 1, all other objects have rank 2.
template <detail::eigen_in_memory X>
struct argument_traits<X> {
  static constexpr bool known = true;
  static constexpr bool owns = std::is_base_of_v<Eigen::PlainObjectBase<X>, X>;
  static constexpr bool writable = (static_cast<int>(Eigen::internal::traits<X>::Flags) & Eigen::LvalueBit) != 0;
  using element = std::conditional_t<writable, typename X::Scalar, typename X::Scalar const>;
  static constexpr int rank = X::IsVectorAtCompileTime ? 1 : 2;
  static constexpr bool column_major = rank == 2 && !X::IsRowMajor;
  /// A const map of non-const data is writable, like the target of a const pointer; a const matrix is not.
  static auto* data(auto& m) {
    if constexpr (owns) return m.data();
    else return const_cast<element*>(m.data());
  }
  static std::int64_t extent(X const& m, int d) { return rank == 1 ? m.size() : d == 0 ? m.rows() : m.cols(); }
  static bool contiguous(X const& m) {
    if constexpr (owns) return true;
    else
      return m.size() <= 1 ||
             (m.innerStride() == 1 && (rank == 1 || m.outerSize() == 1 || m.outerStride() == m.innerSize()));
  }
  static std::int64_t stride(X const& m, int d) {
    bool const is_inner = rank == 1 || d == (column_major ? 0 : 1);
    return is_inner ? m.innerStride() : m.outerStride();
  }
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

template <class Plain, int Options>
struct argument_traits<Eigen::TensorMap<Plain, Options>> {
  using map = Eigen::TensorMap<Plain, Options>;
  static constexpr bool known = true;
  using element = std::conditional_t<std::is_const_v<Plain>, typename map::Scalar const, typename map::Scalar>;
  static constexpr int rank = map::NumIndices;
  static constexpr bool column_major = rank > 1 && static_cast<int>(map::Layout) == static_cast<int>(Eigen::ColMajor);
  static element* data(map const& t) { return const_cast<element*>(t.data()); }
  static std::int64_t extent(map const& t, int d) { return t.dimension(d); }
};

}}  // namespace ttune::v0
