// SPDX-License-Identifier: Apache-2.0
// The parts of a kernel that read an operand.
#pragma once

#include <cstdint>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Bits; images that are older than the second one do not have it, and seem to read all operands when they prepare.
enum operand_use : std::uint8_t {
  read_by_calls = 1,     ///< `main` reads it: it must stay there when `prepare` is done
  unread_by_prepare = 2  ///< `prepare` does not read it: what it lays out does not depend on it
};

}}  // namespace ttune::v0
