// SPDX-License-Identifier: Apache-2.0
// A matrix product with a hand-written schedule for a GPU.
#pragma once

#include "ttune/schedule.hpp"

namespace ttune_test {

/// Tiles of A and B are in shared memory, accumulators in each thread; two virtual threads, tails in both directions.
inline auto gpu_product(std::int64_t m, std::int64_t n, std::int64_t depth) {
  using ttune::ir::loop_kind;
  using ttune::ir::memory;
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  auto const [ib, iv, it, jb, jt, ko, ki] = ttune::axes<"ib", "iv", "it", "jb", "jt", "ko", "ki">;
  ttune::tensor<"A", float, 2> const A{{m, depth}};
  ttune::tensor<"B", float, 2> const B{{depth, n}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
  return ttune::schedule(C)
      .cache_write("acc")
      .split(i, {2, 3}, ib, iv, it)
      .split(j, 4, jb, jt)
      .reorder(ib, jb, iv, it, jt)
      .bind(ib, loop_kind::block_y)
      .bind(jb, loop_kind::block_x)
      .bind(iv, loop_kind::virtual_thread)
      .bind(it, loop_kind::thread_y)
      .bind(jt, loop_kind::thread_x)
      .in("acc")
      .cache_read(A, "As")
      .cache_read(B, "Bs")
      .compute_at(C, jt)
      .store_in(memory::local)
      .split(k, 5, ko, ki)
      .reorder(ko, ki, i, j)
      .in("As")
      .compute_at("acc", ko)
      .store_in(memory::shared)
      .bind(i, loop_kind::thread_y)
      .bind(k, loop_kind::thread_x)
      .in("Bs")
      .compute_at("acc", ko)
      .store_in(memory::shared)
      .bind(j, loop_kind::thread_x);
}

}  // namespace ttune_test
