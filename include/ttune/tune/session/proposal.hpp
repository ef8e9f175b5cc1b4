// SPDX-License-Identifier: Apache-2.0
// The first stage of a trial: a configuration that shall be tried.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct proposal {
  configuration chosen;
  std::optional<double> predicted = {};  ///< the model's score, if it knows anything
};

[[nodiscard]] inline std::vector<configuration> configurations_of(std::span<proposal const> batch) {
  std::vector<configuration> made;
  for (auto const& p : batch) made.push_back(p.chosen);
  return made;
}

}}}  // namespace ttune::v0::detail
