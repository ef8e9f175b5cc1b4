// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "ttune/kernel.hpp"

namespace ttune::inline v0::detail {

TTUNE_INLINE void refuse_argument(kernel_signature const& s, std::size_t operand, std::string const& sentence) {
  throw argument_error("kernel " + s.name + ", operand " + s.operands[operand].name + ": " + sentence);
}

TTUNE_INLINE void check_plain(kernel_signature const& s, std::size_t operand,
                              std::vector<named_layout> const& layouts) {
  auto const& name = s.operands[operand].name;
  auto const* const wanted = find_layout(layouts, name);
  if (wanted && !wanted->is_plain())
    refuse_argument(s, operand,
                    "lies as " + wanted->text() + " in memory, this object is plain: bring it into a span by pack<\"" +
                        name + "\">, or back by unpack");
}

TTUNE_INLINE void check_memory(kernel_signature const& s, std::span<passed const> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& o = s.operands[i];
    if (all[i].bytes == 0) continue;
    if (!all[i].data) refuse_argument(s, i, "is a null pointer");
    if (reinterpret_cast<std::uintptr_t>(all[i].data) % size_in_bytes(o.type) != 0)
      refuse_argument(s, i, "is not aligned for its element type");
    if (o.way != operand_info::direction::out && o.way != operand_info::direction::inout) continue;
    auto const* const begin = static_cast<std::uint8_t const*>(all[i].data);
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto const* const other = static_cast<std::uint8_t const*>(all[j].data);
      if (j != i && std::less<>{}(begin, other + all[j].bytes) && std::less<>{}(other, begin + all[i].bytes))
        refuse_argument(s, i, "overlaps operand " + s.operands[j].name);
    }
  }
}

}  // namespace ttune::inline v0::detail
