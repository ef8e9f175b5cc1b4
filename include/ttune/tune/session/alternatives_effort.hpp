// SPDX-License-Identifier: Apache-2.0
// The effort of several alternatives together (alternatives_session.hpp).
#pragma once

#include "ttune/tune/session/session_effort.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Adds the trials and the seconds of one alternative; gains are those of the best one.
inline void add_effort(effort_so_far& to, effort_so_far const& one) noexcept {
  to.trials += one.trials;
  to.now += one.now;
  to.seconds += one.seconds;
}

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/alternatives_effort.inl.hpp"
#endif
