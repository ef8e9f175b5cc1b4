// SPDX-License-Identifier: Apache-2.0
// rfactor is applied to a free axis.
// expect-error: ttune: rfactor and separate are for an axis that the stage reduces
// expect-culprit: \{"i"\}
#include <ttune/schedule.hpp>

void program() {
  auto const [i, j, k, io, ii, z] = ttune::axes<"i", "j", "k", "io", "ii", "zzz">;
  ttune::tensor<"A", float, 2> const A{{512, 256}};
  ttune::tensor<"B", float, 2> const B{{256, 128}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
#ifdef TTUNE_CONTROL
  const ttune::space space = ttune::schedule(C).rfactor(k, 16, "C.lanes", z);
#else
  const ttune::space space = ttune::schedule(C).rfactor(i, 16, "C.lanes", z);
#endif
}
