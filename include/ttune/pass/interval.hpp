// SPDX-License-Identifier: Apache-2.0
// Intervals of index expressions under known ranges of their variables.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "ttune/ir/make.hpp"

namespace ttune::inline v0::pass {

/// [low, high], both inside.
struct interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(interval const&, interval const&) = default;
};

/// What is not known to be bounded. Far from overflow, so that sums of a few stay meaningful.
inline constexpr interval unbounded{-(std::int64_t{1} << 60), std::int64_t{1} << 60};
[[nodiscard]] constexpr bool is_bounded(interval const& i) noexcept {
  return i.low > unbounded.low / 2 && i.high < unbounded.high / 2;
}

using ranges = std::unordered_map<std::string, interval>;

/// A superset of the values that the expression takes; exact for affine ones.
[[nodiscard]] interval bounds(ir::expr const& e, ranges const& known);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/interval.inl.hpp"
#endif
