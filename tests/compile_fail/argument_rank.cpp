// SPDX-License-Identifier: Apache-2.0
// expect-error: an argument has another number of dimensions than the operand
// expect-culprit: "?A
#include <ttune/kernel.hpp>

using operand = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;

void mistake(ttune::kernel<operand> const& kernel) {
#ifdef TTUNE_CONTROL
  ttune::view<float const, 2> const a{nullptr, {8, 4}};
  kernel(a);
#else
  ttune::view<float const, 1> const a{nullptr, {32}};
  kernel(a);
#endif
}
