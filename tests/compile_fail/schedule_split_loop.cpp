// SPDX-License-Identifier: Apache-2.0
// A loop does not exist any more after its split.
// expect-error: ttune: no loop of this name in this schedule
// expect-culprit: \{"i"\}
#include <ttune/schedule.hpp>

void program() {
  auto const [i, j, k, io, ii, z] = ttune::axes<"i", "j", "k", "io", "ii", "zzz">;
  ttune::tensor<"A", float, 2> const A{{512, 256}};
  ttune::tensor<"B", float, 2> const B{{256, 128}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
#ifdef TTUNE_CONTROL
  const ttune::space space = ttune::schedule(C).split(i, 16, io, ii).parallel(io).vectorize(j);
#else
  const ttune::space space = ttune::schedule(C).split(i, 16, io, ii).parallel(i).vectorize(j);
#endif
}
