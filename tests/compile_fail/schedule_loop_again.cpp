// SPDX-License-Identifier: Apache-2.0
// A split names a loop that exists already.
// expect-error: ttune: there is a loop of this name in this stage already
// expect-culprit: \{"j"\}
#include <ttune/schedule.hpp>

void program() {
  auto const [i, j, k, io, ii, z] = ttune::axes<"i", "j", "k", "io", "ii", "zzz">;
  ttune::tensor<"A", float, 2> const A{{512, 256}};
  ttune::tensor<"B", float, 2> const B{{256, 128}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
#ifdef TTUNE_CONTROL
  const ttune::space space = ttune::schedule(C).split(i, 16, io, ii);
#else
  const ttune::space space = ttune::schedule(C).split(i, 16, io, j).parallel(io);
#endif
}
