// SPDX-License-Identifier: Apache-2.0
// A product of matrices as plain loops: sums of a few rows and columns stay in registers, a panel of B in the cache.
#pragma once

#include <algorithm>

#include "loops.hpp"

namespace ttune_bench::corpus {

/// Calls store(i, j, sum over p of a(i, p) * B[p * stride + j]) for i < m, j < n, p in [from(i0), k), where i0 is the
/// first row of a block. For triangles, `a` returns 0 for terms that a block takes too many.
template <class T, class Left, class Store, class From>
void multiply_from(index m, index n, index k, Left const& a, T const* __restrict B, index stride, Store const& store,
                   From const& from) {
  constexpr index rows = 4, columns = 128 / static_cast<index>(sizeof(T));
#pragma omp parallel for collapse(2)
  for (index j0 = 0; j0 < n; j0 += columns)
    for (index i0 = 0; i0 < m; i0 += rows) {
      if (i0 + rows <= m && j0 + columns <= n) {
        T total[rows][columns] = {};
        for (index p = from(i0); p < k; ++p)
          for (index r = 0; r < rows; ++r) {
            T const left = a(i0 + r, p);
#pragma omp simd
            for (index c = 0; c < columns; ++c) total[r][c] += left * B[p * stride + j0 + c];
          }
        for (index r = 0; r < rows; ++r)
          for (index c = 0; c < columns; ++c) store(i0 + r, j0 + c, total[r][c]);
        continue;
      }
      for (index i = i0; i < smaller(i0 + rows, m); ++i)
        for (index j = j0; j < smaller(j0 + columns, n); ++j) {
          T total = 0;
          for (index p = from(i0); p < k; ++p) total += a(i, p) * B[p * stride + j];
          store(i, j, total);
        }
    }
}

template <class T, class Left, class Store>
void multiply(index m, index n, index k, Left const& a, T const* B, index stride, Store const& store) {
  multiply_from(m, n, k, a, B, stride, store, [](index) { return index{0}; });
}

}  // namespace ttune_bench::corpus
