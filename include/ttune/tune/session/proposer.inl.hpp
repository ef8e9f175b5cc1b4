// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/tune/session/proposer.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::vector<proposal> proposer::search(std::size_t batch, batch_scorer const& score, opinion_scorer const& opinions,
                                       bool trusted, std::span<observation const> incumbents) {
  search_request const request{batch, visited_, score, incumbents, opinions.count > 1 ? &opinions : nullptr};
  auto chosen = score && !trusted ? propose_advised(*search_, request) : search_->propose(request);
  std::vector<proposal> made;
  for (auto& c : chosen) made.push_back({std::move(c)});
  return made;
}

void proposer::learn(trial const& t) {
  bool const timed = is_timed(t.result);
  observation const seen{t.chosen, timed ? 1 / t.result.seconds : 0, !timed};
  search_->observe(std::span(&seen, 1));
}

void predict(std::vector<proposal>& batch, batch_scorer const& score) {
  if (!score) return;
  std::vector<float> scores(batch.size());
  score(configurations_of(batch), scores);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i].predicted = scores[i];
}

}}}  // namespace ttune::v0::detail
