// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstring>
#include <mutex>
#include <utility>

#include "ttune/runtime/tools/gdb_entry.hpp"

// The names and the layout are gdb's. Other compilers in the process, such as LLVM's, may define them, too: all are one
// list then.
extern "C" {
struct ttune_jit_code_entry {
  ttune_jit_code_entry* next;
  ttune_jit_code_entry* previous;
  char const* object;
  std::uint64_t bytes;
};
struct ttune_jit_descriptor {
  std::uint32_t version;
  std::uint32_t action;  // 0: none, 1: an entry was added, 2: one is removed
  ttune_jit_code_entry* relevant;
  ttune_jit_code_entry* first;
};
// NOLINTBEGIN(bugprone-reserved-identifier)
/// gdb stops here, and reads the descriptor.
__attribute__((weak, noinline, used)) void __jit_debug_register_code() { __asm__ volatile("" ::: "memory"); }
__attribute__((weak, used)) ttune_jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
// NOLINTEND(bugprone-reserved-identifier)
}

namespace ttune { inline namespace v0 { namespace tools {

struct gdb_entry::listed : ttune_jit_code_entry {
  static std::mutex& one_at_a_time() {
    static std::mutex one;
    return one;
  }
  void tell(std::uint32_t action) {
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = this;
    __jit_debug_register_code();
  }
};

gdb_entry::gdb_entry(std::vector<std::uint8_t> object) : object_(std::move(object)), entry_(new listed{}) {
  std::lock_guard const guard(listed::one_at_a_time());
  entry_->object = reinterpret_cast<char const*>(object_.data());
  entry_->bytes = object_.size();
  entry_->next = __jit_debug_descriptor.first;
  if (entry_->next) entry_->next->previous = entry_.get();
  __jit_debug_descriptor.first = entry_.get();
  entry_->tell(1);
}

gdb_entry::~gdb_entry() {
  std::lock_guard const guard(listed::one_at_a_time());
  if (entry_->next) entry_->next->previous = entry_->previous;
  (entry_->previous ? entry_->previous->next : __jit_debug_descriptor.first) = entry_->next;
  entry_->tell(2);
}

void const* gdb_descriptor() noexcept { return &__jit_debug_descriptor; }

std::vector<std::uint8_t> object_at(code_map const& map, std::uintptr_t code) {
  auto made = map.object;
  Elf64_Ehdr header;
  std::memcpy(&header, made.data(), sizeof header);
  for (std::size_t i = 0; i < map.section_offsets.size(); ++i) {
    if (map.section_offsets[i] < 0) continue;
    auto* const place = made.data() + header.e_shoff + i * header.e_shentsize;
    Elf64_Shdr section;
    std::memcpy(&section, place, sizeof section);
    section.sh_addr = code + static_cast<std::uint64_t>(map.section_offsets[i]);
    std::memcpy(place, &section, sizeof section);
  }
  return made;
}

}}}  // namespace ttune::v0::tools
