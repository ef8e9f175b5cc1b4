// SPDX-License-Identifier: Apache-2.0
// The answer to "is this optional part available?", with a reason if it is not.
#pragma once

#include <string>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Result of probing for an optional part. Probing never throws and never prints.
struct availability {
  bool available = true;
  std::string reason;  ///< e.g. "libcuda.so.1 not found"
  explicit operator bool() const noexcept { return available; }
};

}}  // namespace ttune::v0
