// SPDX-License-Identifier: Apache-2.0
// expect-error: a kernel is called with another number of arguments than it has operands
// expect-culprit: "?A
#include <ttune/kernel.hpp>

using operand = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;

void mistake(ttune::kernel<operand> const& kernel) {
#ifdef TTUNE_CONTROL
  std::vector<float> const a(32);
  kernel(a);
#else
  std::vector<float> const a(32);
  kernel(a, a);
#endif
}
