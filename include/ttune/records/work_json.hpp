// SPDX-License-Identifier: Apache-2.0
// The work of a kernel and the roof of a machine as JSON, for record files and for files that a user keeps.
#pragma once

#include "ttune/records/json.hpp"
#include "ttune/roof/kernel_work.hpp"
#include "ttune/roof/machine_roof.hpp"

namespace ttune { inline namespace v0 {

/// Converts work to {"threads": 2, "phases": [{"loop": "C.io", "demands": [["load", "strided", "C", "B", "C.j", 4096,
/// ...
[[nodiscard]] json_value json_of(kernel_work const& work);
/// Reads work; it is not known() if the value is none, or damaged.
[[nodiscard]] kernel_work read_work(json_value const* v);

/// Converts a roof to {"target": "x86_64 ...", "threads": 2, "fma_seconds": 2.7e-10, ...}.
[[nodiscard]] json_value json_of(machine_roof const& roof);
/// Reads a roof; it is not known() if a member is missing or is no positive number.
[[nodiscard]] machine_roof read_roof(json_value const* v);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/work_json.inl.hpp"
#endif
