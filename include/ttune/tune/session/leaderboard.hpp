// SPDX-License-Identifier: Apache-2.0
// The fastest trials so far, with their images.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "ttune/search/search.hpp"
#include "ttune/tune/session/trial.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class leaderboard {
 public:
  /// Adds a trial; returns true if it is the fastest now.
  bool add(trial t) {
    bool const leads = t.result.seconds < best_seconds();
    auto const slower = [](trial const& a, trial const& b) { return a.result.seconds < b.result.seconds; };
    trials_.insert(std::upper_bound(trials_.begin(), trials_.end(), t, slower), std::move(t));
    if (trials_.size() > kept) trials_.pop_back();
    return leads;
  }
  [[nodiscard]] double best_seconds() const noexcept {
    return trials_.empty() ? std::numeric_limits<double>::infinity() : trials_.front().result.seconds;
  }
  /// Returns the trials, fastest first.
  [[nodiscard]] std::vector<trial> const& trials() const noexcept { return trials_; }
  [[nodiscard]] std::vector<observation> incumbents() const {
    std::vector<observation> made;
    for (auto const& t : trials_) made.push_back({t.chosen, 1 / t.result.seconds, false});
    return made;
  }

 private:
  static constexpr std::size_t kept = 16;
  std::vector<trial> trials_;
};

}}}  // namespace ttune::v0::detail
