// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "ttune/runtime/huge_pages.hpp"
#include "ttune/runtime/measure/guarded_memory.hpp"

namespace ttune { inline namespace v0 {

guarded_memory::guarded_memory(std::int64_t bytes, bool at_end, std::size_t alignment)
    : bytes_(static_cast<std::size_t>(bytes)) {
  // An overcommitting system grants more than it has, and kills the process when the memory is touched.
  auto const machine_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  if (bytes < 0 || bytes > machine_bytes - machine_bytes / 8) throw std::bad_alloc();
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  body_bytes_ = std::max<std::size_t>(1, (bytes_ + page - 1) / page) * page;
  auto* const all = mmap(nullptr, body_bytes_ + 2 * guard_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  all_ = static_cast<std::uint8_t*>(all);
  auto* const body = all_ + guard_bytes;
  if (mprotect(body, body_bytes_, PROT_READ | PROT_WRITE) != 0) {
    munmap(all_, body_bytes_ + 2 * guard_bytes);
    throw std::bad_alloc();
  }
  if (bytes_ >= detail::least_huge_bytes && alignment > 1) detail::prefer_huge_pages(body, body_bytes_);
  data_ = at_end ? body + (body_bytes_ - bytes_) / alignment * alignment : body;
  paint_red_zones();
}

guarded_memory::guarded_memory(guarded_memory&& other) noexcept { *this = std::move(other); }

guarded_memory& guarded_memory::operator=(guarded_memory&& other) noexcept {
  std::swap(all_, other.all_);
  std::swap(body_bytes_, other.body_bytes_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

guarded_memory::~guarded_memory() {
  if (all_) munmap(all_, body_bytes_ + 2 * guard_bytes);
}

void guarded_memory::paint_red_zones() const noexcept {
  auto* const body = all_ + guard_bytes;
  auto* const end = data_ + bytes_;
  std::memset(body, red, static_cast<std::size_t>(data_ - body));
  std::memset(end, red, static_cast<std::size_t>(body + body_bytes_ - end));
}

std::int64_t guarded_memory::overwritten() const noexcept {
  auto const* const body = all_ + guard_bytes;
  auto const is_not_red = [](std::uint8_t b) { return b != red; };
  auto const* const end = body + body_bytes_;
  auto const* const past = std::find_if(data_ + bytes_, data_ + (end - data_), is_not_red);
  if (past != end) return past - data_;
  auto const* const before = std::find_if(body, static_cast<std::uint8_t const*>(data_), is_not_red);
  return before - data_;
}

guarded_memory::extent guarded_memory::where() const noexcept {
  auto const all = reinterpret_cast<std::uintptr_t>(all_);
  auto const data = reinterpret_cast<std::uintptr_t>(data_);
  return {all, data, data + bytes_, all + body_bytes_ + 2 * guard_bytes};
}

}}  // namespace ttune::v0
