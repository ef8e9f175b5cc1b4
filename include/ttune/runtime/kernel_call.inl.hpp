// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "ttune/runtime/aligned_memory.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Scratch memory of one thread.
struct arena {
  aligned_memory memory;
  std::size_t bytes = 0;
  bool taken = false;
};
inline arena& thread_arena() noexcept {
  static thread_local arena a;
  return a;
}

}  // namespace detail

workspace_lease::workspace_lease(std::size_t bytes) {
  auto& arena = detail::thread_arena();
  own_ = arena.taken;
  if (own_) {
    data_ = detail::allocate_lines(bytes).release();
    return;
  }
  if (arena.bytes < bytes) {
    arena.memory.reset();
    arena.bytes = 0;
    arena.memory = detail::allocate_lines(bytes);
    arena.bytes = bytes;
  }
  arena.taken = true;
  data_ = arena.memory.get();
}

workspace_lease::~workspace_lease() {
  if (own_) std::free(data_);
  else detail::thread_arena().taken = false;
}

struct kernel_call::buffers {
  detail::aligned_memory memory;
  std::vector<void*> pointers;
};

kernel_call::kernel_call(std::shared_ptr<loaded_image const> code, std::shared_ptr<executor> on)
    : code_(std::move(code)), executor_(std::move(on)), table_(make_runtime_table(*executor_)) {
  auto const& s = code_->signature();
  if (s.operands.size() + s.prepared_bytes.size() > most_pointers)
    throw argument_error("kernel " + s.name + " has more than " + std::to_string(most_pointers) + " operands");
  scratch_bytes_ = code_->workspace_bytes(table_.threads);
  operand_count_ = s.operands.size();
  workspace_bytes_ = scratch_bytes_ + laid_out_bytes(true) + laid_out_bytes(false);
  main_ = code_->main();
  is_direct_ = main_ && !code_->device() && !code_->prepares() && workspace_bytes_ == 0;
}

/// Returns the bytes of the prepared buffers that calls read, or of those that only `prepare` reads.
std::size_t kernel_call::laid_out_bytes(bool read_by_calls) const noexcept {
  std::size_t sum = 0;
  auto const& all = signature().prepared_bytes;
  for (std::size_t i = 0; code_->prepares() && i < all.size(); ++i)
    if (keeps(i) == read_by_calls) sum += detail::whole_lines(all[i]);
  return sum;
}

std::size_t kernel_call::prepared_bytes() const noexcept { return laid_out_bytes(true); }

void kernel_call::check_count(std::span<void* const> operands) const {
  if (operands.size() != operand_count_)
    throw argument_error("kernel " + signature().name + " takes " + std::to_string(operand_count_) + " operands, " +
                         std::to_string(operands.size()) + " given");
}

TTUNE_CALLS_MACHINE_CODE void kernel_call::run(std::span<void* const> operands, void* workspace) const {
  check_count(operands);
  detail::executor_failures const failures;
  run_entries(operands, workspace);
  failures.rethrow();
}

TTUNE_CALLS_MACHINE_CODE void kernel_call::run_entries(std::span<void* const> operands, void* workspace) const {
  auto* const device = code_->device();
  if (!code_->prepares()) {
    if (!device) return main_(operands.data(), &table_, workspace);
    (void)device->run(device_code::entry::main, operands.data(), 1, false);
    return;
  }
  void* all[most_pointers];
  auto* end = std::copy(operands.begin(), operands.end(), all);
  if (prepared_) {
    std::copy(prepared_->pointers.begin(), prepared_->pointers.end(), end);
  } else {  // the laid-out constants follow the scratch memory
    auto* at = static_cast<char*>(workspace) + scratch_bytes_;
    for (auto const bytes : signature().prepared_bytes) {
      *end++ = at;
      at += detail::whole_lines(bytes);
    }
    if (device) (void)device->run(device_code::entry::prepare, all, 1, false);
    else code_->prepare()(all, &table_, workspace);
  }
  if (device) (void)device->run(device_code::entry::main, all, 1, false);
  else main_(all, &table_, workspace);
}

layout_memory::~layout_memory() { std::free(data_); }

void* layout_memory::take(std::size_t bytes) {
  if (bytes > bytes_) {
    std::free(std::exchange(data_, nullptr));
    bytes_ = 0;
    data_ = detail::allocate_lines(bytes).release();
    bytes_ = bytes;
  }
  return data_;
}

kernel_call kernel_call::prepare(std::span<void* const> operands) const {
  layout_memory meanwhile;
  return prepare(operands, meanwhile);
}

TTUNE_CALLS_MACHINE_CODE kernel_call kernel_call::prepare(std::span<void* const> operands,
                                                          layout_memory& meanwhile) const {
  check_count(operands);
  auto made = *this;
  if (!code_->prepares()) return made;
  auto own = std::make_shared<buffers>();
  own->memory = detail::allocate_lines(laid_out_bytes(true));
  std::vector<void*> all(operands.begin(), operands.end());
  char* next[] = {static_cast<char*>(meanwhile.take(laid_out_bytes(false))), static_cast<char*>(own->memory.get())};
  for (std::size_t i = 0; i < signature().prepared_bytes.size(); ++i) {
    auto*& at = next[keeps(i) ? 1 : 0];
    own->pointers.push_back(keeps(i) ? at : nullptr);
    all.push_back(at);
    at += detail::whole_lines(signature().prepared_bytes[i]);
  }
  workspace_lease const lease(scratch_bytes_);
  detail::executor_failures const failures;
  if (auto* const device = code_->device()) (void)device->run(device_code::entry::prepare, all.data(), 1, false);
  else code_->prepare()(all.data(), &table_, lease.data());
  failures.rethrow();
  made.prepared_ = std::move(own);
  made.workspace_bytes_ = scratch_bytes_;
  return made;
}

}}  // namespace ttune::v0
