// SPDX-License-Identifier: Apache-2.0
// Keys of kernels for many shapes (open/shape_records.hpp): those of all kernels together, and those of the parts.
#pragma once

#include <string_view>

#include "ttune/records/record.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::string_view text_of_shapes = "\nfor many shapes";  ///< follows the text of the program

/// Returns true for the key of several kernels with a choice among them.
[[nodiscard]] inline bool is_of_shapes(record_key const& key) { return key.compute_text.ends_with(text_of_shapes); }

/// Returns true if a key is that of one of the kernels that were tried for the shapes of key `all`.
[[nodiscard]] inline bool is_part_of_shapes(record_key const& one, record_key const& all) {
  return is_of_shapes(all) && one.target == all.target &&
         one.compute_text.size() + text_of_shapes.size() == all.compute_text.size() &&
         all.compute_text.starts_with(one.compute_text);
}

}}}  // namespace ttune::v0::detail
