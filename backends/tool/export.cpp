// SPDX-License-Identifier: Apache-2.0
// `ttune export`: tuned kernels as a library in C.
#include <cstdio>
#include <string>

#include "tool.hpp"
#include "ttune/records/export_kernels.hpp"

namespace ttune_tool {

namespace {

void print_report(ttune::export_report const& made) {
  for (auto const& one : made.functions) {
    std::printf("%s  %s\n", one.name.c_str(), one.title.c_str());
    for (auto const& target : one.targets) std::printf("    %s\n", target.c_str());
  }
  for (auto const& file : made.files) std::puts(file.c_str());
  for (auto const& one : made.left_out) std::fprintf(stderr, "ttune: left out: %s\n", one.c_str());
  if (!made.no_archive.empty()) std::fprintf(stderr, "ttune: no archive is made: %s\n", made.no_archive.c_str());
}

}  // namespace

int export_library(std::string const& path, ttune::export_options options) {
  auto const store = open_for_reading(path);
  options.from = path;
  auto const made = export_kernels(*store, options);
  print_report(made);
  return made.left_out.empty() ? 0 : 1;
}

}  // namespace ttune_tool
