// SPDX-License-Identifier: Apache-2.0
// expect-error: TF32 is what a f32 is rounded to
// expect-culprit: double
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  [[maybe_unused]] auto const i = axis<"i">{};
  [[maybe_unused]] tensor<"X", double, 1> const X{{8}};
#ifdef TTUNE_CONTROL
  (void)(compute<"C">(i) = round_to_tf32(cast<float>(X(i))));
#else
  (void)(compute<"C">(i) = round_to_tf32(X(i)));
#endif
}
