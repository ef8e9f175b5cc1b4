// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "ttune/runtime/kernel_call.hpp"
#include "ttune/support/error.hpp"

namespace ttune::inline v0 {

namespace detail {

inline void* aligned_to_line(std::uint8_t* p) {
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64);
}

}  // namespace detail

TTUNE_INLINE void* thread_workspace(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  thread_local std::unique_ptr<std::uint8_t[]> memory;
  thread_local std::size_t size = 0;
  if (size < bytes) {
    memory.reset();
    memory.reset(new std::uint8_t[bytes + 64]);
    size = bytes;
  }
  return detail::aligned_to_line(memory.get());
}

TTUNE_INLINE kernel_call::kernel_call(std::shared_ptr<loaded_image const> code, std::shared_ptr<executor> on)
    : code_(std::move(code)), executor_(std::move(on)), table_(make_runtime_table(*executor_)) {
  auto const& s = code_->signature();
  if (s.operands.size() + s.prepared_bytes.size() > max_operands)
    throw argument_error("kernel " + s.name + " has more than " + std::to_string(max_operands) + " operands");
}

TTUNE_INLINE std::shared_ptr<kernel_call::constants const> kernel_call::make_constants(std::span<void* const> operands, void* workspace) const {
  auto made = std::make_shared<constants>();
  std::vector<void*> all(operands.begin(), operands.end());
  for (auto const bytes : signature().prepared_bytes) {
    made->owned.emplace_back(new std::uint8_t[static_cast<std::size_t>(bytes) + 64]);
    made->pointers.push_back(detail::aligned_to_line(made->owned.back().get()));
    all.push_back(made->pointers.back());
  }
  code_->prepare()(all.data(), &table_, workspace);
  return made;
}

TTUNE_INLINE void kernel_call::operator()(std::span<void* const> operands) const { (*this)(operands, thread_workspace(workspace_bytes())); }

TTUNE_INLINE void kernel_call::operator()(std::span<void* const> operands, void* workspace) const {
  if (!code_->prepare()) return code_->main()(operands.data(), &table_, workspace);
  auto const fresh = prepared_ ? nullptr : make_constants(operands, workspace);
  auto const& pointers = (prepared_ ? prepared_ : fresh)->pointers;
  std::array<void*, max_operands> all;
  auto const end = std::copy(operands.begin(), operands.end(), all.begin());
  std::copy(pointers.begin(), pointers.end(), end);
  code_->main()(all.data(), &table_, workspace);
}

TTUNE_INLINE kernel_call kernel_call::prepare(std::span<void* const> operands) const {
  auto made = *this;
  if (code_->prepare()) made.prepared_ = make_constants(operands, thread_workspace(workspace_bytes()));
  return made;
}

}  // namespace ttune::inline v0
