// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <utility>

#include "ttune/runtime/tools/perf_map.hpp"

namespace ttune { inline namespace v0 { namespace tools {

perf_map::perf_map(std::string path) : file_(std::move(path)) {}

void perf_map::add(std::uintptr_t code, std::vector<code_function> const& functions) {
  std::string text;
  for (auto const& f : functions) {
    char numbers[40];
    std::snprintf(numbers, sizeof numbers, "%llx %llx ",
                  static_cast<unsigned long long>(code) + static_cast<unsigned long long>(f.offset),
                  static_cast<unsigned long long>(f.bytes));
    text += numbers + f.name + "\n";
  }
  file_.write(text);
}

}}}  // namespace ttune::v0::tools
