// SPDX-License-Identifier: Apache-2.0
// expect-error: a complex expression becomes a real one by real\(z\)
// expect-culprit: complex
#include <ttune/complex.hpp>
#include <ttune/expr.hpp>

void mistake() {
  using namespace ttune;
  auto const [i, k] = axes<"i", "k">;
  tensor<"Z", std::complex<float>, 2> const Z{{8, 4}};
#ifdef TTUNE_CONTROL
  (void)(compute<"C">(i, k) = norm(Z(i, k)));
#else
  (void)(compute<"C">(i, k) = cast<float>(Z(i, k)));
#endif
}
