// SPDX-License-Identifier: Apache-2.0
// expect-error: <ttune/complex.hpp> is missing
// expect-culprit: complex
#include <complex>
#ifdef TTUNE_CONTROL
#include <ttune/complex.hpp>
#endif
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  tensor<"Z", std::complex<float>, 2> const Z{{8, 4}};
  (void)Z;
}
