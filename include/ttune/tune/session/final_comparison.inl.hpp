// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "ttune/tune/session/final_comparison.hpp"
#include "ttune/tune/session/phase_timer.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::size_t finalists = 3;

double closing_seconds(double seed_seconds, double seconds_each) {
  auto const pair = 2 * std::max(250e-6, seed_seconds);
  return std::min(static_cast<double>(finalists) * (final_pairs * pair + 8 * seed_seconds + 5e-3), seconds_each / 10);
}

final_result compare_finalists(trial_runner& by, leaderboard const& best, trial const& seed, double most_seconds,
                               session_clock const& clock) {
  final_result made;
  double spent = 0;
  for (std::size_t i = 0; i < std::min(finalists, best.trials().size()); ++i) {
    auto const& t = best.trials()[i];
    if (t.chosen == seed.chosen || (i > 0 && spent > most_seconds)) continue;
    scope_timer const timing(clock, spent);
    auto const c = by.compare(seed, t, final_pairs);
    if (!c.failure.empty()) continue;
    if (c.first_seconds > 0) made.seed_seconds = c.first_seconds;
    if (c.faster && c.ratio < made.pairs.ratio) made.pairs = c, made.winner = &t;
  }
  return made;
}

final_result clear_winner(leaderboard const& best, trial const& seed) {
  if (best.trials().empty()) return {};
  auto const& t = best.trials().front();
  auto const noise = 1.1 + t.result.spread + seed.result.spread;
  return {t.result.seconds * noise < seed.result.seconds ? &t : nullptr};
}

}}}  // namespace ttune::v0::detail
