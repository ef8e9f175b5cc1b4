// SPDX-License-Identifier: Apache-2.0
// The names of buffers in the text of a kernel, and the memory that they are placed in.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ttune/codegen/c_family/kernel_state.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Returns the memory space of a buffer. Large arrays of the only thread of a block are placed in shared memory, since
/// the memory of a thread is small on most devices.
[[nodiscard]] inline ir::memory memory_space_of(ir::buffer const& b, kernel_state const& kernel) {
  constexpr std::int64_t most_own_bytes = 16 << 10;
  auto const bytes = b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type));
  bool const large = bytes > most_own_bytes && kernel.grid.has_one_thread() && kernel.dialect.has_threads();
  return b.where == ir::memory::local && large ? ir::memory::shared : b.where;
}

/// Returns true for a buffer that is a variable without an index.
[[nodiscard]] inline bool is_scalar(ir::buffer const& b) { return b.elements() == 1 && is_thread_memory(b); }

/// Names buffers. In: declarations of buffers and uses of them. Out: identifiers. Buffers in the workspace and tables
/// need no declaration: their first use declares them.
class buffer_names {
 public:
  explicit buffer_names(kernel_state& kernel) : kernel_(kernel) {}

  /// Gives a buffer a name; returns it.
  std::string declare(ir::buffer const& b) { return names_[&b] = kernel_.text.fresh(b.name); }
  void forget(ir::buffer const& b) { names_.erase(&b); }
  /// Returns the name of a buffer's array; throws backend_error outside of its declaration.
  [[nodiscard]] std::string array(ir::buffer const& b);

 private:
  [[nodiscard]] std::string declare_in_workspace(ir::buffer const& b, std::int64_t offset);

  kernel_state& kernel_;
  std::map<ir::buffer const*, std::string> names_;
};

inline std::string buffer_names::array(ir::buffer const& b) {
  if (!b.content.empty()) return kernel_.shared.table(b);
  auto const known = names_.find(&b);
  if (known != names_.end()) return known->second;
  auto const& offsets = kernel_.program.survey.workspace_offsets;
  auto const place = offsets.find(&b);
  if (place == offsets.end()) refuse(kernel_.dialect, "buffer " + b.name + " is used outside of its alloc");
  return declare_in_workspace(b, place->second);
}

inline std::string buffer_names::declare_in_workspace(ir::buffer const& b, std::int64_t offset) {
  auto const name = declare(b);
  auto const pointer = kernel_.dialect.pointer(ir::memory::workspace, kernel_.dialect.storage(b.type), false);
  kernel_.text.line_at_start(pointer + " const " + name + " = (" + pointer + ")(workspace" +
                             (offset != 0 ? " + " + std::to_string(offset) : "") + ");");
  return name;
}

}}}}  // namespace ttune::v0::codegen::c_family
