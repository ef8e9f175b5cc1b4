// SPDX-License-Identifier: Apache-2.0
// Kernels for many shapes that are written by hand: copies of up to 100 numbers.
#pragma once

#include <cstdint>

#include "support/machine_code.hpp"
#include "ttune/runtime/shape_images.hpp"

namespace ttune_test {

/// Returns a kernel that copies A (N) to C (N), for `elements` numbers at most. Its code always copies as many.
inline ttune::detail::shape_image open_copy(std::int64_t elements, char const* workload, double seconds) {
  auto made = copy_image(elements);
  auto& operands = made.signature.operands;
  for (auto& o : operands) o.open = {0};
  operands.insert(operands.begin() + 1, operand("extents", 1, ttune::operand_direction::extents, ttune::dtype::i64));
  return {std::move(made), workload, "serial", seconds};
}

/// Returns two kernels: the second one for up to 16 numbers.
inline ttune::detail::shape_images two_copies() {
  ttune::detail::extent_product const first{
      {0, ttune::detail::extent_product::none, ttune::detail::extent_product::none}};
  ttune::detail::shape_tree tree({{first, 16, 1, 2}, {{}, 0, 1, 0}, {{}, 0, 0, 0}});
  return {{"copy", {"N"}, {1}, {100}}, {open_copy(100, "copy of 100", 1e-6), open_copy(16, "copy of 16", 2e-6)}, tree};
}

}  // namespace ttune_test
