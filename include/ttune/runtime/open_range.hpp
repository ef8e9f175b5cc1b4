// SPDX-License-Identifier: Apache-2.0
// The extents that calls of an operator may give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/runtime/shape_tree.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct open_range {
  std::string name;                  ///< of the operator
  std::vector<std::string> extents;  ///< names, in the order of `open_extents`
  call_shape smallest, largest;

  [[nodiscard]] bool allows(std::span<std::int64_t const> values) const noexcept {
    for (std::size_t d = 0; d < values.size(); ++d)
      if (values[d] < smallest[d] || values[d] > largest[d]) return false;
    return true;
  }
};

}}}  // namespace ttune::v0::detail
