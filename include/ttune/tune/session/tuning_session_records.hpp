// SPDX-License-Identifier: Apache-2.0
// The first trials of a session that goes on with a recorded tuning (tuning_session.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "ttune/tune/session/earlier_tuning.hpp"
#include "ttune/tune/session/session_effort.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Adds what may be faster than the recorded kernel: the fastest trials of starts that came to no end, and the seed.
inline void add_unproven(std::vector<configuration>& to, earlier_tuning const& of, configuration const& seed) {
  auto more = of.fastest(least_more_trials - 1);
  if (seed != of.chosen && !of.tried(seed)) more.push_back(seed);
  std::erase_if(to, [&](configuration const& c) { return std::ranges::find(more, c) != more.end(); });
  to.insert(to.begin(), more.begin(), more.end());
}

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/tuning_session_records.inl.hpp"
#endif
