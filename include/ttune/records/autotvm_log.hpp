// SPDX-License-Identifier: Apache-2.0
// Reads AutoTVM's tuning logs (versions 0.1 and 0.2) as records: to compare with, and to learn from.
#pragma once

#include <iosfwd>
#include <string_view>

#include "ttune/records/json_lines.hpp"

namespace ttune::inline v0 {

/// compute_text is the task's name with the texts among its arguments (element types, layouts), extents the integers
/// among them in order. AutoTVM numbers whole configurations only, so the indices of the choices are -1. Its error
/// numbers become the status that is nearest; seconds is the median of its costs, which must be positive and finite.
[[nodiscard]] json_line_result from_autotvm_line(std::string_view line);

/// Appends the records of all lines to a store; lines that are no records do not stop the others.
import_summary read_autotvm_log(std::istream& in, record_store& into);

/// A record of AutoTVM as one of a space with the same knobs, such as ops::cuda_conv2d_template: choices get their
/// numbers, the order of the space, and the outermost factor that AutoTVM 0.2 leaves open (-1). The fault says which
/// knob or choice the space does not have.
[[nodiscard]] json_line_result rebuild_choices(record r, std::vector<knob> const& knobs);
/// The same for all lines of a log: what is not of the space is left out, and counted.
import_summary read_autotvm_log(std::istream& in, record_store& into, std::vector<knob> const& knobs);

/// AutoTVM's number of a configuration ("i" or "index" in its logs): mixed radix, the first knob fastest. -1 beyond 63
/// bits.
[[nodiscard]] std::int64_t autotvm_number(std::vector<knob> const& knobs, configuration const& chosen) noexcept;

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/records/autotvm_log.inl.hpp"
#endif
