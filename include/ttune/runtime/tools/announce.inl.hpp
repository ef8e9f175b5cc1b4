// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "ttune/runtime/tools/announce.hpp"
#include "ttune/runtime/tools/code_map.hpp"
#include "ttune/runtime/tools/gdb_entry.hpp"
#include "ttune/runtime/tools/jitdump.hpp"
#include "ttune/runtime/tools/names_object.hpp"
#include "ttune/runtime/tools/perf_map.hpp"
#include "ttune/runtime/tools/sampler.hpp"
#include "ttune/runtime/tools/tool_file.hpp"

namespace ttune { inline namespace v0 { namespace tools {

namespace detail {

/// The files of this process. A child that was forked has files of its own.
struct tool_files {
  std::mutex one_at_a_time;
  int process = -1;
  std::unique_ptr<perf_map> map;
  std::unique_ptr<jitdump> dump;
  std::set<std::string> loops;  ///< paths of loop nests that are written

  /// The files stay until the process ends, when other objects may still load kernels.
  static tool_files& of_process() {
    static auto& one = *new tool_files;
    int const process = ::getpid();
    std::lock_guard const guard(one.one_at_a_time);
    if (one.process != process) {
      one.process = process;
      one.map.reset();
      one.dump.reset();
      one.loops.clear();
    }
    return one;
  }
};

inline void write_loops(tool_files& files, code_map const& map) {
  if (files.loops.insert(map.path()).second) tool_file(map.path()).write(map.loops);
}

inline void sample(kernel_image const& image, std::uintptr_t code) {
  auto& all = sampler::of_process();
  all.add(image, code);
  all.start();
  all.write_at_exit();
}

}  // namespace detail

gdb_entry const* announce(asked_tools const& to, kernel_image const& image, std::uintptr_t code) {
  if (!to.any()) return nullptr;
  auto& files = detail::tool_files::of_process();
  std::lock_guard const guard(files.one_at_a_time);
  auto const process = std::to_string(files.process);
  if (to.map) {
    if (!files.map) files.map = std::make_unique<perf_map>("/tmp/perf-" + process + ".map");
    files.map->add(code, functions_of(image));
  }
  if ((to.jitdump || to.gdb) && image.map) detail::write_loops(files, *image.map);
  if (to.jitdump) {
    if (!files.dump) files.dump = std::make_unique<jitdump>(tools_folder() + "/jit-" + process + ".dump");
    files.dump->add(code, image);
  }
  if (to.samples) detail::sample(image, code);
  if (!to.gdb) return nullptr;
  return new gdb_entry(image.map ? object_at(*image.map, code) : names_object(functions_of(image), code));
}

void withdraw(gdb_entry const* entry) noexcept { delete entry; }

}}}  // namespace ttune::v0::tools
