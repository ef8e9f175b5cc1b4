// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/runtime/measure/sample_statistics.hpp"
#include "ttune/tune/session/alternatives_comparison.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the seconds of `challenger` over those of `holder` if no operands suit both: each is timed alone,
/// alternately. Returns nothing if one of them could not be timed.
inline std::optional<double> ratio_of_turns(finished_alternative const& challenger,
                                            finished_alternative const& holder) {
  constexpr std::int32_t pairs = 4;
  constexpr int rounds = 5;
  auto const seconds = [](comparison const& c) { return std::min(c.first_seconds, c.second_seconds); };
  auto const timed = [](finished_alternative const& a) { return a.session.compare(a.made.image, a.made.image, pairs); };
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    auto const first = timed(holder);
    auto const second = timed(challenger);
    if (!first.failure.empty() || !second.failure.empty() || first.pairs == 0 || second.pairs == 0) return std::nullopt;
    ratios.push_back(seconds(second) / seconds(first));
  }
  return median_of(ratios);
}

bool is_faster(finished_alternative const& challenger, finished_alternative const& holder) {
  constexpr std::int32_t pairs = 20;
  auto& holder_seconds = holder.made.report.seconds;
  auto& challenger_seconds = challenger.made.report.seconds;
  if (challenger.made.layouts == holder.made.layouts) {
    auto const paired = challenger.session.compare(holder.made.image, challenger.made.image, pairs);
    if (paired.failure.empty() && paired.pairs > 0) {
      holder_seconds = paired.first_seconds;
      challenger_seconds = paired.second_seconds;
      bool const undecided = !paired.faster && paired.low <= 1;
      return undecided ? paired.ratio * challenger.best_seconds < holder.best_seconds : paired.faster;
    }
  }
  if (auto const ratio = ratio_of_turns(challenger, holder)) {
    challenger_seconds = holder_seconds * *ratio;
    return *ratio < 1;
  }
  return challenger_seconds < holder_seconds;
}

}}}  // namespace ttune::v0::detail
