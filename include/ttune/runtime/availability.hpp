// SPDX-License-Identifier: Apache-2.0
// Whether something optional is there, and if not, why.
#pragma once

#include <string>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// Probing never throws and never prints: an absent backend is a value with its reason.
struct availability {
  bool available = true;
  std::string reason;  ///< e.g. "libcuda.so.1 not found"
  explicit operator bool() const noexcept { return available; }
};

}  // namespace ttune::inline v0
