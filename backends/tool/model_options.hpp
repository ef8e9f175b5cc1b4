// SPDX-License-Identifier: Apache-2.0
// The options of the ONNX reader, from the command line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tool.hpp"
#include "ttune/onnx.hpp"

namespace ttune_tool {

/// Returns the name and the text behind "=". Throws `failure` if there are not both.
[[nodiscard]] inline std::pair<std::string, std::string> divided(std::string const& text) {
  auto const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) throw failure(text + ": NAME=VALUE is wanted");
  return {text.substr(0, at), text.substr(at + 1)};
}

[[nodiscard]] inline std::int64_t positive(std::string const& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos || text == "0")
    throw failure(text + " is not a positive number");
  return std::stoll(text);
}

/// Returns the extents of a text such as "1x3x224x224".
[[nodiscard]] inline std::vector<std::int64_t> extents_of(std::string const& text) {
  std::vector<std::int64_t> made;
  for (std::size_t first = 0; first <= text.size();) {
    auto const last = std::min(text.find('x', first), text.size());
    made.push_back(positive(text.substr(first, last - first)));
    first = last + 1;
  }
  return made;
}

/// Returns the options with which a model is read. Throws `failure` for a dimension or shape that is none.
[[nodiscard]] inline ttune::onnx_options options_of(model_file const& model) {
  ttune::onnx_options made;
  for (auto const& one : model.dimensions) {
    auto const [name, value] = divided(one);
    made.dimensions[name] = positive(value);
  }
  for (auto const& one : model.shapes) {
    auto const [name, value] = divided(one);
    made.shapes[name] = extents_of(value);
  }
  return made;
}

}  // namespace ttune_tool
