// SPDX-License-Identifier: Apache-2.0
// Decides what a session tries next: what the records suggest first, then what the search proposes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ttune/search/search.hpp"
#include "ttune/tune/session/proposal.hpp"
#include "ttune/tune/session/trial.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class proposer {
 public:
  explicit proposer(any_search search) : search_(std::move(search)) {}

  /// Starts the search on a space, which must outlive this object.
  void start(sampler const& space, std::uint64_t seed) { search_->start(space, seed); }
  /// Adds configurations that are proposed before those of the search.
  void queue(std::vector<configuration> chosen) {
    for (auto& c : chosen) queue_.push_back({std::move(c)});
  }
  /// Returns the queued proposals, and forgets them.
  [[nodiscard]] std::vector<proposal> take_queued() { return std::exchange(queue_, {}); }
  /// Returns up to `batch` proposals of the search. `trusted` is false for scores that no trial of the task supports;
  /// there are no opinions then.
  [[nodiscard]] std::vector<proposal> search(std::size_t batch, batch_scorer const& score,
                                             opinion_scorer const& opinions, bool trusted,
                                             std::span<observation const> incumbents);
  /// Marks a configuration as tried; the search does not propose it again.
  void visit(configuration const& chosen) { visited_.insert(chosen); }
  /// Gives the result of a trial to the search.
  void learn(trial const& t);

 private:
  any_search search_;
  std::vector<proposal> queue_;
  configuration_set visited_;
};

/// Adds the model's scores to a batch; an empty `score` knows nothing.
void predict(std::vector<proposal>& batch, batch_scorer const& score);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/proposer.inl.hpp"
#endif
