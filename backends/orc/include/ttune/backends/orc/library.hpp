// SPDX-License-Identifier: Apache-2.0
// A shared library that is opened when it is first needed.
#pragma once

#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune::inline v0::orc {

/// Stays open to the end of the process.
class library {
 public:
  /// The first of these names that can be opened.
  explicit library(std::vector<std::string> const& names);
  library(library const&) = delete;
  library& operator=(library const&) = delete;

  /// Null if there is none.
  [[nodiscard]] void* find(char const* name) const noexcept;
  /// Throws backend_error if there is none.
  [[nodiscard]] void* symbol(char const* name) const;
  /// What was tried, and why it failed; empty if the library is open.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

 private:
  void* handle_ = nullptr;
  std::string failure_;
};

}  // namespace ttune::inline v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/library.inl.hpp"
#endif
