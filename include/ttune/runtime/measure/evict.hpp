// SPDX-License-Identifier: Apache-2.0
// Removes memory from all caches of the processor, so that the next access reads it from memory.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ttune { inline namespace v0 { namespace detail {

/// Writes changed lines back and evicts a range from all caches; takes a nanosecond or two a line. Does nothing on
/// architectures other than x86-64 and 64-bit ARM.
inline void evict([[maybe_unused]] void const* begin, [[maybe_unused]] std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  auto const* const data = static_cast<char const*>(begin);
  auto const offset = reinterpret_cast<std::uintptr_t>(begin) % line;  // of the range in its first line
  for (std::size_t at = 0; at < offset + bytes; at += line) {
    [[maybe_unused]] auto const* const one = data + (at > offset ? at - offset : 0);
#if defined(__x86_64__)
    _mm_clflush(one);
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(one) : "memory");
#endif
  }
#if defined(__x86_64__)
  _mm_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb ish" : : : "memory");
#endif
}

}}}  // namespace ttune::v0::detail
