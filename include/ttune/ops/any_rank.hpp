// SPDX-License-Identifier: Apache-2.0
// Shapes, axes and operands of operators that are made for any number of dimensions.
#pragma once

#include <array>
#include <utility>

#include "ttune/capture/capture.hpp"
#include "ttune/expr/tensor.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Extents of a tensor of `Rank` dimensions, outermost first.
template <int Rank>
using shape_of_rank = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;

namespace detail {

/// Returns a letter and a digit as a name: `i0`, `i1`, …
template <char Letter, std::size_t Number>
constexpr fixed_string<3> numbered_name() {
  static_assert(Number < 10, "ttune: operators of any rank have at most 10 dimensions or parts");
  return {{Letter, static_cast<char>('0' + Number), '\0'}};
}

/// The axis of a dimension.
template <std::size_t Dimension>
inline constexpr axis<numbered_name<'i', Dimension>()> axis_of{};

/// Calls `make` with the axes of all dimensions.
template <int Rank, class Make>
auto with_axes(Make const& make) {
  static_assert(Rank > 0, "ttune: operators of any rank have at least one dimension");
  return [&]<std::size_t... Dimension>(std::index_sequence<Dimension...>) {
    return make(axis_of<Dimension>...);
  }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
}

/// Makes an operand whose shape is a value.
template <fixed_string Name, class T, int Rank>
[[nodiscard]] tensor<Name, T, Rank> tensor_of(shape_of_rank<Rank> const& shape) {
  return [&]<std::size_t... Dimension>(std::index_sequence<Dimension...>) {
    return tensor<Name, T, Rank>{{shape[Dimension]...}};
  }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
}

}  // namespace detail
}}}  // namespace ttune::v0::ops
