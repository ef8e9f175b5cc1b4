// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/codegen/checked_llvm_ir.hpp"
#include "ttune/codegen/llvm/access_checks.hpp"
#include "ttune/codegen/llvm/module_emitter.hpp"
#include "ttune/codegen/llvm/ready_for_emission.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

/// Returns the indices of an element, given by its place in the buffer, as "[3, -1]". The outermost index tells how far
/// an element lies outside.
inline std::string indices_of(std::int64_t place, std::vector<std::int64_t> const& extents) {
  std::string text;
  for (std::size_t d = extents.size(); d-- > 0;) {
    auto const below = d == 0 ? place : floor_modulo(place, extents[d]);
    if (d != 0) place = floor_divide(place, extents[d]);
    text = std::to_string(below) + (text.empty() ? "" : ", ") + text;
  }
  return "[" + text + "]";
}

}  // namespace detail

std::string access_site::fault(std::int64_t offset, std::int64_t size) const {
  auto const outside = offset < 0 || offset >= size ? offset : size;
  auto const place = floor_divide(outside, static_cast<std::int64_t>(size_in_bytes(type)));
  std::string shape;
  for (auto const e : extents) shape += (shape.empty() ? "" : ", ") + std::to_string(e);
  return std::string(writes ? "writes " : "reads ") + buffer +
         (dense ? detail::indices_of(place, extents) : ", element " + std::to_string(place) + " from its first one,") +
         " outside of its extents (" + shape + "), in: " + statement;
}

checked_text checked_llvm_ir(ir::lowered const& program, target const& machine, kernel_signature& signature) {
  constexpr std::int64_t nothing_on_stack = 0;
  auto without_tiles = machine;
  without_tiles.has_tiles = false;  // checks are for loads and stores of elements and vectors
  auto const ready = llvm::ready_for_emission(program, without_tiles, signature, nothing_on_stack);
  llvm::module_emitter emitter(ready, machine, llvm::module_emitter::annotated{});
  auto const plain = emitter.run();
  checked_text made;
  llvm::access_checks checks(plain, emitter.bases(), static_cast<int>(ready.operands.size()));
  made.text = checks.run();
  made.sites = checks.sites();
  for (auto const& [buffer, offset] : workspace_plan(ready, nothing_on_stack).offsets)
    made.scratch.push_back({buffer->name, offset,
                            buffer->elements() * static_cast<std::int64_t>(size_in_bytes(buffer->type)),
                            buffer->where == ir::memory::local});
  std::sort(made.scratch.begin(), made.scratch.end(), [](scratch_buffer const& a, scratch_buffer const& b) {
    return std::pair(a.per_thread, a.offset) < std::pair(b.per_thread, b.offset);
  });
  return made;
}

}}}  // namespace ttune::v0::codegen
