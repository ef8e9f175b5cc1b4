// SPDX-License-Identifier: Apache-2.0
// The signature of a kernel in a call that gives extents (capture/keep_open.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

/// Returns the signature with the shapes that the operands have in a call with these values of the open extents.
[[nodiscard]] inline kernel_signature at_extents(kernel_signature signature, std::span<std::int64_t const> values) {
  for (auto& o : signature.operands)
    for (std::size_t d = 0; d < o.open.size(); ++d)
      if (o.open[d] >= 0) o.shape[d] = values[static_cast<std::size_t>(o.open[d])];
  return signature;
}

/// Returns the values of the open extents in a call whose operands have these shapes.
[[nodiscard]] inline std::vector<std::int64_t> extents_of(kernel_signature const& signature) {
  std::vector<std::int64_t> all;
  for (auto const& o : signature.operands)
    for (std::size_t d = 0; d < o.open.size(); ++d) {
      if (o.open[d] < 0) continue;
      auto const place = static_cast<std::size_t>(o.open[d]);
      all.resize(std::max(all.size(), place + 1), 1);
      all[place] = o.shape[d];
    }
  return all;
}

}}  // namespace ttune::v0
