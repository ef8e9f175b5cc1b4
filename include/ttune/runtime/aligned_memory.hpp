// SPDX-License-Identifier: Apache-2.0
// Memory on cache lines of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "ttune/runtime/huge_pages.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::size_t workspace_alignment = 64;

/// Rounds up to whole cache lines.
inline std::size_t whole_lines(std::int64_t bytes) noexcept {
  return (static_cast<std::size_t>(bytes) + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// Frees what `std::aligned_alloc` returned.
struct aligned_free {
  void operator()(void* p) const noexcept { std::free(p); }
};
using aligned_memory = std::unique_ptr<void, aligned_free>;

/// Returns memory of undefined content, in huge pages where it is large. Throws memory_error if there is none.
inline aligned_memory allocate_lines(std::size_t bytes) {
  bool const is_large = bytes >= least_huge_bytes;
  auto const alignment = is_large ? huge_page_bytes : workspace_alignment;
  auto const lines = std::max(bytes + alignment - 1, alignment) / alignment * alignment;
  aligned_memory memory(std::aligned_alloc(alignment, lines));
  if (!memory)
    throw memory_error("a kernel needs " + std::to_string(lines) + " bytes of scratch memory, which cannot be had");
  if (is_large) prefer_huge_pages(memory.get(), lines);
  return memory;
}

}}}  // namespace ttune::v0::detail
