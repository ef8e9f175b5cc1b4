// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "ttune/tune/session/batch.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::vector<prepared_candidate> prepare(trial_runner& by, known_results const& known, std::vector<proposal> batch,
                                        deadline const& until) {
  auto lowered = by.lower(configurations_of(batch), until);
  auto const to_be_tried = known.to_be_tried(lowered);
  std::vector<prepared_candidate> made;
  std::vector<lowered_candidate> fresh;
  for (std::size_t i = 0; i < lowered.size(); ++i) {
    made.push_back({std::move(batch[i]), lowered[i].text});
    if (to_be_tried[i]) fresh.push_back(std::move(lowered[i]));
  }
  auto compiled = by.compile(std::move(fresh), until);
  std::size_t next = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!to_be_tried[i]) continue;
    if (next == compiled.size()) return made.resize(i), made;
    made[i].compiled = std::move(compiled[next++]);
  }
  return made;
}

std::vector<compiled_candidate> take_compiled(std::span<prepared_candidate> group) {
  std::vector<compiled_candidate> made;
  for (auto& c : group)
    if (c.compiled) made.push_back(std::move(*c.compiled));
  return made;
}

}}}  // namespace ttune::v0::detail
