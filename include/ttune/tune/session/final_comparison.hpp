// SPDX-License-Identifier: Apache-2.0
// The end of a session: its fastest kernels are compared with the seed once more.
#pragma once

#include <cstdint>

#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/tune/session/leaderboard.hpp"
#include "ttune/tune/session/session_clock.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/session/trial_runner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::int32_t final_pairs = 20;

struct final_result {
  trial const* winner = nullptr;  ///< null: the seed stays
  comparison pairs = {};          ///< the winner's pairs with the seed; none if there was no time
  double seed_seconds = 0;        ///< time of the seed in the last pairs; 0: there were none
};

/// Returns the time reserved for the comparisons of one session, whose share of the time is `seconds_each`: at most a
/// tenth of it.
[[nodiscard]] double closing_seconds(double seed_seconds, double seconds_each);

/// Compares the fastest trials with the seed in pairs, for about `most_seconds`. The seed stays unless one of them is
/// faster with confidence. The winner is one of `best`, and valid as long as that.
[[nodiscard]] final_result compare_finalists(trial_runner& by, leaderboard const& best, trial const& seed,
                                             double most_seconds, session_clock const& clock);

/// Returns the result without pairs: the fastest wins if no noise can explain its advantage.
[[nodiscard]] final_result clear_winner(leaderboard const& best, trial const& seed);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/final_comparison.inl.hpp"
#endif
