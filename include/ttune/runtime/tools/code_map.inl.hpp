// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "ttune/runtime/tools/code_map.hpp"

namespace ttune { inline namespace v0 { namespace tools {

std::vector<code_function> functions_of(kernel_image const& image) {
  if (image.map) return image.map->functions;
  auto const& kernel = image.signature.name;
  std::vector<std::pair<std::int64_t, std::string>> entries = {{image.main_offset, ".main"}};
  if (image.prepare_offset >= 0) entries.emplace_back(image.prepare_offset, ".prepare");
  std::sort(entries.begin(), entries.end());
  std::vector<code_function> made;
  if (entries[0].first > 0) made.push_back({kernel + ".tasks", 0, entries[0].first});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto const begin = entries[i].first;
    auto const end = i + 1 < entries.size() ? entries[i + 1].first : static_cast<std::int64_t>(image.code.size());
    made.push_back({kernel + entries[i].second, begin, end - begin});
  }
  return made;
}

std::string new_loops_file(std::string const& kernel) {
  static std::atomic<int> next = 1;
  auto name = "ttune-" + std::to_string(::getpid()) + "-" + std::to_string(next++) + "-" + kernel;
  for (auto& c : name) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) c = '-';
  }
  return name.substr(0, 100) + ".loops";
}

}}}  // namespace ttune::v0::tools
