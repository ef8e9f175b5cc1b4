// SPDX-License-Identifier: Apache-2.0
// Neighbouring choices of a knob: the moves of local search.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns for each choice the start of its neighbours in the second list, with one entry more at the end.
///   factors      a prime factor moves between two inner parts, or an inner part gains or loses one (the outermost
///                part takes up the difference), or an inner part changes by one where such a choice exists
///   permutation  two loops change places
///   one_of       the next larger and the next smaller value
///   location, boolean  the next place, the other value
[[nodiscard]] std::pair<std::vector<std::uint32_t>, std::vector<std::int32_t>> adjacent_choices(knob const& k);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/knob_adjacency.inl.hpp"
#endif
