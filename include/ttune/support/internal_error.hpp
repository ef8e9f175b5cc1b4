// SPDX-License-Identifier: Apache-2.0
// The exception for faults of ttune itself, such as a pass that broke an invariant. Users cannot cause it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

inline constexpr std::string_view internal_prefix = "ttune: internal: ";

struct internal_error : std::logic_error {
  explicit internal_error(std::string const& what) : std::logic_error(std::string(internal_prefix) + what) {}
};

}}  // namespace ttune::v0
