// SPDX-License-Identifier: Apache-2.0
// The reduction behind `largest` and `smallest` (expr/largest.hpp): sorted lists of K elements with their places.
//
// A term is a list of one element, filled with identities. Element i of two merged lists l and r has one of i + 2 forms,
// by how many of r's elements are before it:
//
//   r[0] is not before l[i]                 l[i]
//   r[0] is, r[1] is not before l[i - 1]    the later of l[i - 1] and r[0]
//   r[1] is, r[2] is not before l[i - 2]    the later of l[i - 2] and r[1]   …
//
// The identities of a term are before nothing, so that only the first two forms are left where a list takes a term.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/expr/builder.hpp"

namespace ttune { inline namespace v0 { namespace capture {

enum class rank_order : std::uint8_t { largest_first, smallest_first };

/// What `ranked` reduces.
struct ranked_terms {
  std::string name;  ///< of the stage that holds the lists
  std::vector<axis_range> over;
  std::vector<std::string> free;
  node value;
  node place;  ///< an integer
};

/// Returns `count` values in order, then their places. Equal values are in the order of their places. Values that are
/// not a number are left out. Where there are less than `count` terms, the last values are identities (infinities, or
/// the ends of the type's range), at the largest number of the type of `place`.
[[nodiscard]] std::vector<node> ranked(ranked_terms terms, int count, rank_order order);

}}}  // namespace ttune::v0::capture

#include "ttune/support/implementation_check.hpp"

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/largest.inl.hpp"
#endif
