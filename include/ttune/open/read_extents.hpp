// SPDX-License-Identifier: Apache-2.0
// Reads run-time extents from the arguments of a call.
#pragma once

#include <cstddef>
#include <utility>

#include "ttune/expr/op.hpp"
#include "ttune/open/open_extents.hpp"
#include "ttune/runtime/argument.hpp"

namespace ttune { inline namespace v0 { namespace detail {

template <class Operand, class X>
void read_shape(call_extents& found, std::size_t operand, X const& x) {
  using traits = argument_traits<X>;
  constexpr bool reversed = is_column_major_v<typename Operand::layout>;
  if constexpr (requires { requires traits::rank == Operand::rank; })
    for (int d = 0; d < traits::rank; ++d)
      found.take(operand, static_cast<std::size_t>(reversed ? traits::rank - 1 - d : d), traits::extent(x, d));
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
  (read_shape<Operands>(found, I, arguments), ...);
  for (std::size_t round = 0; round < sizeof...(Operands) && !found.complete(); ++round)
    (read_elements<Operands>(found, I, arguments), ...);
  if (!found.complete()) open.refuse(found.values());
  return found;
}

}}}  // namespace ttune::v0::detail
