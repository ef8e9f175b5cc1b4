// SPDX-License-Identifier: Apache-2.0
// expect-error: this type cannot be passed to a kernel: pass a view, a std::span, or include <ttune/eigen.hpp>
// expect-culprit: "?A
#include <ttune/kernel.hpp>

using operand = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;

void mistake(ttune::kernel<operand> const& kernel) {
#ifdef TTUNE_CONTROL
  std::vector<float> const a(32);
  kernel(a);
#else
  struct matrix {
  } const a{};
  kernel(a);
#endif
}
