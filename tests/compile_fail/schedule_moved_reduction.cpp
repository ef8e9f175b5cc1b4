// SPDX-License-Identifier: Apache-2.0
// The reduced axes are moved away together with the reduction.
// expect-error: ttune: no loop of this name in this schedule
// expect-culprit: \{"k"\}
#include <ttune/schedule.hpp>

void program() {
  auto const [i, j, k, io, ii, z] = ttune::axes<"i", "j", "k", "io", "ii", "zzz">;
  ttune::tensor<"A", float, 2> const A{{512, 256}};
  ttune::tensor<"B", float, 2> const B{{256, 128}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
#ifdef TTUNE_CONTROL
  const ttune::space space = ttune::schedule(C).cache_write("acc").reorder(j, i);
#else
  const ttune::space space = ttune::schedule(C).cache_write("acc").reorder(k, j);
#endif
}
