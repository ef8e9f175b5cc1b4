// SPDX-License-Identifier: Apache-2.0
// A file that tools read: how it is created and written.
#pragma once

#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// A file that this process writes. Errors are backend_error with the reason.
class tool_file {
 public:
  /// Creates an empty file in place of what has its name, for this user only; never follows a link.
  explicit tool_file(std::string path);
  tool_file(tool_file const&) = delete;
  tool_file& operator=(tool_file const&) = delete;
  ~tool_file();

  /// Writes bytes at the end of the file.
  void write(std::string_view bytes) const;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Throws backend_error: the file cannot be written, and why.
  [[noreturn]] void fail(int reason) const;

 private:
  std::string path_;
  int descriptor_;
};

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/tool_file.inl.hpp"
#endif
