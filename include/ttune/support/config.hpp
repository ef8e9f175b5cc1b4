// SPDX-License-Identifier: Apache-2.0
// Library version, minimum compiler versions, and the choice between header-only and separately compiled use.
#pragma once

#define TTUNE_VERSION_MAJOR 0
#define TTUNE_VERSION_MINOR 1
#define TTUNE_VERSION_PATCH 0

#if __cplusplus < 202002L
#error "ttune needs C++20: compile with -std=c++20 or newer"
#endif

/// Header-only is the default: bodies (`*.inl.hpp`) follow their declarations and are inline. With
/// TTUNE_SEPARATE_COMPILATION a user's file sees declarations only, and one file of the program includes
/// <ttune/implementation.hpp> (which defines TTUNE_IMPLEMENTATION) before all other headers of ttune; in that file the
/// bodies follow, too, and are not inline.
#if defined(TTUNE_SEPARATE_COMPILATION)
#define TTUNE_INLINE
#else
#define TTUNE_INLINE inline
#endif
#if defined(TTUNE_SEPARATE_COMPILATION) && !defined(TTUNE_IMPLEMENTATION)
#define TTUNE_HEADER_ONLY 0
#else
#define TTUNE_HEADER_ONLY 1
#endif

/// Parts that need a foreign library (backends/orc.hpp, records/sqlite.hpp) work in the same way, but their bodies are
/// not in <ttune/implementation.hpp>. They follow in that file if it also includes the parts' headers, or in a separate
/// file that defines TTUNE_IMPLEMENT_PARTS, includes the parts' headers, and does not include the engine's bodies.
#if TTUNE_HEADER_ONLY || defined(TTUNE_IMPLEMENT_PARTS)
#define TTUNE_PART_BODIES 1
#else
#define TTUNE_PART_BODIES 0
#endif
