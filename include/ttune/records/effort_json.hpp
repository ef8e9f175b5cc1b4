// SPDX-License-Identifier: Apache-2.0
// The effort of a record as JSON, shared by the text form and the SQLite form.
#pragma once

#include "ttune/records/effort.hpp"
#include "ttune/records/json.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Converts an effort to {"trials": 8, "seconds": 1.5, "ended": "at its limit", "level": "patient", ...}.
[[nodiscard]] json_value json_of(recorded_effort const& spent);

/// Reads an effort; it is unknown if the value is none. What is missing counts as little effort.
[[nodiscard]] recorded_effort read_effort(json_value const* v);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/effort_json.inl.hpp"
#endif
