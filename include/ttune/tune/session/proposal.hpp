// SPDX-License-Identifier: Apache-2.0
// The first stage of a trial: a configuration that shall be tried.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Where a proposal came from.
enum class proposal_origin : std::uint8_t {
  seed,       ///< the heuristic first configuration, or its replacement
  neighbour,  ///< the best of another shape, machine or version
  transfer,   ///< like the best of other workloads (`configuration_prior`)
  search      ///< the search strategy
};

struct proposal {
  configuration chosen;
  proposal_origin origin = proposal_origin::search;
  std::optional<double> predicted = {};  ///< the model's score, if it knows anything
};

[[nodiscard]] inline std::vector<configuration> configurations_of(std::span<proposal const> batch) {
  std::vector<configuration> made;
  for (auto const& p : batch) made.push_back(p.chosen);
  return made;
}

}}}  // namespace ttune::v0::detail
