// SPDX-License-Identifier: Apache-2.0
// A schedule is data: a list of steps. With a configuration, the steps become a loop nest; printed, they are a text
// that can be pasted back; hashed, they are a part of the database key.
#pragma once

#include <string>
#include <vector>

#include "ttune/schedule/primitive/list.hpp"
#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// One primitive with its arguments; the header of the primitive says what they mean.
struct step {
  primitive what;
  std::string stage;
  std::vector<std::string> loops;
  std::vector<std::string> results;
  std::vector<knob_value> values;
};

/// Names of places for compute_at that are no loops.
inline constexpr char const* place_root = "@root";
inline constexpr char const* place_inline = "@inline";

}}  // namespace ttune::v0
