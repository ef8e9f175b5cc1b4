// SPDX-License-Identifier: Apache-2.0
// expect-error: plain inputs and results layout::any as well
// expect-culprit: "?W
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
#ifdef TTUNE_CONTROL
  [[maybe_unused]] tensor<"W", float, 2, layout::any> const W{{8, 4}};
#else
  [[maybe_unused]] constant<"W", float, 2, layout::any> const W{{8, 4}};
#endif
}
