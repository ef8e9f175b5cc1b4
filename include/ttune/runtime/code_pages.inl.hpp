// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "ttune/runtime/code_pages.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Writes the code into new pages, then makes these executable.
inline void* written_pages(std::span<std::uint8_t const> code, std::size_t lead) noexcept {
  auto const bytes = lead + code.size();
  auto* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  std::memcpy(static_cast<char*>(pages) + lead, code.data(), code.size());
  if (::mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0) return pages;
  ::munmap(pages, bytes);
  return nullptr;
}

/// Writes the code into a file without a name, then maps that file as code.
inline void* mapped_file(std::span<std::uint8_t const> code, std::size_t lead) noexcept {
  auto const bytes = lead + code.size();
  auto const file = ::memfd_create("ttune-kernel", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* pages = MAP_FAILED;
  bool const written =
      ::ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      ::pwrite(file, code.data(), code.size(), static_cast<off_t>(lead)) == static_cast<ssize_t>(code.size());
  if (written) pages = ::mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  ::close(file);
  return pages == MAP_FAILED ? nullptr : pages;
}

void* map_code(std::span<std::uint8_t const> code, std::size_t lead) noexcept {
  auto* const pages = written_pages(code, lead);
  return pages ? pages : mapped_file(code, lead);
}

}}}  // namespace ttune::v0::detail
