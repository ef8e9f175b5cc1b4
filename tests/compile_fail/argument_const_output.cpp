// SPDX-License-Identifier: Apache-2.0
// expect-error: an output is passed an object that cannot be written
// expect-culprit: "?A
#include <ttune/kernel.hpp>

using operand = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, true>;

void mistake(ttune::kernel<operand> const& kernel) {
#ifdef TTUNE_CONTROL
  std::vector<float> a(32);
  kernel(a);
#else
  std::vector<float> const a(32);
  kernel(a);
#endif
}
