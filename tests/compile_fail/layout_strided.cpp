// SPDX-License-Identifier: Apache-2.0
// expect-error: operands are row_major, col_major, strided<row_major>, strided<col_major> or any_strides
// expect-culprit: "?A
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
#ifdef TTUNE_CONTROL
  [[maybe_unused]] const tensor<"A", float, 2, strided<col_major>> A{{8, 4}};
#else
  [[maybe_unused]] const tensor<"A", float, 2, strided<layout::any>> A{{8, 4}};
#endif
}
