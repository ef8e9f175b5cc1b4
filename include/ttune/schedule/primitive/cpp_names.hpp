// SPDX-License-Identifier: Apache-2.0
// Names and numbers of steps as C++: what the primitives print their arguments with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Writes names of loops as axes, and remembers which axes the text needs.
class cpp_names {
 public:
  [[nodiscard]] std::string loop(std::string const& name) {
    if (std::find(axes_.begin(), axes_.end(), name) == axes_.end()) axes_.push_back(name);
    return name;
  }
  [[nodiscard]] std::string loops(std::vector<std::string> const& names) {
    std::string text;
    for (auto const& n : names) text += (text.empty() ? "" : ", ") + loop(n);
    return text;
  }
  [[nodiscard]] static std::string quoted(std::string const& text) { return "\"" + text + "\""; }
  /// The value must be a literal.
  [[nodiscard]] static std::string number(knob_value const& value) { return std::to_string(value.literal); }
  [[nodiscard]] static std::string loop_kind(std::int64_t kind) {
    constexpr char const* names[] = {"serial",  "parallel", "vectorized", "unrolled", "tensorized", "block_x",
                                     "block_y", "block_z",  "thread_x",   "thread_y", "thread_z",   "virtual_thread"};
    return names[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] static std::string memory(std::int64_t where) {
    constexpr char const* names[] = {"operand", "prepared", "workspace", "local", "registers", "shared"};
    return names[static_cast<std::size_t>(where)];
  }

  /// Returns the axes named so far, in the order of their first use.
  [[nodiscard]] std::vector<std::string> const& axes() const noexcept { return axes_; }

 private:
  std::vector<std::string> axes_;
};

}}}  // namespace ttune::v0::primitives
