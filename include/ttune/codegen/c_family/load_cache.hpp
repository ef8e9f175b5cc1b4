// SPDX-License-Identifier: Apache-2.0
// Values that are loaded once for several instructions.
#pragma once

#include <map>
#include <string>

#include "ttune/codegen/c_family/kernel_state.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Declares a constant for the text of a value at its first use. In: texts. Out: names. Its owner clears it before the
/// scope ends or memory changes.
class load_cache {
 public:
  explicit load_cache(kernel_state& kernel) : kernel_(kernel) {}

  [[nodiscard]] std::string load(std::string const& type, std::string const& name, std::string const& text) {
    auto& known = names_[text];
    if (known.empty()) {
      known = kernel_.text.fresh(name);
      kernel_.text.line("const " + type + " " + known + " = " + text + ";");
    }
    return known;
  }
  void clear() { names_.clear(); }

 private:
  kernel_state& kernel_;
  std::map<std::string, std::string> names_;  ///< by text
};

}}}}  // namespace ttune::v0::codegen::c_family
