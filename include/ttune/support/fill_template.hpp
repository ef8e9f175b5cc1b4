// SPDX-License-Identifier: Apache-2.0
// Templates of text: words such as $NAME stand for values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A word of a template, as "$NAME", and its value. No word begins another one.
using template_words = std::vector<std::pair<std::string, std::string>>;

/// Returns a template with its words replaced, one word after the other.
[[nodiscard]] inline std::string fill_template(std::string text, template_words const& words) {
  for (auto const& [word, value] : words)
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
  return text;
}

}}}  // namespace ttune::v0::detail
