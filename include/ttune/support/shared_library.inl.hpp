// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include "ttune/support/error.hpp"
#include "ttune/support/shared_library.hpp"

namespace ttune { inline namespace v0 {

shared_library::shared_library(std::vector<std::string> const& names) {
  for (auto const& name : names) {
    if (name.empty()) continue;
    handle_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_) break;
    auto const* const reason = dlerror();
    failure_ += (failure_.empty() ? "" : "; ") + (reason ? std::string(reason) : name);
  }
  if (handle_) failure_.clear();
}

void* shared_library::find(char const* name) const noexcept { return handle_ ? dlsym(handle_, name) : nullptr; }

void* shared_library::symbol(char const* name) const {
  if (auto* const found = find(name)) return found;
  throw backend_error(failure_.empty() ? std::string("the library that was opened has no ") + name : failure_);
}

}}  // namespace ttune::v0
