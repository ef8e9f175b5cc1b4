// SPDX-License-Identifier: Apache-2.0
// Huge pages for data that kernels stream: with small pages, the weights of one layer need more pages than the
// processor's TLB can hold.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
/// Smaller buffers do not use huge pages: the unused rest of the page would cost more than it gains.
inline constexpr std::size_t least_huge_bytes = huge_page_bytes;

/// Hint that a memory range should use huge pages; the kernel may ignore it.
inline void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  (void)madvise(begin, bytes, MADV_HUGEPAGE);
#endif
}

}}}  // namespace ttune::v0::detail
