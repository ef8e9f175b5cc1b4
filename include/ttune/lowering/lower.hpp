// SPDX-License-Identifier: Apache-2.0
// Lowering: one configuration of a schedule becomes the statements that a code generator prints.
//
//   plan + configuration ── instantiate ──► loop nest ── build_statements ──► statements ── run_passes ──► statements
#pragma once

#include <cstdint>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// Returns the statements of a configuration, after all passes. Throws schedule_error if a place that a knob chooses
/// makes the schedule impossible. Takes some tens of microseconds.
[[nodiscard]] ir::lowered lower(plan const& p, configuration const& chosen);
/// Overload for a single configuration of a space, whose plan it makes. Throws schedule_error.
[[nodiscard]] ir::lowered lower(space const& of, configuration const& chosen);

/// Incremented whenever the code of a schedule changes: images of another version are not used.
inline constexpr std::uint32_t lowering_version = 21;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/lower.inl.hpp"
#endif
