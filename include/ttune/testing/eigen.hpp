// SPDX-License-Identifier: Apache-2.0
// References written with Eigen: check(matmul, with_eigen([](auto const& a, auto const& b) { return a * b; })).
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "ttune/eigen.hpp"
#include "ttune/testing/operand_view.hpp"

namespace ttune { inline namespace v0 { namespace testing {

namespace detail {

template <class T>
struct eigen_scalar {
  using type = T;
};
template <>
struct eigen_scalar<f16> {
  using type = Eigen::half;
};
template <>
struct eigen_scalar<bf16> {
  using type = Eigen::bfloat16;
};

/// Maps an operand to a scalar, a column vector, a matrix, or a tensor of Eigen's unsupported module, in the storage
/// order of the operand.
template <class T, int Rank, bool ColumnMajor>
decltype(auto) as_eigen(operand_view<T, Rank, ColumnMajor> const& v) {
  using scalar = typename eigen_scalar<std::remove_const_t<T>>::type;
  using element = std::conditional_t<std::is_const_v<T>, scalar const, scalar>;
  [[maybe_unused]] constexpr int order = ColumnMajor ? Eigen::ColMajor : Eigen::RowMajor;
  auto* const data = reinterpret_cast<element*>(v.data);
  if constexpr (Rank == 0) {
    return *data;
  } else if constexpr (Rank == 1) {
    using vector = Eigen::Matrix<scalar, Eigen::Dynamic, 1>;
    return Eigen::Map<std::conditional_t<std::is_const_v<T>, vector const, vector>>(data, v.extent(0));
  } else if constexpr (Rank == 2) {
    using matrix = Eigen::Matrix<scalar, Eigen::Dynamic, Eigen::Dynamic, order>;
    return Eigen::Map<std::conditional_t<std::is_const_v<T>, matrix const, matrix>>(data, v.extent(0), v.extent(1));
  } else {
    using tensor = Eigen::Tensor<scalar, Rank, order>;
    Eigen::array<Eigen::Index, Rank> shape;
    for (int d = 0; d < Rank; ++d) shape[static_cast<std::size_t>(d)] = v.extent(d);
    return Eigen::TensorMap<std::conditional_t<std::is_const_v<T>, tensor const, tensor>>(data, shape);
  }
}

}  // namespace detail

/// Makes a reference from a function on Eigen's maps of the operands. The function takes the inputs and returns the
/// only output, or takes inputs and outputs and writes the outputs.
template <class Function>
[[nodiscard]] auto with_eigen(Function function) {
  return [function]<class... Views>(Views const&... views) {
    if constexpr (std::is_invocable_v<Function const&, decltype(detail::as_eigen(views))...>) {
      function(detail::as_eigen(views)...);
    } else {
      auto const all = std::tie(views...);
      constexpr auto last = sizeof...(Views) - 1;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto&& out = detail::as_eigen(std::get<last>(all));
        out = function(detail::as_eigen(std::get<I>(all))...);
      }(std::make_index_sequence<last>{});
    }
  };
}

}}}  // namespace ttune::v0::testing
