// SPDX-License-Identifier: Apache-2.0
// Places of scratch buffers: one region per call, one per thread, and the thread's stack for small ones.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Byte offsets of buffers. Those of `prepare` and of a call begin at the same place. Apart from that, buffers never
/// share memory: the saving would be less than the cost of aliasing.
struct workspace_plan {
  static constexpr std::int64_t alignment = 64;
  static constexpr std::int64_t usual_stack_limit = 16 << 10;

  /// Local buffers of more than `most_on_stack` bytes go to the thread's workspace.
  explicit workspace_plan(ir::lowered const& program, std::int64_t most_on_stack = usual_stack_limit)
      : stack_limit(most_on_stack) {
    visit(program.prepare);
    auto const shared_to_prepare = std::exchange(shared_bytes, 0), local_to_prepare = std::exchange(local_bytes, 0);
    visit(program.body);
    shared_bytes = std::max(shared_bytes, shared_to_prepare);
    local_bytes = std::max(local_bytes, local_to_prepare);
  }

  [[nodiscard]] static std::int64_t bytes(ir::buffer const& b) {
    auto const n = b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type));
    return (n + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] bool on_stack(ir::buffer const& b) const {
    return b.where == ir::memory::local && bytes(b) <= stack_limit;
  }

  std::int64_t stack_limit;
  std::int64_t shared_bytes = 0;
  std::int64_t local_bytes = 0;
  std::unordered_map<ir::buffer const*, std::int64_t> offsets;

 private:
  void place(ir::buffer const& b) {
    if (!b.content.empty() || offsets.count(&b) != 0 || on_stack(b)) return;
    auto& end = b.where == ir::memory::workspace ? shared_bytes : local_bytes;
    if (b.where != ir::memory::workspace && b.where != ir::memory::local) return;
    offsets[&b] = end;
    end += bytes(b);
  }
  void visit(ir::stmt const& s) {
    if (auto const* n = ir::as<ir::block>(s))
      for (auto const& c : n->body) visit(c);
    if (auto const* n = ir::as<ir::loop>(s)) visit(n->body);
    if (auto const* n = ir::as<ir::let>(s)) visit(n->body);
    if (auto const* n = ir::as<ir::conditional>(s)) visit(n->then), visit(n->otherwise);
    if (auto const* n = ir::as<ir::allocate>(s)) place(*n->storage), visit(n->body);
  }
};

}}}  // namespace ttune::v0::codegen
