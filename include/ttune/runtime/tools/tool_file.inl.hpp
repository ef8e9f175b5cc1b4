// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ttune/runtime/tools/tool_file.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace tools {

void fail_to_write(std::string const& path, int reason) {
  throw backend_error("TTUNE_TOOLS: " + path + " cannot be written: " + std::strerror(reason) +
                      "; name another folder by JITDUMPDIR, or unset TTUNE_TOOLS");
}

int create_file(std::string const& path) {
  ::unlink(path.c_str());
  int const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail_to_write(path, errno);
  return file;
}

void write_file(int file, std::string const& path, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) fail_to_write(path, errno);
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

}}}  // namespace ttune::v0::tools
