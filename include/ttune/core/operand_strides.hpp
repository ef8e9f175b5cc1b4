// SPDX-License-Identifier: Apache-2.0
// The strides of an operand: those that its extents give, and those that each call gives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// The strides of an operand, in elements.
enum class operand_strides : std::uint8_t {
  dense,  ///< follow from the extents: there are no gaps
  outer,  ///< the last dimension is contiguous; each call gives the strides of the others
  all     ///< each call gives all strides
};

/// Returns which strides calls give for an operand of this rank. A vector that is contiguous has none.
[[nodiscard]] constexpr operand_strides strides_of_rank(operand_strides strides, std::size_t rank) noexcept {
  bool const is_open = rank > 1 || (rank == 1 && strides == operand_strides::all);
  return is_open ? strides : operand_strides::dense;
}

/// Returns how programs print strides, behind the shape: "", " strided", " of any strides".
[[nodiscard]] constexpr char const* text_of(operand_strides strides) noexcept {
  return strides == operand_strides::dense ? "" : strides == operand_strides::outer ? " strided" : " of any strides";
}

}}  // namespace ttune::v0
