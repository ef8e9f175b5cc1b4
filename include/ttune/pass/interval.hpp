// SPDX-License-Identifier: Apache-2.0
// Intervals of index expressions under known ranges of their variables.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "ttune/pass/affine.hpp"

namespace ttune::inline v0::pass {

/// The integers from low to high; both ends belong to it.
struct interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(interval const&, interval const&) = default;
};

/// Interval without ends. An end at or beyond one of these is missing; arithmetic keeps it missing.
inline constexpr interval unbounded{-(std::int64_t{1} << 60), std::int64_t{1} << 60};
[[nodiscard]] constexpr bool is_bounded(interval const& i) noexcept {
  return i.low > unbounded.low && i.high < unbounded.high;
}
[[nodiscard]] constexpr bool is_inside(interval const& i, std::int64_t begin, std::int64_t end) noexcept {
  return begin <= i.low && i.high < end;
}

using ranges = std::unordered_map<std::string, interval>;

/// Returns an interval that contains all values of the expression. It is exact for affine expressions of independent
/// variables; a gathered index has the range that its operand declares.
[[nodiscard]] interval bounds(ir::expr const& e, ranges const& known);
[[nodiscard]] interval bounds(affine const& form, ranges const& known);
[[nodiscard]] interval bounds(linear const& form, ranges const& known);

/// Returns the ranges of a stage's axes. An empty axis has an empty range (high < low).
[[nodiscard]] ranges ranges_of(ir::stage const& s);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/interval.inl.hpp"
#endif
