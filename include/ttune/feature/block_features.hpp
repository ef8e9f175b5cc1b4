// SPDX-License-Identifier: Apache-2.0
// Features of a GPU block of threads, and of the loops that its compiler unrolls.
#pragma once

#include <algorithm>
#include <cstddef>

#include "ttune/feature/block.hpp"
#include "ttune/feature/feature_row.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline void write_unrolling(unroll_choice const& chosen, feature_row& r) {
  auto const& b = r.block;
  r.put(chosen.limit);
  r.put(chosen.is_explicit);
  r.put(b.unrolled_body);
  r.put(b.unrolled_levels);
  r.put(b.unrolled_share);
  r.put(b.unrolled_tile ? 1 : 0);
}

/// Writes the features of a GPU block of threads up to column `last`: its work and an estimate of its time; zeros if
/// there is none.
inline void write_block(unroll_choice const& unrolling, std::size_t last, extracted_for const& machine,
                        feature_row& r) {
  constexpr double thousand = 1000;  // scales small ratios so that log2(1 + x) keeps their digits
  auto const& b = r.block;
  if (!b.there) {
    while (r.at < last) r.put(0);
    return;
  }
  double loads = 0, fetched = 0, words = 0;
  for (auto const& o : b.operands) {
    loads += o.thread_words * std::max(1.0, o.load_conflict);
    fetched += o.fetch_words;
    words += o.group_words;
  }
  auto const both = [&](double block_work::operand::* field) {
    for (auto const& o : b.operands) r.put(o.*field);
  };
  using operand = block_work::operand;
  both(&operand::group_words);
  r.put(b.group_bytes / machine.cache_bytes[0]);
  both(&operand::fetch_words);
  both(&operand::fetch_use);
  both(&operand::fetch_run);
  both(&operand::fetch_sectors);
  both(&operand::store_conflict);
  both(&operand::thread_words);
  both(&operand::load_conflict);
  both(&operand::load_words);
  r.put(b.output_sectors);
  r.put(fetched * b.steps);
  r.put(b.steps);
  r.put(b.middle);
  r.put(b.accumulators);
  r.put(b.inner_reduction);
  r.put(thousand * loads / (b.accumulators * b.inner_reduction));
  r.put(words > 0 ? b.accumulators * b.threads * b.reduction / b.steps / words : 0);
  r.put(b.registers);
  r.put(b.spilled);
  r.put(b.resident);
  r.put(b.occupancy);
  r.put(b.waves);
  r.put(b.tail);
  r.put(std::min(1.0, b.blocks / machine.cores));
  r.put(b.warp_fill);
  write_unrolling(unrolling, r);
  for (auto const t :
       {b.time_fma, b.time_load, b.time_store, b.time_fetch, b.time_traffic, b.time_issue, b.time_latency, b.time})
    r.put(thousand * t);
}

}}}  // namespace ttune::v0::detail
