// SPDX-License-Identifier: Apache-2.0
// What is thrown when ttune itself is at fault: a pass broke an invariant. Never for something a user can cause.
#pragma once

#include <stdexcept>
#include <string>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

struct internal_error : std::logic_error {
  explicit internal_error(std::string const& what) : std::logic_error("ttune: internal: " + what) {}
};

}  // namespace ttune::inline v0
