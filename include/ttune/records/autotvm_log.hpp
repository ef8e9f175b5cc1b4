// SPDX-License-Identifier: Apache-2.0
// Reads AutoTVM's tuning logs (versions 0.1 and 0.2) as records, for comparison and for learning.
#pragma once

#include <iosfwd>
#include <string_view>

#include "ttune/records/json_lines.hpp"

namespace ttune { inline namespace v0 {

/// Parses one line of an AutoTVM log. `compute_text` becomes the task's name with the texts among its arguments
/// (element types, layouts); `extents` are the integers among them, in order. AutoTVM numbers whole configurations
/// only, so the indices of the choices are -1. An error number becomes the nearest status; `seconds` is the median of
/// the costs, which must be positive and finite.
[[nodiscard]] json_line_result from_autotvm_line(std::string_view line);

/// Appends the records of all lines to a store; a line that is not a record is skipped.
import_summary read_autotvm_log(std::istream& in, record_store& into);

/// Converts a record of AutoTVM to one of a space with the same knobs, such as ops::cuda_conv2d_template: fills in the
/// indices of the choices, the order of the space, and the outermost factor that AutoTVM 0.2 leaves open (-1). The
/// fault names the knob or choice that the space does not have.
[[nodiscard]] json_line_result rebuild_choices(record r, std::vector<knob> const& knobs);
/// Reads and converts all lines of a log; lines that do not belong to the space are skipped and counted.
import_summary read_autotvm_log(std::istream& in, record_store& into, std::vector<knob> const& knobs);

/// Returns AutoTVM's number of a configuration ("i" or "index" in its logs): mixed radix, the first knob fastest.
/// Returns -1 for numbers beyond 63 bits.
[[nodiscard]] std::int64_t autotvm_number(std::vector<knob> const& knobs, configuration const& chosen) noexcept;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/autotvm_log.inl.hpp"
#endif
