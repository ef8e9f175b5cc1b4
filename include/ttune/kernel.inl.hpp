// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "ttune/kernel.hpp"
#include "ttune/runtime/strided_call.hpp"

namespace ttune { inline namespace v0 { namespace detail {

void refuse_elements(kernel_signature const& s, std::size_t operand, std::int64_t given, std::int64_t wanted) {
  refuse_argument(s, operand, "has " + std::to_string(given) + " elements, the operand " + std::to_string(wanted));
}

void refuse_extent(kernel_signature const& s, std::size_t operand, int dimension, std::int64_t given,
                   std::int64_t wanted) {
  refuse_argument(s, operand,
                  "dimension " + std::to_string(dimension) + " is " + std::to_string(given) + ", the operand's is " +
                      std::to_string(wanted));
}

void refuse_gaps(kernel_signature const& s, std::size_t operand) {
  refuse_argument(s, operand,
                  "is a part of a larger object, with gaps in memory: declare the operand strided<row_major>, "
                  "strided<col_major> or any_strides, or pass a copy of it");
}

void check_plain(kernel_signature const& s, std::size_t operand, std::vector<named_layout> const& layouts) {
  auto const& name = s.operands[operand].name;
  auto const* const wanted = find_layout(layouts, name);
  if (wanted && !wanted->is_plain())
    refuse_argument(s, operand,
                    "lies as " + wanted->text() + " in memory, this object is plain: bring it into a span by pack<\"" +
                        name + "\">, or back by unpack");
}

void check_memory(kernel_signature const& s, std::span<void* const> operands) {
  auto const begin = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(operands[i]); };  // null, too
  auto const end = [&](std::size_t i) { return begin(i) + static_cast<std::uintptr_t>(s.operands[i].bytes()); };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    auto const& o = s.operands[i];
    if (o.bytes() == 0 || is_given_by_kernels(o)) continue;
    if (!operands[i]) refuse_argument(s, i, "is a null pointer");
    if (begin(i) % size_in_bytes(o.type) != 0) refuse_argument(s, i, "is not aligned for its element type");
    if (o.direction != operand_direction::out && o.direction != operand_direction::inout) continue;
    for (std::size_t j = 0; j < operands.size(); ++j)
      if (j != i && !is_given_by_kernels(s.operands[j]) && begin(i) < end(j) && begin(j) < end(i))
        refuse_argument(s, i, "overlaps operand " + s.operands[j].name);
  }
}

}}}  // namespace ttune::v0::detail
