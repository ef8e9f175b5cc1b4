// SPDX-License-Identifier: Apache-2.0
// swizzle: in shared memory, the 16-byte chunks of a row are permuted, differently in each of eight rows, so that
// threads that read down a column use all banks, without unused elements after rows.
//
//   row 0: 0 1 2 3 4 5 6 7               0 1 2 3 4 5 6 7
//   row 1: 0 1 2 3 4 5 6 7       →       1 0 3 2 5 4 7 6
//   row 2: 0 1 2 3 4 5 6 7               2 3 0 1 6 7 4 5                swizzle()
//
// The number says which rows are read at once: 1 means neighbours, 4 means every fourth row. In a buffer whose chunks
// are numbered in the order of its elements, chunk c is stored at c ^ (c / apart) % 8, where `apart` is the least
// multiple of 8 and of the number of chunks in so many rows. The 8 chunks of a line of 128 bytes, which covers all
// banks, stay in that line, so no two chunks share a place, and a write of a line still uses all banks. A chunk itself
// does not change. The program does not change either: the interpreter and the analysis of races know elements only;
// emitters for devices with shared memory permute the places.
#pragma once

#include <algorithm>
#include <numeric>

#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

inline void swizzle(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  if (st.output) refuse(s, s.stage, "is an output; its layout is the caller's");
  if (!st.where_given || st.where != ir::memory::shared)
    refuse(s, s.stage, "is not known to live in shared memory: store it there first");
  constexpr std::int64_t most = 1024;
  for (auto const& v : s.values)
    if (v.is_literal() && (v.literal < 1 || v.literal > most))
      refuse(s, s.stage, "takes how far apart the rows are that are read at once, 1 to " + std::to_string(most));
  st.swizzled = s.values.empty() ? std::vector{literal(1)} : s.values;
}

/// Returns the number of chunks after which the order changes, for a buffer with rows of `row_bytes` bytes.
[[nodiscard]] inline std::int64_t swizzle_distance(std::int64_t rows_apart, std::int64_t row_bytes) {
  return std::lcm(std::max<std::int64_t>(1, rows_apart * row_bytes / ir::buffer::chunk_bytes),
                  ir::buffer::chunks_of_banks);
}

}}}  // namespace ttune::v0::primitives
