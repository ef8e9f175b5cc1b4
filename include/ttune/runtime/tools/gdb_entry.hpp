// SPDX-License-Identifier: Apache-2.0
// An object that gdb is told about: names, lines and call frames of a loaded kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ttune/runtime/tools/code_map.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// Returns the object of a kernel with the addresses of its sections in memory. gdb relocates the debug sections.
[[nodiscard]] std::vector<std::uint8_t> object_at(code_map const& map, std::uintptr_t code);

/// Returns `__jit_debug_descriptor`, the head of the list that gdb reads.
[[nodiscard]] void const* gdb_descriptor() noexcept;

/// An object in gdb's list (the manual's chapter "JIT Compilation Interface"), from construction to destruction. LLDB
/// reads the same list. In a debugger, each one stops the process shortly.
class gdb_entry {
 public:
  explicit gdb_entry(std::vector<std::uint8_t> object);
  gdb_entry(gdb_entry const&) = delete;
  gdb_entry& operator=(gdb_entry const&) = delete;
  ~gdb_entry();

 private:
  struct listed;
  std::vector<std::uint8_t> object_;
  std::unique_ptr<listed> entry_;
};

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/gdb_entry.inl.hpp"
#endif
