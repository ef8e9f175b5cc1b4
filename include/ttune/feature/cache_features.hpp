// SPDX-License-Identifier: Apache-2.0
// Features of the caches: what each of them holds, what passes into it, and what larger or smaller ones would hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ttune/feature/feature_row.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Writes the cache features. Data that fits is loaded once per run of the loop around it. If that loop and loops
/// further out do not move an access, its lines stay in the cache, because they are used again and again.
inline void write_caches(extracted_for const& machine, feature_row& r) {
  auto const& c = r.c;
  std::array<std::int32_t, 3> fits;
  std::int32_t level = 0;
  for (std::size_t cache = 0; cache < machine.cache_bytes.size(); ++cache) {
    auto const bytes = static_cast<float>(machine.cache_bytes[cache]);
    while (level < c.count && r.level(level + 1).footprint <= bytes) ++level;
    fits[cache] = level;
    std::array<double, shown_accesses> shown = {};
    double total = 0;
    for (std::size_t a = 0; a < r.accesses(); ++a) {
      auto at = std::min(level + 1, c.count);
      if (level < c.count && r.lines(at, a) == r.lines(level, a))
        while (at < c.count && r.lines(at + 1, a) == r.lines(at, a)) ++at;
      auto const came_in = static_cast<double>(r.lines(at, a)) * c.outer(at) * c.line_bytes;
      if (a < shown_accesses) shown[a] = came_in;
      total += came_in;
    }
    r.traffic[cache] = total;
    r.put(c.count > 0 ? static_cast<double>(level) / c.count : 1);
    r.put(r.level(level).inner);
    r.put(static_cast<double>(r.level(level).footprint) / machine.cache_bytes[cache]);
    r.put(total);
    r.put(1000 * total / r.flops);
    for (auto const bytes_of : shown) r.put(bytes_of);
  }
  for (std::size_t cache = 0; cache < 2; ++cache)
    for (std::size_t a = 0; a < shown_accesses; ++a)
      r.put(a < r.accesses() ? r.level(fits[cache]).inner / r.touched(fits[cache], a) : 0);
}

/// Writes the iterations per cache line that caches of 2^8, 2^10, … 2^26 bytes allow.
inline void write_curve(feature_row& r) {
  std::int32_t level = 0;
  float bytes = 256;
  for (int sample = 0; sample < 10; ++sample, bytes *= 4) {
    while (level < r.c.count && r.level(level + 1).footprint <= bytes) ++level;
    r.put(r.level(level).inner * static_cast<float>(r.c.line_bytes) / r.level(level).footprint);
  }
}

}}}  // namespace ttune::v0::detail
