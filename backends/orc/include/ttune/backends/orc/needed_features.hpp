// SPDX-License-Identifier: Apache-2.0
// The features that an image demands of a processor.
#pragma once

#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Returns the features of a target that a module needs. Code may use all of them, but registers for tiles are in few
/// modules, and a process has to ask for them (runtime/tile_permission.hpp).
[[nodiscard]] inline std::string needed_features(std::string_view features, std::string_view module_text) {
  bool const has_tiles = module_text.find("@llvm.x86.ldtilecfg") != std::string_view::npos;
  std::string made;
  while (!features.empty()) {
    auto const one = features.substr(0, features.find(','));
    features.remove_prefix(one.size() == features.size() ? features.size() : one.size() + 1);
    if (has_tiles || !one.starts_with("+amx-")) made.append(made.empty() ? "" : ",").append(one);
  }
  return made;
}

}}}  // namespace ttune::v0::orc
