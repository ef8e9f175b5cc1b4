// SPDX-License-Identifier: Apache-2.0
// A schedule space: a program, the steps that schedule it, the open knobs and the constraints among them. Hand-written
// and derived spaces have the same type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/step.hpp"
#include "ttune/space/constraint.hpp"

namespace ttune { inline namespace v0 {

/// The set that the tuner searches: a program and its schedules, one for each choice of values for the knobs that
/// satisfies the constraints.
struct space {
  handle<ir::program> program;
  std::vector<step> steps;
  std::vector<knob> knobs;
  std::vector<constraint> constraints;
  configuration seed;         ///< the heuristic first configuration; empty if the space has none
  std::string replaces = {};  ///< not empty: why no better space could be derived, which this one replaces
  /// The extents that trials give, if calls give some (capture/keep_open.hpp); empty: the largest.
  std::vector<std::int64_t> trial_extents = {};
};

}}  // namespace ttune::v0
