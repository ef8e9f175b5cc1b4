// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "ttune/runtime/tools/tool_file.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace tools {

tool_file::tool_file(std::string path) : path_(std::move(path)) {
  ::unlink(path_.c_str());
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor_ < 0) fail(errno);
}

tool_file::~tool_file() { ::close(descriptor_); }

void tool_file::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    auto const done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) fail(errno);
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void tool_file::fail(int reason) const {
  throw backend_error("TTUNE_TOOLS: " + path_ + " cannot be written: " + std::strerror(reason) +
                      "; name another folder by JITDUMPDIR, or unset TTUNE_TOOLS");
}

}}}  // namespace ttune::v0::tools
