// SPDX-License-Identifier: Apache-2.0
// Checks that a page is well-formed XML and loads nothing, with as much of a parser as that needs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ttune_test {

/// Returns the fault of a page, or nothing: tags that do not match, attributes without quotes, bare & and <, scripts,
/// anything that would be loaded.
inline std::string fault_of_page(std::string_view page) {
  constexpr std::string_view start = "<!DOCTYPE html>";
  if (!page.starts_with(start)) return "no doctype";
  std::vector<std::string> open;
  auto const near = [&](std::size_t at) { return " near \"" + std::string(page.substr(at, 60)) + "\""; };
  std::size_t at = start.size();
  while (at < page.size()) {
    if (page[at] == '&') {
      auto const end = page.find(';', at);
      auto const name = page.substr(at + 1, end == page.npos ? 0 : end - at - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot") return "a bare &" + near(at);
      at = end + 1;
    } else if (page[at] != '<') {
      ++at;
    } else {
      auto end = at + 1;
      for (bool quoted = false; end < page.size() && (quoted || page[end] != '>'); ++end) {
        if (page[end] == '"') quoted = !quoted;
        if (page[end] == '<') return "a bare <" + near(at);
      }
      auto tag = page.substr(at + 1, end - at - 1);
      bool const closing = tag.starts_with('/'), empty = tag.ends_with('/');
      if (closing) tag.remove_prefix(1);
      auto const name = std::string(tag.substr(0, tag.find_first_of(" /")));
      if (name == "script" || name == "link" || name == "img" || name == "iframe" || name == "object")
        return "<" + name + ">" + near(at);
      for (auto const* const attribute : {" src=", " href=", " onload=", " onclick="})
        if (tag.find(attribute) != tag.npos) return attribute + near(at);
      if (std::ranges::count(tag, '"') % 2 != 0 || std::ranges::count(tag, '=') > std::ranges::count(tag, '"') / 2)
        if (name != "meta") return "an attribute without quotes" + near(at);
      if (closing && (open.empty() || open.back() != name)) return "</" + name + "> closes another tag" + near(at);
      if (closing) open.pop_back();
      else if (!empty) open.push_back(name);
      at = end + 1;
    }
  }
  if (page.find("url(") != page.npos || page.find("@import") != page.npos) return "something is loaded";
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace ttune_test
