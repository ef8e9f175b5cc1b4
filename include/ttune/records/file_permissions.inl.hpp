// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ttune/records/file_permissions.hpp"

namespace ttune { inline namespace v0 {

availability not_writable_by_others(std::string const& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) return {false, path + ": " + std::strerror(errno)};
  if (facts.st_uid != 0 && facts.st_uid != ::geteuid())
    return {false, path + " belongs to another user, so its images are not run: copy it to a file of your own"};
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return {false, path + " is writable by others, so its images are not run: chmod go-w " + path};
}

availability written_by_owner_only(std::string const& path) {
  char resolved[PATH_MAX];
  if (!::realpath(path.c_str(), resolved)) return {false, path + ": " + std::strerror(errno)};
  std::string const real = resolved;
  auto const folder = real.substr(0, real.rfind('/'));
  auto file = not_writable_by_others(real);
  return file ? not_writable_by_others(folder.empty() ? "/" : folder) : file;
}

}}  // namespace ttune::v0
