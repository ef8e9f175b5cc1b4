// SPDX-License-Identifier: Apache-2.0
// Large pages for what kernels stream: with small ones, the weights of a layer alone are more pages than a processor
// keeps translations of.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace ttune::inline v0::detail {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
/// Below this, the rest of a page that is not used would weigh more.
inline constexpr std::size_t least_huge_bytes = huge_page_bytes;

/// A wish: the system grants it where and when it likes.
inline void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  (void)madvise(begin, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace ttune::inline v0::detail
