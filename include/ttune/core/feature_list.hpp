// SPDX-License-Identifier: Apache-2.0
// Questions about LLVM's lists of features, as "+avx2,+fma,-sse4a".
#pragma once

#include <string_view>

namespace ttune { inline namespace v0 {

/// Returns true if "+name" is in a list. A name that is not in the list is missing: slower, never wrong.
[[nodiscard]] inline bool lists_feature(std::string_view features, std::string_view name) noexcept {
  for (std::size_t at = 0; at < features.size();) {
    auto const end = features.find(',', at);
    auto const one = features.substr(at, end == std::string_view::npos ? end : end - at);
    if (one.size() == name.size() + 1 && one[0] == '+' && one.substr(1) == name) return true;
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return false;
}

}}  // namespace ttune::v0
