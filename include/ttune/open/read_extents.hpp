// SPDX-License-Identifier: Apache-2.0
// Reads run-time extents from the arguments of a call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ttune/expr/op.hpp"
#include "ttune/open/open_extents.hpp"
#include "ttune/runtime/argument.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// True if an argument has the shape of an operand, not only a number of elements.
template <class Operand, class X>
inline constexpr bool has_shape_of = requires { requires argument_traits<X>::rank == Operand::rank; };

/// Calls take(dimension, extent) with the shape of an argument. Dimensions are in the order of memory.
template <class Operand, class X, class Take>
void read_shape(X const& x, Take const& take) {
  using traits = argument_traits<X>;
  constexpr bool reversed = is_column_major_v<typename Operand::layout>;
  if constexpr (has_shape_of<Operand, X>)
    for (int d = 0; d < traits::rank; ++d)
      take(static_cast<std::size_t>(reversed ? traits::rank - 1 - d : d), traits::extent(x, d));
}

/// Reads extents from arguments that all have shapes: each from the first dimension that has it, in two loads.
template <class... Operands, class... Arguments>
void read_all_shapes(call_extents& found, Arguments const&... arguments) {
  std::array<std::int64_t, (std::size_t{1} + ... + static_cast<std::size_t>(Operands::dimensions))> shapes;
  auto* next = shapes.data();
  auto const append = [&]<class Operand>(std::type_identity<Operand>, auto const& x) {
    read_shape<Operand>(x, [&](std::size_t dimension, std::int64_t extent) { next[dimension] = extent; });
    next += Operand::dimensions;
  };
  (append(std::type_identity<Operands>(), arguments), ...);
  found.take_all(shapes);
}

template <class Operand, class X>
void read_elements(call_extents& found, std::size_t operand, X const& x) {
  using traits = argument_traits<X>;
  constexpr std::int64_t parts = is_complex_v<typename Operand::element_type> ? 2 : 1;
  if constexpr (requires { requires traits::rank < 0; }) found.take_elements(operand, parts * traits::elements(x));
}

/// Returns the run-time extents of a call: from shapes first, then from numbers of elements, which tell an extent once
/// the others are known. Throws argument_error for an extent that the arguments do not tell.
template <class... Operands, std::size_t... I, class... Arguments>
[[nodiscard]] call_extents read_extents(open_extents const& open, std::index_sequence<I...>,
                                        Arguments const&... arguments) {
  call_extents found(open);
  if constexpr ((has_shape_of<Operands, Arguments> && ...)) read_all_shapes<Operands...>(found, arguments...);
  else (read_shape<Operands>(arguments, [&](std::size_t d, std::int64_t extent) { found.take(I, d, extent); }), ...);
  for (std::size_t round = 0; round < sizeof...(Operands) && !found.complete(); ++round)
    (read_elements<Operands>(found, I, arguments), ...);
  if (!found.complete()) open.refuse(found.values());
  return found;
}

}}}  // namespace ttune::v0::detail
