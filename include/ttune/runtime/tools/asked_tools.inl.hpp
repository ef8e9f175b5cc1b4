// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

#include "ttune/runtime/tools/asked_tools.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace tools {

asked_tools parse_tools(std::string_view text) {
  asked_tools made;
  while (!text.empty()) {
    auto const end = std::min(text.find(','), text.size());
    auto const name = text.substr(0, end);
    if (name == "map") made.map = true;
    else if (name == "jitdump") made.jitdump = true;
    else if (name == "gdb") made.gdb = true;
    else if (name == "samples") made.samples = true;
    else
      throw argument_error("TTUNE_TOOLS names \"" + std::string(name) +
                           "\": set it to one or several of map, jitdump, gdb and samples, separated by commas");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

asked_tools const& tools_of_environment() {
  static asked_tools const one = [] {
    auto const* const value = std::getenv("TTUNE_TOOLS");
    return parse_tools(value ? value : "");
  }();
  return one;
}

std::string tools_folder() {
  auto const* const value = std::getenv("JITDUMPDIR");
  return value && *value ? value : "/tmp";
}

}}}  // namespace ttune::v0::tools
